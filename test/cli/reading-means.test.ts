/** Of the answers to a question of `staged`, each says whether it leads on or back, as the schedule has it. */

import { expect, test } from "vitest";
import { meaningOf } from "../../src/app/view/decision/choices.ts";
import { isOpen } from "../../src/core/gates/gate.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { live, staged, type Told } from "../support/staged.ts";

function waysOf(run: Run): string {
  const moves = (staged.movesFrom[run.state] ?? []).filter(
    (move) => move.answer !== undefined && isOpen({ workflow: staged, run, reserved: move.reserve }, move),
  );
  // Of several that an answer could be, the first is taken.
  const first = moves.filter(({ answer }, at) => moves.findIndex((each) => each.answer === answer) === at);
  const said = first.map((move) => `${move.answer} ${meaningOf(staged, run, move).words}`);
  // Also without the words about a review that a choice waives.
  return said
    .map((words) =>
      words
        .replace(/ \(.*$/, "")
        .replace(/; this waives .*$/, "")
        .replace(/give up: /, ""),
    )
    .join(", ");
}

test.for<[agents: NonNullable<Told["agents"]>, params: Record<string, Literal>, ways: string]>([
  [{ explorer: "die*" }, {}, "retry back to 0-each, restart back to 0, skip on to 1.1, abort aborted"],
  [
    { planner: "die*" },
    {},
    "retry back to 1.2, restart back to 1.1, restart-previous back to 0, skip on to 1.2-merge, abort aborted",
  ],
  [
    { "plan-reviewer": "blocked" },
    {},
    "retry back to 1.3, restart back to 1.1, restart-previous back to 0, skip on to 2.1, abort aborted",
  ],
  [{ "plan-reviewer": "fix*" }, { restarts: 0 }, "force-continue on to 2.1, abort aborted"],
  [
    { simplifier: "die*" },
    {},
    "retry back to 2.2, restart back to 2.1, restart-previous back to 1.1, skip on to 2.3, abort aborted",
  ],
  [
    { "implementation-reviewer": "blocked" },
    {},
    "retry back to 2.3, restart back to 2.1, restart-previous back to 1.1, skip on to 3.1, abort aborted",
  ],
  [
    { "implementation-reviewer": "blocked" },
    { test_stage: false, final_stage: false },
    "retry back to 2.3, restart back to 2.1, restart-previous back to 1.1, skip on to handover, abort aborted",
  ],
  [{ "implementation-reviewer": "fix*" }, { restarts: 0 }, "force-continue on to 3.1, abort aborted"],
  [
    { "3.1": "red-unknown" },
    {},
    "retry back to 3.1, fix-tests on to 3.2-analyse, restart back to 3.1, restart-previous back to 2.1, skip on to 3.3, abort aborted",
  ],
  [
    { documenter: "die*" },
    {},
    "retry back to 4.1, restart back to 4.1, restart-previous back to 3.1, skip on to 4.2-tests, abort aborted",
  ],
  [
    { "final-reviewer": "blocked" },
    {},
    "retry back to 4.2, restart back to 4.1, restart-previous back to 3.1, skip on to 4.3, abort aborted",
  ],
])("%j with %j: %s", ([agents, params, ways]) => {
  const { run } = live({ agents, params });
  const parts = waysOf(run).split(", ");
  expect(parts.toSorted()).toEqual(ways.split(", ").toSorted());
});
