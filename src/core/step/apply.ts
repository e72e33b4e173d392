/**
 * Applies one event to a run. It decides nothing: the event contains everything that changes.
 *
 * Invariant: the live run and the replayed run both come from this function and the same events.
 */

import type { Event, Reading, PhaseChange } from "../model/event.ts";
import {
  NO_RUN,
  slotKey,
  type Agent,
  type Run,
  RESTARTS_KEPT,
  type ScheduleProgress,
  type StageRestart,
} from "../model/run.ts";
import type { Workflow } from "../model/compile.ts";

/** A run that only its creator can reach. Objects below it are shared and never changed. */
export type OwnRun = { -readonly [K in keyof Run]: Run[K] };

export function apply(run: Run, event: Event): Run {
  const own: OwnRun = { ...run };
  change(own, event);
  return own;
}

/** Applies the event in place, for a caller that made the copy itself and applies several events to it. */
export function change(run: OwnRun, event: Event): void {
  run.seq += 1;
  applyAs(event.type, run, event);
}

type EventOf = { readonly [T in Event["type"]]: Extract<Event, { readonly type: T }> };

function applyAs<T extends Event["type"]>(type: T, run: OwnRun, event: EventOf[T]): void {
  CHANGES[type](run, event);
}

/** What each type of event changes. */
const CHANGES: { readonly [T in Event["type"]]: (run: OwnRun, event: EventOf[T]) => void } = {
  "run-started": begin,
  "move-asked": touch,
  submitted: touch,
  observed: touch,
  "agent-started": touch,
  "agent-ended": touch,
  "turn-reported": touch,
  answered: touch,
  waived: touch,
  "respawn-asked": touch,
  "param-set": (run, { name, value, at }) => {
    run.updatedAt = at;
    run.params = { ...run.params, [name]: value };
  },
  "permission-asked": (run, { by, at, id, tool, input }) => {
    run.updatedAt = at;
    if (by.type !== "agent") return;
    const { role, slot, attempt } = by;
    run.permissions = [...(run.permissions ?? []), { role, slot, attempt, id, tool, input, at }];
  },
  "permission-answered": touch,
  "permissions-dropped": touch,
  "permission-closed": (run, { id, tool, answer }) => {
    run.permissions = (run.permissions ?? []).filter((each) => each.id !== id);
    if (answer === "always") run.granted = [...(run.granted ?? []).filter((name) => name !== tool), tool];
  },
  "tree-seen": (run, { tree, drop }) => {
    run.tree = tree;
    for (const artifact of drop) run.waivers = without(run.waivers, artifact);
  },
  "artifact-seen": (run, { key, digest }) => {
    run.seen = { ...run.seen, [key]: digest };
  },
  "artifact-read": hold,
  moved: enter,
  counted: (run, { counter, value, renew: artifacts }) => {
    run.counters = { ...run.counters, [counter]: value };
    renew(run, artifacts);
  },
  "agent-called": call,
  "agent-alive": (run, event) => setStatus(run, event, "alive"),
  "agent-dismissed": (run, event) => setStatus(run, event, "stopping"),
  "agent-crashed": (run, event) => setStatus(run, event, "crashed"),
  "agent-gone": (run, { role, slot }) => {
    run.agents = without(run.agents, slotKey(role, slot));
  },
  "infrastructure-lost": (run, { times }) => {
    run.infrastructure = times;
  },
  "slots-opened": (run, { artifact, slots }) => {
    const open = Object.fromEntries(slots.map((slot) => [slot, "open" as const]));
    run.slots = { ...run.slots, [artifact]: open };
  },
  "slot-settled": (run, { artifact, slot, outcome }) => {
    run.slots = { ...run.slots, [artifact]: { ...run.slots[artifact], [slot]: outcome } };
  },
  "question-opened": ask,
  "question-repeated": ask,
  "parts-answered": ask,
  "question-closed": ask,
  "waiver-given": waive,
  "result-kept": () => {},
};

function touch(run: OwnRun, { at }: { readonly at: string }): void {
  run.updatedAt = at;
}

function hold(run: OwnRun, event: EventOf["artifact-read"]): void {
  const { reading, by, tree, inputs, accepted } = event;
  const key = slotKey(reading.artifact, reading.slot);
  const before = accepted === undefined ? {} : { accepted };
  run.held = { ...run.held, [key]: { reading: withoutWords(reading), by, tree, inputs, ...before } };
  if (run.seen[key] !== reading.digest) run.seen = { ...run.seen, [key]: reading.digest };
  if (event.again === true) run.baseline = without(run.baseline, key);
}

function call(run: OwnRun, { role, slot, attempt, inputs, seen, fan }: EventOf["agent-called"]): void {
  const given = { tree: run.tree, inputs, seen, ...(fan === undefined ? {} : { fan }) };
  setAgent(run, { role, slot, attempt, status: "called", ...given });
  run.attempts = { ...run.attempts, [role]: attempt };
}

type QuestionEvent = Extract<Event, { readonly ask: string; readonly id: string }>;

function ask(run: OwnRun, event: QuestionEvent): void {
  const { ask: name, id } = event;
  const { question } = run;
  const repeats = question?.repeats ?? 0;
  switch (event.type) {
    case "question-opened":
      run.question = { ask: name, id, repeats: 0 };
      return;
    case "question-repeated":
      run.question = { ...question, ask: name, id, repeats: repeats + 1 };
      return;
    case "parts-answered": {
      const { parts } = event;
      const kept = (question?.parts ?? []).filter(({ part }) => !parts.some((each) => each.part === part));
      run.question = { ask: name, id, repeats, parts: [...kept, ...parts] };
      return;
    }
    case "question-closed": {
      const { answer, text, by, parts } = event;
      const decision = { id, ask: name, answer, text, by, state: run.state, at: run.updatedAt };
      run.question = undefined;
      run.decisions = [...run.decisions, parts === undefined ? decision : { ...decision, parts }];
    }
  }
}

