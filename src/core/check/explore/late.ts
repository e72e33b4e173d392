/** Parameters that only decide how a run comes to its end: behind their guards no agent is started, and nothing is counted. */

import type { Workflow } from "../../model/compile.ts";
import type { Action, Move } from "../../model/workflow.ts";
import { reachedWith } from "./reach.ts";

export function lateParams(workflow: Workflow): string[] {
  const { params, moves } = workflow.definition;
  return Object.keys(params).filter((name) => {
    const guarded = moves.filter((move) => isGuardedBy(move, name));
    return (
      guarded.length > 0 && guarded.every((move) => isNever(workflow, move) || isQuiet(workflow, move, name))
    );
  });
}

function isGuardedBy({ when }: Move, name: string): boolean {
  return when.some((condition) => condition.type === "param" && condition.param === name);
}

/** Neither by itself nor by what the engine does next, and no other parameter decides there. What a person does begins a new stretch. */
function isQuiet(workflow: Workflow, first: Move, param: string): boolean {
  const { definition, movesFrom } = workflow;
  const seen = new Set<string>();
  const open = [first];
  for (const move of open) {
    if (move.count.length > 0 || move.do.some(isStart) || readsOther(workflow, move, param)) return false;
    const state = definition.states[move.to];
    if (state === undefined || state.enter.some(isStart)) return false;
    if (seen.has(move.to)) continue;
    seen.add(move.to);
    open.push(...(movesFrom[move.to] ?? []).filter(({ by }) => by.some((who) => who !== "human")));
  }
  return true;
}

/** Whether no run gets there with the parameters that it asks for. */
function isNever(workflow: Workflow, { from, when }: Move): boolean {
  return when.some(
    (condition) =>
      condition.type === "param" &&
      condition.in.every((value) => !reachedWith(workflow, { [condition.param]: value }).has(from)),
  );
}

/** Whether another parameter decides: a word about one that has the same value in all runs that get there decides nothing. */
function readsOther(workflow: Workflow, { from, when }: Move, param: string): boolean {
  return when.some((condition) => {
    if (condition.type !== "param" || condition.param === param) return false;
    const others = workflow.definition.params[condition.param]?.type === "bool" ? [true, false] : undefined;
    return (
      others?.some(
        (value) =>
          !condition.in.includes(value) && reachedWith(workflow, { [condition.param]: value }).has(from),
      ) ?? true
    );
  });
}

function isStart(action: Action): boolean {
  return action.type.startsWith("start") || action.type === "tell" || action.type === "run";
}
