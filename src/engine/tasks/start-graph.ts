/** The tasks of a list become a graph: written down at once, started by and by. */

import type { Workflow } from "../../core/model/compile.ts";
import { takenOver, type Past } from "../../core/tasks/carry-over.ts";
import type { Children } from "../../core/model/artifact.ts";
import { recalled } from "../effects/earlier-attempts.ts";
import { objectionsTo } from "./child.ts";
import { paramsOf } from "./child-params.ts";
import { isUnderWay } from "./descendants.ts";
import type { Of } from "../effects/deed.ts";
import { fillPath, placeOf } from "../submit/place.ts";
import type { NewChild, ChildRow, GraphKey } from "../ports/graphs.ts";
import { Later, needsPerson } from "../supervise/later.ts";
import type { Event } from "../../core/model/event.ts";
import type { Box, Works } from "../box.ts";
import { unmadeList } from "../../core/model/entry.ts";
import type { Run } from "../../core/model/run.ts";
import { isGood, standingOf, valueOf } from "../../core/gates/artifact-status.ts";
import { cut } from "../../core/tasks/view.ts";
import type { Listed } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";

export async function startTasks({ works, kept, deed }: Of<"start-tasks">): Promise<string> {
  const { store } = works;
  const { row, run } = kept;
  if (run.entry !== deed.entry) return "the run has gone on without them";
  const workflow = await works.workflow(row.definition);
  const found = childrenOf(workflow, deed.artifact);
  if (found === undefined) throw new Error(`nobody waits for the tasks of ${deed.artifact}`);
  const [artifact, reader] = found;
  const key = { parent: row.id, artifact, entry: deed.entry };
  if ((await store.graph(key)) !== undefined) return "they are under way";
  // They are stopped, because no run waits for them any more; until they have ended, they write into the same tree.
  const left = (await store.childrenOf(row.id)).filter(({ entry }) => entry !== deed.entry);
  if (left.some(isUnderWay)) throw new Later("tasks that were left must end first");
  const tasks = await tasksOf(works, kept, reader);
  const child = await works.library(reader.workflow, row.repo);
  requireFit(child, workflow, reader);
  await store.commit([{ type: "define", hash: child.hash(), definition: child.definition }]);
  const plan = fillPath(run, workflow.definition.artifacts[deed.artifact]?.file ?? "");
  // A task that is in no list runs again when its state is entered again.
  const taken = takenOver(tasks, reader.only === undefined ? await earlierOf(works, workflow, key) : []);
  const earlier = await recalled(works, kept, reader.earlier);
  const children = tasks.map((task) => ({
    task,
    params: paramsOf(child, { workflow, run, reader, task, plan, earlier }),
    ...endOf(taken.get(task.id)),
  }));
  await store.commit([
    { type: "put-graph", graph: { ...key, definition: child.hash(), most: reader.most }, children },
  ]);
  return `${tasks.length} tasks${taken.size === 0 ? "" : `, of which ${taken.size} are taken over`}`;
}

function endOf(earlier: Earlier | undefined): Partial<NewChild> {
  if (earlier === undefined) return {};
  const { outcome, summary, run, took } = earlier;
  return { outcome, summary, took: run === "" ? took : run };
}

function childrenOf({ definition }: Workflow, tasks: string): readonly [string, Children] | undefined {
  for (const [name, { reader }] of Object.entries(definition.artifacts))
    if (reader.type === "children" && reader.tasks === tasks) return [name, reader];
  return undefined;
}

function requireFit(child: Workflow, parent: Workflow, reader: Children): void {
  const [first] = objectionsTo(child, parent, reader);
  if (first === undefined) return;
  throw needsPerson(first, `mend ${parent.definition.name} or ${child.definition.name}`);
}

type Earlier = ChildRow & Past;

/**
 * What an earlier graph of the same artifact leaves to a new one.
 *
 * All of it is lost where its stage was restarted since: by `new`, or because the run was in another one meanwhile.
 */
async function earlierOf(
  { store }: Pick<Box, "store">,
  workflow: Workflow,
  { parent, artifact, entry }: GraphKey,
): Promise<readonly Earlier[]> {
  const rows = (await store.childrenOf(parent)).filter(
    (row) => row.artifact === artifact && row.entry < entry,
  );
  const last = rows.at(-1)?.entry;
  if (last === undefined) return [];
  const since = eventsSince(await store.events(parent), last);
  if (hasBegunAnew(workflow, artifact, since)) return [];
  const isWaived = since.some((event) => event.type === "waiver-given" && event.artifact === artifact);
  return rows.flatMap((row) => (row.entry === last ? pastOf(row, isWaived) : []));
}

