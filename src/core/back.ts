/** Ways back: what a person can answer now, or after one move to where it is asked, and where in its stages a run is. */

import type { Workflow } from "./compile.ts";
import { phasesOf } from "./entry.ts";
import type { Actor } from "./event.ts";
import { isOpen, targetOf } from "./gate.ts";
import type { Run } from "./run.ts";
import { isEnabled } from "./stages.ts";
import { step } from "./step.ts";

export type WayBack = {
  readonly option: string;
  /** The state that asks it, where the run is not there yet. */
  readonly through?: string;
};

/** The open ones, those of the present question first. */
export function waysBack(
  workflow: Workflow,
  run: Run,
  on: { readonly by: Actor; readonly at: string },
): WayBack[] {
  const { states } = workflow.definition;
  const asking = (workflow.movesFrom[run.state] ?? [])
    .filter(({ by, answer }) => answer === undefined && by.includes("human"))
    .map((move) => targetOf(run, move))
    .filter((to) => states[to]?.ask !== undefined);
  const through = [...new Set(asking)].flatMap((to) => {
    const moved = step(workflow, run, { type: "move-asked", ...on, to });
    if (!moved.ok || moved.run.state !== to) return [];
    return answersIn(workflow, moved.run).map((option) => ({ option, through: to }));
  });
  const own = answersIn(workflow, run).map((option) => ({ option }));
  return [...own, ...through.filter(({ option }) => !own.some((one) => one.option === option))];
}

function answersIn(workflow: Workflow, run: Run): string[] {
  if (run.question === undefined) return [];
  const moves = (workflow.movesFrom[run.state] ?? []).filter((move) =>
    // What it reserves is found when it is asked for.
    isOpen({ workflow, run, reserved: move.reserve }, move),
  );
  return [...new Set(moves.flatMap(({ answer }) => (answer === undefined ? [] : [answer])))];
}

export type Position = {
  readonly stage: string;
  /** Where its phase begins. */
  readonly phase: string;
  /** Where its stage begins. */
  readonly first: string;
  /** Where the stage before it begins that is part of this run; empty where there is none. */
  readonly previous: string;
};

/** Undefined outside of all stages. A question belongs to the phase that it goes back to. */
export function positionOf(workflow: Workflow, run: Run): Position | undefined {
  const { definition } = workflow;
  const stages = (definition.stages ?? []).filter((stage) => isEnabled(stage, run));
  const begins = stages.map(({ name }) => phasesOf(definition, name));
  for (const state of statesBehind(run)) {
    const phase = phaseOf(begins.flat(), state);
    const index = begins.findIndex((own) => phase !== undefined && own.includes(phase));
    const stage = stages[index];
    if (phase === undefined || stage === undefined) continue;
    const [first = ""] = begins[index] ?? [];
    return { stage: stage.name, phase, first, previous: begins[index - 1]?.[0] ?? "" };
  }
  return undefined;
}

/** Where the run is, then where it came from to be asked there. */
function statesBehind({ state, frames }: Run): string[] {
  const from: string[] = [];
  let at = state;
  for (const frame of frames.toReversed()) {
    if (frame.state !== at) continue;
    from.push(frame.from);
    at = frame.from;
  }
  return [state, ...from];
}

/** The phase whose state it is, also where that is for fixes, or for making one of many parts. */
function phaseOf(phases: readonly string[], state: string): string | undefined {
  return (
    phases.find((phase) => phase === state) ??
    phases.find((phase) => `${phase}-fix` === state || `${phase}-merge` === state)
  );
}
