/**
 * History in sentences: one line for each thing that a person cares about.
 *
 * A line is told from one act and what followed from it. What only the engine cares about has no sentence: `history --events` has all.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Actor, Event, Incoming, Reading } from "../../core/model/event.ts";
import type { Verb } from "../../core/model/workflow.ts";
import type { Recorded } from "../../engine/ports/journal.ts";
import { capitalised, firstLine, sayRole, agentName } from "../view/words.ts";
import { tellReport } from "../view/cost/words.ts";
import type { Attempt } from "../../core/model/run.ts";

export type Teller = (group: readonly Recorded[], followed: readonly string[]) => string;

/** Tells one act after the other; remembers why agents were dismissed, because they end later. */
export function tellerOf({ definition }: Workflow, counts: (reading: Reading) => string): Teller {
  const dismissed = new Map<string, string>();
  const judged = new Set<string>();
  let isOver = "";

  function note(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "artifact-read" && event.reading.verdict !== undefined)
        for (const role of definition.artifacts[event.reading.artifact]?.by ?? []) judged.add(role);
      if (event.type === "moved") isOver = definition.states[event.to]?.final === undefined ? "" : event.to;
      if (event.type === "agent-called") judged.delete(event.role);
    }
    for (const event of events)
      if (event.type === "agent-dismissed") dismissed.set(keyOf(event), whyDismissed(event));
  }

  function whyDismissed({ role }: Attempt): string {
    if (isOver !== "") return `the run is ${isOver}`;
    return judged.has(role) ? "its review is in" : "it is no longer needed";
  }

  return (group, followed) => {
    const [first, ...rest] = group;
    if (first === undefined) return "";
    const events = rest.map(({ event }) => event);
    note(events);
    const { event, by } = first;
    const moved = events.find((each) => each.type === "moved");
    const verb = by.type === "human" ? verbOf(moved) : undefined;
    const said = sayAct({
      event,
      by,
      events,
      dismissed,
      moved,
      counts,
      isStart: isStart(moved),
      verb,
      named,
    });
    const started = sayStarted(events);
    const other = sayOther(events, followed);
    return [said, started, ...other]
      .filter((part) => part !== "")
      .map((part) => (/[.!?"]$/.test(part) ? part : `${part}.`))
      .join(" ");
  };

  /** A number says nothing without its title. */
  function named(state: string): string {
    const title = definition.states[state]?.title ?? "";
    return /^\d/.test(state) && title !== "" ? `${state} (${title})` : state;
  }

  /** What the move means to the person who asked for it. Where accepting delivers, the move alone does not say that it did. */
  function verbOf(moved: Event | undefined): Verb | undefined {
    if (moved?.type !== "moved") return undefined;
    const ofOneStep = definition.verbs?.find(
      ({ in: state, path: [step, ...more] }) =>
        state === moved.from &&
        more.length === 0 &&
        (step?.type === "origin" || (step?.type === "state" && step.state === moved.to)),
    );
    const mark = definition.moves[moved.rule]?.mark ?? ofOneStep;
    return mark?.deliver === true ? undefined : mark?.verb;
  }

  /** A workspace is what a run begins with. */
  function isStart(moved: Event | undefined): boolean {
    return moved?.type === "moved" && (definition.moves[moved.rule]?.reserve.length ?? 0) > 0;
  }
}

type Act = {
  readonly event: Event;
  readonly by: Actor;
  readonly events: readonly Event[];
  readonly dismissed: ReadonlyMap<string, string>;
  readonly moved: Event | undefined;
  readonly isStart: boolean;
  readonly verb: Verb | undefined;
  /** A state as people know it. */
  readonly named: (state: string) => string;
  /** What a claim that its own issues contradict counts as. */
  readonly counts: (reading: Reading) => string;
};

function sayAct({ event, by, events, dismissed, moved, counts, isStart, verb, named }: Act): string {
  const who = sayWho(by);
  const to = moved?.type === "moved" ? named(moved.to) : "";
  const now = to === "" ? "" : ` Now: ${to}.`;
  const act = incoming(event);
  switch (act?.type) {
    case undefined:
      return to === "" ? "" : `Now: ${to}`;
    case "run-started":
      return `${who} ${isStart ? "started" : "created"} it: ${to}`;
    case "move-asked":
      // A path is of several moves: the first does not say what it is for.
      return act.through === undefined
        ? `${sayMove({ by, who, to: to || named(act.to), isStart, verb })}${sayNote(act.note)}`
        : `${sayMove({ by, who, to: named(act.to), isStart, verb: undefined })}${sayNote(act.note)}`;
    case "submitted":
      return `${saySubmitted(who, events, counts)}${now}`.trim();
    case "observed":
      return sayObserved(events, { to, isStart, counts });
    case "agent-started":
      return "";
    case "agent-ended":
      return `${sayEnded(act, { dismissed, events, counts })}${now}`.trim();
    case "turn-reported":
      return tellReport(act);
    case "answered":
      return `${who} answered ${sayAnswer(act)}${to === "" ? "" : `: ${to}`}`;
    case "waived":
      return `${who} waived ${act.artifact}: ${firstLine(act.reason)}${now === "" ? "" : `.${now}`}`;
    case "respawn-asked":
      return `${who} started the ${act.role} again`;
    case "param-set":
      return `${who} set ${act.name} to ${firstLine(act.value)}`;
    case "permission-asked":
      return `${who} asks for permission: ${act.tool}: ${firstLine(act.input)}`;
    case "permission-answered":
      return `${who} ${sayPermission(act.answer)} ${toolIn(events)}`.trimEnd();
    case "permissions-dropped":
      return "";
  }
}

const INCOMING: ReadonlySet<string> = new Set<Incoming["type"]>([
  "run-started",
  "move-asked",
  "submitted",
  "observed",
  "agent-started",
  "agent-ended",
  "turn-reported",
  "answered",
  "waived",
  "respawn-asked",
  "param-set",
  "permission-asked",
  "permission-answered",
  "permissions-dropped",
]);

export function isIncoming(event: Event): event is Incoming {
  return INCOMING.has(event.type);
}

function incoming(event: Event): Incoming | undefined {
  return isIncoming(event) ? event : undefined;
}

function sayWho(by: Actor): string {
  switch (by.type) {
    case "human":
      return by.name ?? "A person";
    case "engine":
      return "The engine";
    case "agent":
      return capitalised(agentName(by));
  }
}

function sayMove({
  by,
  who,
  to,
  isStart,
  verb,
}: Pick<Act, "by" | "isStart" | "verb"> & { readonly who: string; readonly to: string }): string {
  if (isStart) return `${who} started it: ${to}`;
  if (by.type === "agent") return `${who} went on to ${to}`;
  switch (verb) {
    case undefined:
      return `${who} moved it to ${to}`;
    case "answer":
      return `${who} answered, and it went on to ${to}`;
    case "accept":
      return `${who} accepted it, and it went on to ${to}`;
    case "send-back":
      return `${who} sent it back to ${to}`;
    case "retry":
      return `${who} had it try again: ${to}`;
    case "cancel":
      return `${who} cancelled it`;
  }
}

function sayPermission(answer: Extract<Incoming, { type: "permission-answered" }>["answer"]): string {
  return { allow: "allowed once:", always: "allowed for the rest of the run:", deny: "denied:" }[answer];
}

function toolIn(events: readonly Event[]): string {
  const closed = events.find((event) => event.type === "permission-closed");
  return closed?.type === "permission-closed" ? closed.tool : "";
}

function sayNote(note: string | undefined): string {
  const words = firstLine(note ?? "");
  return words === "" ? "" : `: "${words}"`;
}

function readingsIn(events: readonly Event[]): readonly Reading[] {
  return events.flatMap((event) =>
    event.type === "artifact-read" && event.reading.found ? [event.reading] : [],
  );
}

function saySubmitted(who: string, events: readonly Event[], counts: Act["counts"]): string {
  const readings = readingsIn(events);
  return readings.length === 0
    ? `${who} submitted what is known already.`
    : readings.map((reading) => `${sayReading(who, reading)}${counts(reading)}.`).join(" ");
}

/** What a submission is: a verdict, an artifact, or something that was rejected. */
function sayReading(who: string, reading: Reading): string {
  const { artifact, slot, verdict, faults } = reading;
  const name = slot === "" ? artifact : `${artifact}/${slot}`;
  const [fault] = faults;
  if (fault !== undefined) return `${who} submitted ${name}: rejected, ${firstLine(fault.reason)}`;
  if (verdict === undefined) return `${who} submitted ${name}: accepted`;
  switch (verdict) {
    case "pass":
      return `${who} passed it${aside(name)}`;
    case "pass_with_notes":
      return `${who} passed it with notes${aside(name)}`;
    case "needs_fix":
      return `${who} asked for changes${sayCount(reading)}`;
    case "needs_human":
      return `${who} asks for a person`;
    case "reject":
      return `${who} rejected it`;
  }
}

/** Where a workflow has one review, its name says nothing new. */
function aside(name: string): string {
  return name === "review" ? "" : ` (${name})`;
}

function sayCount({ issues, review }: Reading): string {
  const counts = Object.values(issues ?? {}).filter((value) => typeof value === "number");
  const count =
    review === undefined ? counts.reduce((sum, each) => sum + each, 0) : review.issues.length + review.more;
  return count === 0 ? "" : ` (${count} ${count === 1 ? "finding" : "findings"})`;
}

function sayObserved(
  events: readonly Event[],
  { to, isStart, counts }: { readonly to: string } & Pick<Act, "isStart" | "counts">,
): string {
  const readings = readingsIn(events).filter(
    ({ verdict, faults }) => verdict !== undefined || faults.length > 0,
  );
  if (isStart) return `Its turn came: ${to}`;
  const said = readings.map((reading) => {
    const { artifact, verdict, faults } = reading;
    const [fault] = faults;
    if (fault !== undefined) return `${capitalised(artifact)} is invalid: ${firstLine(fault.reason)}`;
    return `${capitalised(artifact)}: ${verdict ?? ""}${counts(reading)}`;
  });
  const merged = readingsIn(events).flatMap(sayMerged);
  return [...said, ...merged, ...(to === "" ? [] : [`Now: ${to}`])].join(". ");
}

function sayEnded(
  event: Extract<Incoming, { type: "agent-ended" }>,
  { dismissed, events, counts }: Pick<Act, "dismissed" | "events" | "counts">,
): string {
  const who = sayRole(agentName(event));
  const why = dismissed.get(keyOf(event));
  if (why !== undefined) return `${who} stopped: ${why}.`;
  const isLate = events.some(({ type }) => type === "result-kept");
  if (isLate) return `${who} (attempt ${event.attempt}) ended late: its result is kept and not used.`;
  // A death is counted first. A move counts as well, for example rounds of fixes, and then the agent has submitted something.
  const decisive = events.find(({ type }) => type === "moved" || type === "counted");
  const verdicts = readingsIn(events).filter(({ verdict }) => verdict !== undefined);
  const isCounted = decisive?.type === "counted" && verdicts.length === 0;
  const isCrash = isCounted || events.some(({ type }) => type === "agent-crashed");
  const { code, cause } = event;
  const how = code === undefined ? cause : `${cause}, exit code ${code}`;
  if (isCrash) return `${who} stopped without submitting what it owes (${how}).`;
  const against = verdicts.filter(({ verdict }) => verdict !== "pass" && verdict !== "pass_with_notes");
  if (against.length > 0)
    return against.map((reading) => `${sayReading(who, reading)}${counts(reading)}.`).join(" ");
  return code === 0 && cause === "exited" ? `${who} finished its turn.` : `${who} ended (${how}).`;
}

function sayAnswer({ answer, parts, text = "" }: Extract<Incoming, { type: "answered" }>): string {
  if (parts !== undefined)
    return parts.map(({ part, answer: one }) => `${firstLine(part)}: ${one}`).join("; ");
  return `${answer}${text === "" ? "" : ` ("${firstLine(text)}")`}`;
}

/** Many agents of one role are one sentence. */
function sayStarted(events: readonly Event[]): string {
  const called = events.filter((event) => event.type === "agent-called");
  const roles = [...new Set(called.map(({ role }) => role))];
  return roles
    .map((role) => {
      const own = called.filter((event) => event.role === role);
      const [first] = own;
      if (own.length > 1) return `${own.length} ${role}s started.`;
      return `${sayRole(role)} started${first === undefined || first.attempt === 1 ? "" : ` (attempt ${first.attempt})`}.`;
    })
    .join(" ");
}

/** What else followed and matters, in the words of the journal. */
function sayOther(events: readonly Event[], followed: readonly string[]): readonly string[] {
  const told = events.flatMap((event): readonly string[] => {
    if (event.type === "question-opened") return [`It asks ${event.id}`];
    if (event.type === "question-repeated") return [`It asks ${event.id} again: ${firstLine(event.reason)}`];
    if (event.type === "infrastructure-lost")
      return [
        event.cause === "outdated"
          ? "The work changed meanwhile, so no verdict about the earlier work counts; the present work is reviewed"
          : `Lost with the machine or the terminal (${event.times} so far)`,
      ];
    if (event.type === "agent-crashed" && event.foreign !== undefined)
      return [
        `${sayRole(event.role)} is not started: ${event.foreign.join(", ")} was changed by another author`,
      ];
    if (event.type === "slot-settled" && event.outcome === "failed")
      return [`${event.artifact}/${event.slot} failed`];
    if (event.type === "moved")
      return Object.entries(event.set ?? {}).map(
        ([name, value]) => `${name} is ${firstLine(value) || "empty"}`,
      );
    return [];
  });
  return followed.length === 0 ? [] : told;
}

/** Work that looks merged elsewhere: where it was seen. Only a person ends the run for it. */
function sayMerged({ fields: { ref, commit, by } }: Reading): readonly string[] {
  if (typeof ref !== "string" || typeof commit !== "string" || typeof by !== "string") return [];
  const where = `${ref}, commit ${commit.slice(0, HASH_SHOWN)} by ${by}`;
  return [`It looks merged: ${where}`];
}

const HASH_SHOWN = 12;

function keyOf({ role, slot, attempt }: Attempt): string {
  return `${role}/${slot}/${attempt}`;
}

/** Lines that have a sentence, as they are printed. */
export function sayStory<L extends { readonly at: string; readonly text: string }>(
  lines: readonly L[],
): readonly L[] {
  return lines.filter(({ text }) => text !== "");
}
