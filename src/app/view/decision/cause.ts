/**
 * Why a run asks: what led to the question, in the words of whoever said it, so that nobody has to look for the file first.
 *
 * Only for people to read: nothing is decided by it.
 */

import { flatMapped } from "../../../engine/lists.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import { entriesOf } from "../../../core/projection/schedule.ts";
import { isGood } from "../../../core/gates/artifact-status.ts";
import { explainedStatus } from "../../../core/gates/status-reason.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import type { Event, Reading } from "../../../core/model/event.ts";
import type { Condition } from "../../../core/model/workflow.ts";
import type { Literal } from "../../../core/model/value.ts";
import { artifactsIn } from "../../../core/model/status.ts";
import { clipped } from "../../../engine/clip.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import type { Seen } from "../../runs/find.ts";
import { countsAs } from "../../story/lines.ts";
import { agentName, inOneLine, sayEnd } from "../words.ts";
import { owedBy } from "../status/trouble.ts";
import { findingsOf, notesOfTasks } from "./findings.ts";

/** The move that opened a question is among the last of these events. */
const BACK = 60;
const LINES_MAX = 20;

/** Lines; none where nothing is asked. */
export async function causeOf(seen: Seen): Promise<readonly string[]> {
  const subject = await subjectOf(seen);
  if (subject === undefined) return [];
  const { names, dead, when } = subject;
  return shortened([
    ...(await flatMapped([...names], (name) => said(seen, name))),
    ...(dead === undefined ? [] : [`${agentName(dead)} ${sayEnd(dead)}`]),
    ...when.flatMap((condition) =>
      condition.type === "counter" && condition.is === "spent" ? [`${condition.counter} is spent`] : [],
    ),
    ...(await notesOfTasks(seen)),
  ]);
}

/** What else the same documents say, on which nothing depends. */
export async function asideOf(seen: Seen): Promise<readonly string[]> {
  const subject = await subjectOf(seen);
  return shortened([...(subject?.names ?? [])].flatMap((name) => advised(seen, name)));
}

function shortened(lines: readonly string[]): readonly string[] {
  return lines.length <= LINES_MAX
    ? lines
    : [...lines.slice(0, LINES_MAX), `and ${lines.length - LINES_MAX} more`];
}

type Subject = {
  /** Artifacts that the question is about. */
  readonly names: ReadonlySet<string>;
  readonly dead: Extract<Event, { type: "agent-ended" }> | undefined;
  readonly when: readonly Condition[];
};

async function subjectOf(seen: Seen): Promise<Subject | undefined> {
  const { run, workflow } = seen;
  const shows = workflow.definition.asks[run.question?.ask ?? ""]?.shows;
  if (shows === undefined) return undefined;
  const events = await seen.store.events(run.id, Math.max(1, run.seq - BACK));
  const at = events.findLastIndex(({ event }) => event.type === "moved");
  const moved = events[at]?.event;
  const when = (moved?.type === "moved" ? workflow.definition.moves[moved.rule]?.when : undefined) ?? [];
  const dead = deathIn(events.slice(0, Math.max(0, at)));
  const owed = dead === undefined || moved?.type !== "moved" ? [] : owedBy(seen, dead.role, moved.from);
  // What a question shows where it is there need not be there.
  const shown = shows.filter((name) => run.held[name]?.reading.found === true);
  const names = new Set([...artifactsIn({ need: [], when }), ...shown, ...failedIn(seen), ...owed]);
  return { names, dead, when };
}

/** Whose end was counted, or was the end of a member, right before; these are the events up to the move. */
function deathIn(events: readonly Recorded[]): Extract<Event, { type: "agent-ended" }> | undefined {
  const from = events.findLastIndex(({ event }) => event.type === "agent-ended");
  const ended = events[from]?.event;
  if (ended?.type !== "agent-ended") return undefined;
  const since = events.slice(from + 1).map(({ event }) => event);
  const isOfThis = since.every(({ type }) => FOLLOWS.has(type));
  const isDeath = since.some(
    (event) => event.type === "counted" || (event.type === "slot-settled" && event.outcome === "failed"),
  );
  return isOfThis && isDeath ? ended : undefined;
}

/** What follows from the end of an agent before the run moves. */
const FOLLOWS: ReadonlySet<Event["type"]> = new Set([
  "artifact-read",
  "artifact-seen",
  "tree-seen",
  "agent-gone",
  "counted",
  "slot-settled",
]);

/** What the phase that failed should have made. */
function failedIn({ workflow, run }: Seen): readonly string[] {
  if (run.progress?.is !== "failed") return [];
  const at = entriesOf(workflow, run).find(({ phase }) => phase === run.progress?.phase);
  return (at?.gate?.required ?? []).flatMap(({ artifact, standing }) => (isGood(standing) ? [] : [artifact]));
}

