/** Brings the files of a run up to date with its journal. Any process may do it at any time. */

import type { Workflow } from "../../core/model/compile.ts";
import { showsQuestions, type Questions } from "../../core/projection/questions.ts";
import { recordOf, showsRecord, type RunRecord } from "../../core/projection/journal-record.ts";
import { saidIn, showsSaid, type AcceptedValues } from "../../core/projection/accepted-values.ts";
import { isUnseen, viewOf } from "../../core/projection/run-data.ts";
import { askedIn } from "./asked-questions.ts";
import type { Box } from "../box.ts";
import { noteAll } from "../notes.ts";
import { placeOf } from "./place.ts";
import type { Kept, RunRow } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import { showTexts } from "./show-texts.ts";
import type { Submission } from "./write.ts";
import { taskData } from "../tasks/task-data.ts";
import { showsInside } from "../tasks/task-runs.ts";
import { titleOf } from "../workspaces/terminal-title.ts";

const TRIES_MAX = 20;

/** Gives what is worth telling, in sentences. */
export async function project(box: Box, id: string): Promise<readonly string[]> {
  const all: string[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const kept = await box.store.load(id);
    if (kept === undefined) return [];
    await showTexts(box, kept);
    const { row, run } = kept;
    const workflow = await box.workflow(row.definition);
    const { projections } = workflow.definition;
    if (projections.length === 0) return [];
    const place = await placeOf(box, { run, workflow, id });
    const mended = await box.artifacts.keep(place, { into: `${box.folders(id).archive}/edited` });
    const tasks = await taskData(box, place);
    const root = { ...(await rootOf(box, kept, workflow.definition)), ...tasks.root };
    const { told, isWhole } = await box.artifacts.project(place, {
      root,
      projections,
      isCurrent: () => tasks.isCurrent(),
    });
    await noteAll(box, { run: id }, [...mended, ...told]);
    all.push(...mended, ...told);
    if (isWhole && (await markProjected(box, id, row.seq))) return all;
  }
  return [...all, `the files of run ${id} are behind its journal, which changes all the time`];
}

/** False where the run has gone on meanwhile. */
async function markProjected({ store }: Box, run: string, seq: number): Promise<boolean> {
  return (await store.commit([{ type: "projected", run, seq }])).type === "written";
}

/** The same, and the files of whoever waits for it, where they tell of it: where nothing is due, nobody else looks. */
export async function projectUpwards(box: Box, id: string): Promise<readonly string[]> {
  const told = await project(box, id);
  const parent = (await box.store.childAs(id))?.parent ?? "";
  const row = parent === "" ? undefined : (await box.store.load(parent))?.row;
  if (row !== undefined && showsInside(await box.workflow(row.definition))) await projectUpwards(box, parent);
  return told;
}

type Shown = Pick<Workflow["definition"], "projections">;

/** What these files may show of a run, but for its tasks. */
export async function rootOf(
  box: Box,
  { row, run }: Kept,
  shown: Shown,
): Promise<Readonly<Record<string, unknown>>> {
  const workflow = await box.workflow(row.definition);
  const workspace = await box.store.boundWorkspace(row.id);
  const view = viewOf(workflow, run, {
    workspace: workspace?.path ?? null,
    session: workspace === undefined ? null : await sessionOf(box, row, workspace),
    stoppedAt: (await isStopped(box, row)) ? await haltedAt(box, row) : null,
  });
  const { record, said, asked } = await historyIn(box, { row, workflow }, shown);
  return {
    ...view,
    run: { ...view.run, ...record?.run, ...asked },
    ...(record === undefined ? {} : { reviews: record.reviews }),
    ...said,
  };
}

/** After an event that files mostly do not show: where they were up to date, and would say the same, they are left as they are. */
export async function projectAfter(box: Box, submission: Submission, id: string): Promise<void> {
  const row = (await box.store.load(id))?.row;
  const isAsLeft =
    submission.type === "accepted" &&
    row?.seq === submission.run.seq &&
    row.projected === submission.before.seq &&
    isUnseen(await box.workflow(row.definition), submission.before, submission.run);
  if (!isAsLeft || !(await markProjected(box, id, submission.run.seq))) await project(box, id);
}

/** All that happened is read again only where some file shows it. */
async function historyIn(
  box: Box,
  { row: { id, seq }, workflow }: { readonly row: RunRow; readonly workflow: Workflow },
  shown: Shown,
): Promise<{
  readonly record?: RunRecord;
  readonly said?: AcceptedValues;
  readonly asked?: Questions;
}> {
  const [isRecorded, isSaid, isAsked] = [showsRecord(shown), showsSaid(shown), showsQuestions(shown)];
  if (!isRecorded && !isSaid && !isAsked) return {};
  const before = (await box.store.events(id)).filter((each) => each.seq <= seq);
  const events = before.map(({ event }) => event);
  return {
    ...(isRecorded ? { record: recordOf(workflow, events) } : {}),
    ...(isSaid ? { said: saidIn(workflow, events) } : {}),
    ...(isAsked ? { asked: await askedIn(box, workflow, { id, events }) } : {}),
  };
}

/** Whoever is told to read the files of a run must find in them what it is told about: they may be behind for a moment. */
export async function bringUpToDate(box: Box, id: string): Promise<void> {
  const row = (await box.store.load(id))?.row;
  if (row !== undefined && row.projected < row.seq) await project(box, id);
}

/** One that is held has stopped when nobody is at work for it any more. */
async function isStopped({ store }: Box, { id, halted }: RunRow): Promise<boolean> {
  if (!halted || (await store.marks(id))?.halted !== "held") return halted;
  return (await store.agents({ run: id, status: "running" })).length === 0;
}

/** When a person halted it, as it was noted then. One that was halted with the run it was made for has no note of its own. */
async function haltedAt({ store }: Box, { id, updatedAt }: RunRow): Promise<string> {
  return (await store.notes(id)).findLast(({ kind }) => kind === "halted")?.at ?? updatedAt;
}

/** What its terminal session is called, where anything of it has a terminal. */
async function sessionOf(box: Box, row: RunRow, workspace: WorkspaceRow): Promise<string | null> {
  const isSeated = (await box.store.jobs({ run: row.id })).some(({ seat }) => seat !== "");
  return isSeated ? titleOf(box, row, workspace) : null;
}