function withoutWords(reading: Reading): Reading {
  if (reading.review === undefined) return reading;
  const { review: _, ...rest } = reading;
  return rest;
}

function waive(run: OwnRun, event: EventOf["waiver-given"]): void {
  const { artifact, reason, tree, by, phase, inputs } = event;
  const about = inputs === undefined ? {} : { inputs };
  run.waivers = { ...run.waivers, [artifact]: { artifact, reason, tree, ...about, by, at: run.updatedAt } };
  if (phase !== undefined && run.progress !== undefined) run.progress = answerFor(run.progress, phase);
}

function begin(run: OwnRun, event: EventOf["run-started"]): void {
  const { run: id, definition, params, tree = "", at } = event;
  Object.assign(run, NO_RUN, { id, definition, params, tree, seq: 1, startedAt: at, updatedAt: at });
}

function enter(run: OwnRun, event: EventOf["moved"]): void {
  if (event.phase !== undefined)
    run.progress = advance(run.progress, event.phase, { rule: event.rule, at: run.updatedAt });
  if (event.set !== undefined) run.params = { ...run.params, ...event.set };
  run.frames = framesAfter(run, event);
  run.state = event.to;
  run.entry += 1;
  run.infrastructure = 0;
  reset(run, event.reset);
  renew(run, event.renew);
}

/** A nested question keeps the outer frame; a move to any other state drops all frames. */
function framesAfter({ frames }: Run, event: EventOf["moved"]): Run["frames"] {
  if (event.remember) return [...frames, { state: event.to, from: event.from }];
  if (frames.length === 0) return frames;
  return frames.slice(0, frames.findLastIndex((frame) => frame.state === event.to) + 1);
}

function reset(run: OwnRun, names: readonly string[]): void {
  if (!names.some((name) => (run.counters[name] ?? 0) !== 0)) return;
  const counters = { ...run.counters };
  for (const name of names) counters[name] = 0;
  run.counters = counters;
}

/** From now on these artifacts must change: their current content becomes the baseline. */
function renew(run: OwnRun, artifacts: readonly string[]): void {
  for (const artifact of artifacts) {
    for (const key in run.held) {
      const held = run.held[key];
      if (held?.reading.artifact !== artifact) continue;
      const { accepted, ...rest } = held;
      // The current text must change, and so must the accepted text that it replaced.
      if (accepted !== undefined) run.held = { ...run.held, [key]: rest };
      const { digest } = held.reading;
      if (run.baseline[key] !== digest) run.baseline = { ...run.baseline, [key]: digest };
    }
    if (artifact in run.waivers) run.waivers = without(run.waivers, artifact);
    if (artifact in run.slots) run.slots = without(run.slots, artifact);
  }
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  const { [name]: _gone, ...rest } = record;
  return rest;
}

function setAgent(run: OwnRun, agent: Agent): void {
  run.agents = { ...run.agents, [slotKey(agent.role, agent.slot)]: agent };
}

function setStatus(
  run: OwnRun,
  event: { role: string; slot: string; attempt: number },
  status: Agent["status"],
): void {
  const { role, slot, attempt } = event;
  const known = run.agents[slotKey(role, slot)] ?? { tree: run.tree, inputs: {}, seen: {} };
  setAgent(run, { ...known, role, slot, attempt, status });
}

/** The move that changes the phase, and its time. */
type PhaseMove = { readonly rule: number; readonly at: string };

function advance(
  before: ScheduleProgress | undefined,
  next: PhaseChange,
  { rule, at }: PhaseMove,
): ScheduleProgress {
  const { phases = {}, restarted = [] } = before ?? {};
  const now = { phase: next.phase, is: next.type, rule, since: at };
  if (next.type !== "begun") return { ...now, phases, restarted };
  const { phase, restarts } = next;
  const times = (phases[phase]?.times ?? 0) + 1;
  const begun = { ...now, phases: { ...phases, [phase]: { times } } };
  if (restarts === undefined) return { ...begun, restarted };
  const earlier = restarted.findLast(({ stage }) => stage === restarts)?.restart ?? 0;
  const last: StageRestart = {
    stage: restarts,
    from: before?.phase ?? phase,
    to: phase,
    restart: earlier + 1,
    rule,
    at,
  };
  return { ...begun, restarts, restarted: [...restarted, last].slice(-RESTARTS_KEPT) };
}

/** A person waives the result of the phase, until the phase starts again. */
function answerFor(progress: ScheduleProgress, phase: string): ScheduleProgress {
  const { times = 0 } = progress.phases[phase] ?? {};
  return { ...progress, phases: { ...progress.phases, [phase]: { times, waived: true } } };
}

/** Builds a run from its journal. Throws if the journal belongs to another definition: a run never changes its definition. */
export function replay(workflow: Workflow, events: Iterable<Event>): Run {
  let run = NO_RUN;
  for (const event of events) run = apply(run, event);
  if (run.seq > 0 && run.definition !== workflow.hash()) {
    throw new Error(`run ${run.id} belongs to definition ${run.definition}, not to ${workflow.hash()}`);
  }
  return run;
}
