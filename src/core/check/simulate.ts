/**
 * A random walk through a workflow without any agent: chance picks one of the possible events, and the real `step` decides what
 * follows.
 *
 * The weights produce a plausible run: most work succeeds, some reviews fail, an agent crashes now and then.
 */

import type { ParamValues } from "../model/value.ts";
import { possible, stepsOf, type Happening, type HappeningStep } from "./explore/possible.ts";
import { startsOf } from "./explore/explore.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event, Incoming } from "../model/event.ts";
import { NO_RUN, type Run } from "../model/run.ts";
import { FACTS } from "../model/vocabulary.ts";

/** *helpful* people act where the run waits for them and want it done; *random* ones do anything that is allowed. */
type PeopleKind = "helpful" | "random";

type WalkStep = {
  readonly event: Incoming;
  /** The consequences of the event, and the run after them. */
  readonly events: readonly Event[];
  readonly run: Run;
};

/** *final*: the run is over. *limit*: the walk used all its steps. *stranded*: no event was possible. */
export type SimulatedWalk = {
  readonly steps: readonly WalkStep[];
  readonly end: "final" | "limit" | "stranded";
};

/** `chance` returns numbers from 0 to below 1. */
export type Dice = { readonly chance: () => number; readonly steps: number; readonly people: PeopleKind };

type WeighedEvent = WalkStep & {
  readonly human: boolean;
  readonly before: Run;
  /** Ends with the event. */
  readonly steps: readonly HappeningStep[];
};

export function simulate(workflow: Workflow, params: ParamValues, dice: Dice): SimulatedWalk {
  const steps: WalkStep[] = [];
  let run: Run = NO_RUN;
  while (steps.length < dice.steps) {
    const happenings = steps.length === 0 ? startsOf(workflow, params) : possible(workflow, run);
    const candidates = happenings.flatMap((happening) => attempt(workflow, run, happening));
    const chosen = pick(candidates, dice, (candidate) => weigh(workflow, candidate, dice.people));
    if (chosen === undefined) return { steps, end: "stranded" };
    for (const { event, after } of chosen.steps) steps.push({ event, events: after.events, run: after.run });
    ({ run } = chosen);
    if (workflow.definition.states[run.state]?.final !== undefined) return { steps, end: "final" };
  }
  return { steps, end: "limit" };
}

function attempt(workflow: Workflow, before: Run, happening: Happening): WeighedEvent[] {
  const { event, human } = happening;
  const steps = stepsOf(workflow, before, happening);
  return steps
    .slice(-1)
    .map(({ after }) => ({ event, human, before, events: after.events, run: after.run, steps }));
}

/** If all weights are zero, any candidate is picked. */
function pick(
  candidates: readonly WeighedEvent[],
  { chance }: Dice,
  weight: (candidate: WeighedEvent) => number,
): WeighedEvent | undefined {
  const weights = candidates.map(weight);
  const sum = weights.reduce((total, each) => total + each, 0);
  if (sum === 0) return candidates[Math.floor(chance() * candidates.length)];
  let left = chance() * sum;
  return candidates.find((_, index) => (left -= weights[index] ?? 0) < 0) ?? candidates.at(-1);
}

const LIKELY = 8;
const USUAL = 3;
const SOMETIMES = 0.5;
const RARE = 0.1;

function isStirring({ type }: Event): boolean {
  return STIRRING.has(type);
}

const STIRRING: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "moved",
  "counted",
  "agent-called",
  "agent-crashed",
  "slot-settled",
  "question-repeated",
  "waiver-given",
]);

function weigh(workflow: Workflow, candidate: WeighedEvent, people: PeopleKind): number {
  const { event, human, before, run } = candidate;
  if (event.type === "run-started") return event.to === workflow.movesFrom["start"]?.[0]?.to ? LIKELY : RARE;
  // An event without consequences makes a dull story.
  if (!candidate.events.some(isStirring)) return 0;
  // What the event waits for happens outside the run, and seldom.
  if (candidate.steps.length > 1) return RARE;
  if (human && people === "random") return 1;
  if (human) return weighPerson(workflow, candidate);
  switch (event.type) {
    case "agent-ended":
      return event.readings === undefined ? SOMETIMES : RARE;
    case "observed":
      return isFact(workflow, event) ? RARE : event.readings === undefined ? RARE : LIKELY;
    case "submitted":
      return LIKELY;
    case "move-asked":
      // An agent that continues is more common than one that calls for a person.
      return workflow.definition.states[run.state]?.waits === true && run.state !== before.state
        ? SOMETIMES
        : LIKELY;
    case "agent-started":
    case "turn-reported":
    case "answered":
    case "waived":
    case "respawn-asked":
    case "param-set":
    case "permission-asked":
    case "permission-answered":
    case "permissions-dropped":
      return 1;
  }
}

/** A person acts only where the run waits for people, and does not cancel a run that can still be done. */
function weighPerson(workflow: Workflow, { event, before, run }: WeighedEvent): number {
  const { states } = workflow.definition;
  const { final } = states[run.state] ?? {};
  if (final === "cancelled" || final === "failed") return 0;
  if (event.type === "respawn-asked") return LIKELY;
  const isAwaited = states[before.state]?.waits === true;
  if (!isAwaited) return 0;
  if (final === "done") return LIKELY;
  if (run.state === before.state) return RARE;
  return event.type === "answered" || event.type === "move-asked" ? USUAL : SOMETIMES;
}

/** A fact about the outside world, such as a merge by other means: possible at any time, and rare. */
function isFact(workflow: Workflow, event: Extract<Incoming, { type: "observed" }>): boolean {
  const { artifacts } = workflow.definition;
  return (event.readings ?? []).some(({ artifact }) => {
    const reader = artifacts[artifact]?.reader;
    return reader?.type === "fact" && FACTS[reader.fact]?.deed === undefined;
  });
}