/** What happened after the run entered a state for the so many-th time. */
function eventsSince(journal: readonly { readonly event: Event }[], entry: number): readonly Event[] {
  const events = journal.map(({ event }) => event);
  const moves = events.flatMap(({ type }, at) => (type === "moved" ? [at] : []));
  return events.slice((moves[entry - 1] ?? events.length) + 1);
}

function hasBegunAnew({ definition }: Workflow, artifact: string, since: readonly Event[]): boolean {
  const { states, moves, artifacts } = definition;
  const entered = since.filter((event) => event.type === "moved");
  const stage = states[entered.at(-1)?.to ?? ""]?.stage;
  return entered.some(({ rule, to }) => {
    const renewed = moves[rule]?.renew ?? [];
    const other = states[to]?.stage ?? stage;
    return (
      other !== stage || renewed.some((scope) => scope === stage || scope === artifacts[artifact]?.fresh)
    );
  });
}

/** The end of its run may not be recorded yet. */
function pastOf(row: ChildRow, isWaived: boolean): readonly Earlier[] {
  if (row.outcome === "done" || (row.outcome === "" && row.status === "done"))
    return [{ ...row, outcome: "done" }];
  return row.outcome === "skipped" || isWaived ? [{ ...row, outcome: "skipped" }] : [];
}

/** Those of the list, or the one that is in none. */
async function tasksOf(works: Works, kept: Kept, reader: Children): Promise<readonly Listed[]> {
  const { row, run } = kept;
  if (reader.only !== undefined) {
    const title = String(valueOf(run, reader.only.title)).replaceAll(/\s+/g, " ");
    return [{ id: reader.only.id, title: cut(title, TITLE_MAX), files: [], dependsOn: [] }];
  }
  await requireListed(works, kept, reader.tasks);
  const place = await placeOf(works, { run, workflow: await works.workflow(row.definition), id: row.id });
  return works.artifacts.tasks(place, reader.tasks);
}

const TITLE_MAX = 200;

/** Runs are made only of a list that counts, and only of the text that was read: its file may have changed since. */
async function requireListed(works: Works, { row, run }: Kept, artifact: string): Promise<void> {
  const workflow = await works.workflow(row.definition);
  const standing = standingOf(workflow, run, artifact);
  const file = workflow.definition.artifacts[artifact]?.file ?? artifact;
  if (!isGood(standing) && !isBrought(workflow, run, artifact))
    throw unheard(row.id, `${file} does not count: it is ${standing}`);
  const readings = await works.artifacts.read(await placeOf(works, { run, workflow, id: row.id }));
  const now = readings.find((reading) => reading.artifact === artifact)?.digest;
  const said =
    standing === "waived"
      ? await digestAtWaiver(works, row.id, artifact)
      : run.held[artifact]?.reading.digest;
  if (said !== undefined && now !== undefined && said !== now)
    throw unheard(
      row.id,
      `${file} is another one than was ${standing === "waived" ? "answered for" : "taken in"}`,
    );
}

/** A person who skips the stage that makes the list and supplies one answers for it, though it is older than the run. */
function isBrought({ definition }: Workflow, { held, params }: Run, artifact: string): boolean {
  const { by, reading } = held[artifact] ?? {};
  const isRead = reading?.found === true && reading.faults.length === 0;
  return by === "human" && isRead && unmadeList(definition, params)?.list === artifact;
}

/** A waiver holds for the content as it was when it was given; without an earlier reading, the first one after it. */
async function digestAtWaiver({ store }: Works, run: string, artifact: string): Promise<string | undefined> {
  let digest: string | undefined;
  let isGiven = false;
  for (const { event } of await store.events(run, 1, (await store.load(run))?.row.seq ?? 0)) {
    if (event.type === "waiver-given" && event.artifact === artifact) isGiven = true;
    const seen = digestIn(event, artifact);
    if (seen === undefined) continue;
    if (isGiven && digest !== undefined) break;
    digest = seen;
  }
  return digest;
}

function digestIn(event: Event, artifact: string): string | undefined {
  if (event.type === "artifact-seen" && event.key === artifact) return event.digest;
  return event.type === "artifact-read" && event.reading.artifact === artifact
    ? event.reading.digest
    : undefined;
}

function unheard(run: string, message: string): Error {
  const next = `signalbox show ${run} --verbose, then signalbox resume ${run} --restart-previous, or put the file right and signalbox resume ${run}`;
  return needsPerson(`no task is begun: ${message}`, next);
}
