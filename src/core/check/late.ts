/** Parameters that only decide how a run comes to its end: behind their guards no agent is started, and nothing is counted. */

import type { Workflow } from "../compile.ts";
import type { Action, Move } from "../workflow.ts";

export function lateParams(workflow: Workflow): string[] {
  const { params, moves } = workflow.definition;
  return Object.keys(params).filter((name) => {
    const guarded = moves.filter((move) => isGuardedBy(move, name));
    return guarded.length > 0 && guarded.every((move) => isQuiet(workflow, move, name));
  });
}

function isGuardedBy({ when }: Move, name: string): boolean {
  return when.some((condition) => condition.type === "param" && condition.param === name);
}

/** Neither by itself nor by what the engine does next, and no other parameter decides there. What a person does begins a new stretch. */
function isQuiet({ definition, movesFrom }: Workflow, first: Move, param: string): boolean {
  const seen = new Set<string>();
  const open = [first];
  for (const move of open) {
    if (move.count.length > 0 || move.do.some(isStart) || readsOther(move, param)) return false;
    const state = definition.states[move.to];
    if (state === undefined || state.enter.some(isStart)) return false;
    if (seen.has(move.to)) continue;
    seen.add(move.to);
    open.push(...(movesFrom[move.to] ?? []).filter(({ by }) => by.some((who) => who !== "human")));
  }
  return true;
}

function readsOther({ when }: Move, param: string): boolean {
  return when.some((condition) => condition.type === "param" && condition.param !== param);
}

function isStart(action: Action): boolean {
  return action.type.startsWith("start") || action.type === "tell" || action.type === "run";
}