/** What an artifact is, and what it says. */
async function said(seen: Seen, name: string): Promise<readonly string[]> {
  const { run, workflow } = seen;
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return [];
  if (artifact.reader.type === "children") return failedTasks(seen, name);
  const reading = run.held[name]?.reading;
  const head = headOf(seen, name, reading);
  const fields = Object.entries(reading?.fields ?? {}).filter(
    ([field]) => !isData(artifact) || !field.includes("."),
  );
  const words = fields.flatMap(([field, value]) =>
    typeof value === "string" && isFree(artifact, field) && value.trim() !== ""
      ? [`${field}: ${inLine(value)}`]
      : [],
  );
  const judged = isData(artifact) ? fields.filter(([, value]) => typeof value === "boolean") : [];
  const all = Object.entries(reading?.lists ?? {});
  const lists = all.flatMap(([list, items], index) =>
    items.length === 0 || isWithin(items, all.slice(0, index))
      ? []
      : [`${list}: ${inLine(items.join(", "))}`],
  );
  const failed = Object.entries(run.slots[name] ?? {}).flatMap(([slot, is]) =>
    is === "failed" ? [slot] : [],
  );
  const members = failed.length === 0 ? [] : [`failed: ${inLine(failed.join(", "))}`];
  const found = await findingsOf(seen, name);
  return [...(head === "" ? [] : [head]), ...words, ...found, ...inOne(judged), ...lists, ...members];
}

/** What stands deeper in what it says: nothing depends on it, so it comes last. */
function advised({ run, workflow }: Seen, name: string): readonly string[] {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined || !isData(artifact)) return [];
  const fields = Object.entries(run.held[name]?.reading.fields ?? {}).flatMap(([field, value]) => {
    const [group = "", key] = field.split(".");
    return key === undefined || value === "" ? [] : [{ group, key, value }];
  });
  return [...new Set(fields.map(({ group }) => group))].flatMap((group) => {
    const own = fields.filter((field) => field.group === group);
    return inOne(own.map(({ key, value }) => [key, value] as const)).map(
      (line) => `${group} of ${name}: ${line}`,
    );
  });
}

function isData({ reader }: Artifact): boolean {
  return reader.type === "json" || reader.type === "yaml";
}

function inOne(fields: readonly (readonly [string, Literal])[]): readonly string[] {
  return fields.length === 0
    ? []
    : [inLine(fields.map(([field, value]) => `${field}: ${String(value)}`).join(", "))];
}

/** A list may be a part of another one, which has been told. */
function isWithin(
  items: readonly string[],
  told: readonly (readonly [string, readonly string[]])[],
): boolean {
  return told.some(([, others]) => items.every((item) => others.includes(item)));
}

function headOf({ run, workflow }: Seen, name: string, reading: Reading | undefined): string {
  const { standing, reason, at } = explainedStatus(workflow, run, name);
  const told = fillPath(run, reason, "*");
  if (reading?.verdict === undefined || reading.faults.length > 0)
    return `${told}${at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`}`;
  const words = `${name} says ${reading.verdict}${countsAs(workflow, run, reading)}`;
  return standing === "stale" || standing === "invalid" ? `${words}: ${told}` : words;
}

/** A text of its author's own, and none of the words that a workflow reads. */
function isFree({ reader }: Artifact, field: string): boolean {
  // What the engine says of a deed is for nobody else to read.
  if (reader.type === "section" || reader.type === "fact") return true;
  if (reader.type !== "json" && reader.type !== "yaml") return false;
  if (reader.review?.verdictAt === field) return false;
  const { shape } = reader;
  const inner = shape?.type === "object" ? (shape.required[field] ?? shape.optional[field]) : undefined;
  return (
    inner === undefined || (inner.type === "text" && inner.values === undefined && inner.is === undefined)
  );
}

async function failedTasks({ store, run }: Seen, name: string): Promise<readonly string[]> {
  const all = (await store.childrenOf(run.id)).filter(({ artifact }) => artifact === name);
  const last = all.at(-1)?.entry;
  return all.flatMap(({ entry, outcome, task, summary, run: own }) => {
    if (entry !== last || outcome !== "failed") return [];
    // Whoever left nothing has said nothing: what became of the agent is in the run of the task.
    return [`task ${task.id} has failed: ${summary === "" ? `signalbox show ${own}` : inLine(summary)}`];
  });
}

function inLine(text: string): string {
  return clipped(inOneLine(text));
}
