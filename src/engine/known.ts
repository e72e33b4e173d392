/** What is known of a run at this moment: its files, its work, and what it could get. An event carries it. */

import { PLACE, type Workflow } from "../core/compile.ts";
import type { Facts, Reading } from "../core/event.ts";
import { slotKey, type Run } from "../core/run.ts";
import { readBesides } from "./besides.ts";
import type { Box } from "./box.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import type { Kept } from "./ports/journal.ts";

/** A run, and the definition that it goes by. */
export type Seen = { readonly kept: Kept; readonly workflow: Workflow };

/** Resources that the run has, or would get if it asked for them now. Whether it gets them is decided when the event is written. */
export function reservable(
  { store }: Box,
  { isInPlace }: Workflow,
  { id: run, repo }: { readonly id: string; readonly repo: string },
): Pick<Facts, "reserved" | "taken"> {
  if (isInPlace) {
    const holder = store.placeHolder(repo, run);
    return holder === "" ? { reserved: [PLACE] } : { reserved: [], taken: { [PLACE]: holder } };
  }
  // A child works in its parent's, whether or not there is room for another.
  const has = store.poolOf(run) !== undefined || store.hasRoom(repo);
  return { reserved: has || boundWorkspace({ store }, run) !== undefined ? ["workspace"] : [] };
}

export async function factsOf(box: Box, kept: Kept, workflow: Workflow): Promise<Facts> {
  return factsWith(box, { kept, workflow });
}

export async function factsWith(box: Box, { kept, workflow }: Seen, seenTree?: string): Promise<Facts> {
  const { row, run } = kept;
  const place = placeOf(box, { run, workflow, id: row.id });
  const workspace = boundWorkspace(box, row.id);
  // Git first: it works while we read.
  const [tree, readings] = await Promise.all([
    seenTree ??
      (workspace === undefined ? undefined : treeIn(box, workspace.path, artifactPaths(workflow, run))),
    box.artifacts.read(place),
  ]);
  const besides =
    workspace === undefined || tree === undefined
      ? []
      : await readBesides(box, { run, workflow, path: workspace.path, tree });
  const known = [...readings, ...besides].map((reading) => withoutKnownWords(run, reading));
  return { readings: known, ...reservable(box, workflow, row), ...(tree === undefined ? {} : { tree }) };
}

/** The words of a review are in the journal from when it was taken in: every further event would carry them along. */
function withoutKnownWords(run: Run, reading: Reading): Reading {
  const held = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
  if (reading.review === undefined || held?.digest !== reading.digest) return reading;
  const { review: _, ...rest } = reading;
  return rest;
}

/** Where somebody has taken the workspace away, nothing is known of the work: what was said about it no longer counts. */
async function treeIn(box: Box, path: string, artifacts: readonly string[]): Promise<string> {
  try {
    return await box.workspaces.digest(path, artifacts);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "no-workspace") return UNKNOWN_TREE;
    throw error;
  }
}

const UNKNOWN_TREE = "";
