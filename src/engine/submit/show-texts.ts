/**
 * Files show the texts that events have accepted.
 *
 * The batch of an event also marks the files that are behind. Any process may write them at any time, and several at once: a mark
 * says which text, and the run says whether a newer one was accepted.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Event } from "../../core/model/event.ts";
import { slotKey, type HeldReading, type Run } from "../../core/model/run.ts";
import { sha256 } from "../../format/sha256.ts";
import { checkoutOf, isJudge } from "../agents/judge.ts";
import type { Box } from "../box.ts";
import { noteNew } from "../notes.ts";
import type { Write } from "../ports/commit.ts";
import type { ArtifactText, Place } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import { placeOf } from "./place.ts";

/** A text that comes with a call. With `archive`, the accepted text that it replaces goes to that folder of the archive. */
export type SubmittedText = ArtifactText & { readonly archive?: string };

/** A file that is behind. */
export type TextMark = {
  readonly key: string;
  /** The digest of the text; empty for one that cannot be shown. */
  readonly text: string;
  /** The digest of what was accepted there: what else is there is an edit, which is copied to the archive before it is replaced. */
  readonly over: string;
  /** The folder of the archive for the accepted text that this one replaces; empty for none. */
  readonly archive: string;
};

export function digestOfText(text: string): string {
  return `sha256:${sha256(text)}`;
}

/** Written with these events: marks for texts that came with the call, and for what judges wrote in their checkouts. */
export function marksFor(
  workflow: Workflow,
  of: {
    readonly run: string;
    readonly before: Run;
    readonly events: readonly Event[];
    readonly texts: readonly SubmittedText[];
  },
): readonly Write[] {
  const marks = new Map<string, readonly [text: string, archive: string]>();
  for (const event of of.events)
    if (event.type === "artifact-read" && isJudge(workflow, event.by))
      marks.set(slotKey(event.reading.artifact, event.reading.slot), [event.reading.text ?? "", ""]);
  for (const { artifact, slot, text, archive = "" } of of.texts)
    marks.set(slotKey(artifact, slot), [digestOfText(text), archive]);
  return [...marks].map(([key, [text, archive]]) => ({
    type: "put-projection",
    run: of.run,
    file: markOf(key),
    fields: ["text", text, acceptedIn(workflow, of.before, key), archive].join(" "),
  }));
}

/** The digest of the accepted text; empty for none. A text that another author has changed counts as the one before. */
function acceptedIn(workflow: Workflow, { held }: Run, key: string): string {
  const known = held[key];
  if (known === undefined) return "";
  const isByAuthor = workflow.definition.artifacts[known.reading.artifact]?.by.includes(known.by) === true;
  return (isByAuthor ? known.reading.digest : known.accepted?.digest) ?? "";
}

/** The files of a run that are behind. */
export async function marksIn(
  { store }: Pick<Box, "store">,
  workflow: Workflow,
  run: Run,
): Promise<readonly TextMark[]> {
  const rows = await store.projectionsLike(run.id, markOf(""));
  return Object.entries(run.held).flatMap(([key, held]) => {
    const row = rows.get(markOf(key)) ?? "";
    const [, text = "", over = "", archive = ""] = row.startsWith("text ") ? row.split(" ") : [];
    const isHidden = isByJudge(workflow, held) && row !== shownRow(held);
    return text !== "" || isHidden ? [{ key, text, over, archive }] : [];
  });
}

/** A text that a judge changed and may not write was noticed, and not accepted. */
function isByJudge(workflow: Workflow, { by, reading }: HeldReading): boolean {
  return isJudge(workflow, by) && workflow.definition.artifacts[reading.artifact]?.by.includes(by) === true;
}

/** Under which name the store remembers what the place shows of an artifact. */
function markOf(key: string): string {
  return `accepted ${key}`;
}

function shownRow({ reading }: HeldReading): string {
  return `${reading.digest}\n`;
}

/** Gives the marks that stay: their files could not be written now. */
export async function showTexts(box: Box, kept: Kept): Promise<readonly TextMark[]> {
  const workflow = await box.workflow(kept.row.definition);
  const behind: TextMark[] = [];
  for (const mark of await marksIn(box, workflow, kept.run))
    if (mark.text === "" || !(await showOne(box, kept, { mark, workflow }))) behind.push(mark);
  return behind;
}

async function showOne(
  box: Box,
  { row, run }: Kept,
  { mark, workflow }: { readonly mark: TextMark; readonly workflow: Workflow },
): Promise<boolean> {
  const held = run.held[mark.key];
  const text = await box.store.text(mark.text);
  if (held === undefined || text === undefined) return false;
  const { artifact, slot } = held.reading;
  const place = await placeOf(box, { run, workflow, id: row.id });
  const { archive } = box.folders(row.id);
  const told: string[] = [];
  const showIn = async (
    at: Place,
    of: { over?: string; archive?: string; edited?: string },
  ): Promise<boolean> => {
    const isCurrent = async (): Promise<boolean> => (await box.store.marks(row.id))?.seq === run.seq;
    const shown = await box.artifacts.show(at, { artifact, slot, text, ...of, isCurrent }).catch(whyNot);
    told.push(...shown.told);
    return shown.isShown;
  };
  for (const checkout of isByJudge(workflow, held) ? await checkoutsOf(box, run, held) : [])
    await showIn({ ...place, root: checkout, isWorkspace: true }, {});
  const isShown = await showIn(place, {
    over: mark.over,
    edited: `${archive}/edited`,
    ...(mark.archive === "" ? {} : { archive: `${archive}/${mark.archive}` }),
  });
  await noteNew(box, { run: row.id }, told);
  if (!isShown) return false;
  const removed = await box.store.commit([
    { type: "expect-run", run: row.id, seq: run.seq },
    { type: "put-projection", run: row.id, file: markOf(mark.key), fields: shownRow(held) },
  ]);
  return removed.type === "written";
}

/** Of the judge that is at work: it finds there what it submitted. */
async function checkoutsOf(
  { store }: Box,
  { id }: Run,
  { by, reading }: HeldReading,
): Promise<readonly string[]> {
  return (await store.agents({ run: id })).flatMap((agent) => {
    const isAuthor = agent.role === by && (reading.slot === "" || agent.slot === reading.slot);
    return isAuthor && agent.dir !== "" && agent.status !== "ended" ? [checkoutOf(agent)] : [];
  });
}

/** The event is written: a file that cannot be written now is written by the next process that looks at the run. */
function whyNot(error: unknown): { readonly told: readonly string[]; readonly isShown: boolean } {
  if (error instanceof Error && "code" in error) return { told: [error.message], isShown: false };
  throw error;
}
