/** The states that runs with given parameters can reach, by the moves alone. */

import type { ParamValues } from "../../model/value.ts";
import type { Workflow } from "../../model/compile.ts";
import { ORIGIN, START, type Condition, type Move } from "../../model/workflow.ts";

/** A missing parameter may have any value. The origin of a run is a state that it has visited. */
export function reachedWith({ movesFrom }: Workflow, params: ParamValues): ReadonlySet<string> {
  const reached = new Set([START]);
  /** For each state that remembers its origin, the possible origins. */
  const origins = new Map<string, Set<string>>();
  const isOpen = ({ from, when }: Move): boolean =>
    when.every(
      (condition) =>
        isOpenWith(condition, params) &&
        (condition.type !== "origin" || condition.in.some((state) => isOrigin(origins.get(from), state))),
    );
  // A new way into a state may open moves of states that were examined before.
  for (let size = -1; size !== sizeOf(reached, origins);) {
    size = sizeOf(reached, origins);
    for (const state of reached) {
      for (const move of (movesFrom[state] ?? []).filter(isOpen)) {
        for (const to of move.to === ORIGIN ? (origins.get(state) ?? []) : [move.to]) {
          reached.add(to);
          if (move.remember) origins.set(to, (origins.get(to) ?? new Set<string>()).add(state));
        }
      }
    }
  }
  return reached;
}

/** Where nothing is remembered, the origin has no name. */
function isOrigin(known: ReadonlySet<string> | undefined, state: string): boolean {
  return state === "" || known?.has(state) === true;
}

export function isOpenWith(condition: Condition, params: ParamValues): boolean {
  if (condition.type !== "param") return true;
  const value = params[condition.param];
  return value === undefined || condition.in.includes(value);
}

function sizeOf(reached: ReadonlySet<string>, origins: ReadonlyMap<string, ReadonlySet<string>>): number {
  return [...origins.values()].reduce((sum, { size }) => sum + size, reached.size);
}
