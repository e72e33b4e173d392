/** What is known of a run at this moment: its files, its work, and what it could get. An event carries it. */

import { PLACE, type Workflow } from "../../core/model/compile.ts";
import type { Actor, Facts, Reading } from "../../core/model/event.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import { nameOf } from "../../core/step/intake.ts";
import { readBesides } from "./work-without.ts";
import type { Box } from "../box.ts";
import { collectFor, type Collected } from "./collect.ts";
import { artifactPaths } from "./place.ts";
import type { ArtifactText } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";

/** A run, the definition that it goes by, and the workspace that it works in, if it has one. */
export type Seen = {
  readonly kept: Kept;
  readonly workflow: Workflow;
  readonly workspace: WorkspaceRow | undefined;
};

/** Resources that the run has, or would get if it asked for them now. Whether it gets the place is decided when the event is written. */
export async function reservable(
  { store }: Box,
  { isInPlace }: Workflow,
  { id: run, repo }: { readonly id: string; readonly repo: string },
): Promise<Pick<Facts, "reserved" | "taken">> {
  // Every run can have a workspace: it is made, or waited for, when the run needs it.
  if (!isInPlace) return { reserved: ["workspace"] };
  const holder = await store.placeHolder(repo, run);
  return holder === "" ? { reserved: [PLACE] } : { reserved: [], taken: { [PLACE]: holder } };
}

export async function factsOf(box: Box, kept: Kept, workflow: Workflow): Promise<Facts> {
  const workspace = await box.store.boundWorkspace(kept.row.id);
  return (await factsWith(box, { kept, workflow, workspace }, { author: { type: "engine" }, texts: [] }))
    .facts;
}

type Look = {
  readonly author: Actor;
  /** The digest of the work, where the caller has just computed it. */
  readonly tree?: string | undefined;
  /** Called where git cannot read the work, for an event that does not need it; without this function the failure is thrown. */
  readonly onUnread?: ((error: Error) => void) | undefined;
  /** Artifacts are read as if these were in their files. */
  readonly texts: readonly ArtifactText[];
};

/** What is known for an event, and the texts of its readings. */
export type FactsWithTexts = { readonly facts: Facts; readonly collected: Collected };

export async function factsWith(
  box: Box,
  { kept, workflow, workspace }: Seen,
  { author, tree: seenTree, onUnread, texts }: Look,
): Promise<FactsWithTexts> {
  const { row, run } = kept;
  // Git first: it works while we read.
  const [tree, collected] = await Promise.all([
    seenTree ??
      (workspace === undefined
        ? undefined
        : treeIn(box, workspace.path, { artifacts: artifactPaths(workflow, run), onUnread })),
    collectFor(box, {
      kept,
      workflow,
      workspace,
      by: nameOf(author),
      author: author.type === "agent" ? author : undefined,
      texts,
    }),
  ]);
  const besides =
    workspace === undefined || tree === undefined
      ? []
      : await readBesides(box, { run, workflow, path: workspace.path, tree });
  const readings = [...collected.readings, ...besides].map((reading) => withoutKnownWords(run, reading));
  const reserved = await reservable(box, workflow, row);
  return { facts: { readings, ...reserved, ...(tree === undefined ? {} : { tree }) }, collected };
}

/** The words of a review are in the journal from when it was taken in: every further event would carry them along. */
function withoutKnownWords(run: Run, reading: Reading): Reading {
  if (reading.review === undefined) return reading;
  const held = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
  if (held?.digest !== reading.digest) return reading;
  const { review: _, ...rest } = reading;
  return rest;
}

/** Of a workspace that is missing nothing is known: a verdict about its work does not count. */
async function treeIn(
  box: Box,
  path: string,
  { artifacts, onUnread }: Pick<Look, "onUnread"> & { readonly artifacts: readonly string[] },
): Promise<string> {
  try {
    return await box.workspaces.digest(path, artifacts);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "no-workspace") return UNKNOWN_TREE;
    if (onUnread === undefined || !UNREADABLE.has(error.code)) throw error;
    onUnread(error);
    return UNKNOWN_TREE;
  }
}

const UNKNOWN_TREE = "";
const UNREADABLE: ReadonlySet<unknown> = new Set(["special-file", "unreadable-work"]);
