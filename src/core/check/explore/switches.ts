/**
 * Parameters that only switch something on: where one is false, a run goes past what it goes through where it is true.
 *
 * A run with everything on can do all that such a run does, and what lies between as well, as long as no person is needed for that.
 */

import type { Workflow } from "../../model/compile.ts";
import type { Literal } from "../../model/value.ts";
import { ORIGIN, type Condition, type Move } from "../../model/workflow.ts";
import type { Params } from "./explore.ts";
import { isOpenWith, reachedWith } from "./reach.ts";

export function switchesOf(workflow: Workflow): ReadonlySet<string> {
  const { params, moves } = workflow.definition;
  const reach = new Map<string, ReadonlySet<string>>();
  const isPast = (from: string, to: string): boolean => {
    const known = reach.get(from) ?? reachedWithoutPeople(workflow, from);
    reach.set(from, known);
    return known.has(to);
  };
  const names = Object.keys(params).filter((name) => params[name]?.type === "bool");
  return new Set(
    names.filter((name) =>
      moves.every((move) => {
        if (!isOnly(move, name, false)) return true;
        const through = (workflow.movesFrom[move.from] ?? []).filter(
          (other) => isOnly(other, name, true) && other.answer === move.answer,
        );
        return move.to !== ORIGIN && through.some(({ to }) => isPast(to, move.to));
      }),
    ),
  );
}

function isOnly({ when }: Move, param: string, value: boolean): boolean {
  return when.some(
    (condition) => condition.type === "param" && condition.param === param && !condition.in.includes(!value),
  );
}

/** Whether any run could get there that begins here and never waits for a person on its way. */
function reachedWithoutPeople(workflow: Workflow, from: string): ReadonlySet<string> {
  const { states } = workflow.definition;
  const reached = new Set([from]);
  for (const state of reached) {
    if (states[state]?.waits === true) continue;
    for (const { to, by, answer } of workflow.movesFrom[state] ?? [])
      if (answer === undefined && by.some((who) => who !== "human")) reached.add(to);
  }
  return reached;
}

/** What a choice of parameters makes of a definition: the moves that are left, and the claims. Choices that make the same of it are one. */
export function meaningOf(workflow: Workflow, choice: Params): string {
  const { moves, assertions, params } = workflow.definition;
  const isTrue = (condition: Condition): boolean => isOpenWith(condition, choice);
  const open = moves.filter((move) => move.when.every(isTrue));
  const reached = reachedWith(workflow, choice);
  const claims = assertions
    .filter((claim) => claim.in.some((state) => reached.has(state)))
    .flatMap((claim) => [...claim.when, ...claim.unless].flat().map(isTrue));
  const others = Object.keys(choice).filter((name) => params[name]?.type !== "bool");
  return JSON.stringify([
    open.flatMap((move) => (reached.has(move.from) ? [workflow.ruleOf.get(move)] : [])),
    claims,
    // A number or a word may be more than a guard: a budget, a threshold.
    others.map((name): Literal | undefined => choice[name]),
  ]);
}
