/**
 * Ways back: the answers that a person can give now, or after one move to the state that asks, and the position of the run in its
 * stages.
 */

import type { Workflow } from "../model/compile.ts";
import type { Actor } from "../model/event.ts";
import { isOpen, targetOf } from "../gates/gate.ts";
import type { Run } from "../model/run.ts";
import { isEnabled } from "../projection/stages.ts";
import { step } from "../step/step.ts";

export type WayBack = {
  readonly option: string;
  /** The state that asks the question, if the run is not in it. */
  readonly through?: string;
};

/** The open ways, those of the current question first. */
export function waysBack(
  workflow: Workflow,
  run: Run,
  actor: { readonly by: Actor; readonly at: string },
): WayBack[] {
  const { states } = workflow.definition;
  const asking = (workflow.movesFrom[run.state] ?? [])
    .filter(({ by, answer }) => answer === undefined && by.includes("human"))
    .map((move) => targetOf(run, move))
    .filter((to) => states[to]?.ask !== undefined);
  const through = [...new Set(asking)].flatMap((to) => {
    const moved = step(workflow, run, { type: "move-asked", ...actor, to });
    if (!moved.ok || moved.run.state !== to) return [];
    return answersIn(workflow, moved.run).map((option) => ({ option, through: to }));
  });
  const own = answersIn(workflow, run).map((option) => ({ option }));
  return [...own, ...through.filter(({ option }) => !own.some((one) => one.option === option))];
}

function answersIn(workflow: Workflow, run: Run): string[] {
  if (run.question === undefined) return [];
  const moves = (workflow.movesFrom[run.state] ?? []).filter((move) =>
    // Resources are reserved when the move is requested.
    isOpen({ workflow, run, reserved: move.reserve }, move),
  );
  return [...new Set(moves.flatMap(({ answer }) => (answer === undefined ? [] : [answer])))];
}

export type StagePosition = {
  readonly stage: string;
  readonly phase: string;
  /** The first phase of its stage. */
  readonly first: string;
  /** The first phase of the previous enabled stage; empty if there is none. */
  readonly previous: string;
};

/** Undefined outside of all stages. A question belongs to the phase that it returns to. */
export function positionOf({ definition }: Workflow, run: Run): StagePosition | undefined {
  const stages = (definition.stages ?? []).filter((stage) => isEnabled(stage, run));
  const firstOf = (index: number): string => stages[index]?.phases?.[0]?.id ?? "";
  for (const state of statesBehind(run))
    for (const [index, { name, phases = [] }] of stages.entries()) {
      const phase = phases.find(({ states }) => states.includes(state));
      if (phase !== undefined)
        return { stage: name, phase: phase.id, first: firstOf(index), previous: firstOf(index - 1) };
    }
  return undefined;
}

/** The current state, then the states that it returns to. */
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
