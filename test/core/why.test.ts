/** `why`: every move out of a state, open or not, and the smallest thing that would open it. */

import { expect, test } from "vitest";
import type { Run } from "../../src/core/run.ts";
import { why } from "../../src/core/why.ts";
import { play } from "../support/play.ts";
import { edited, handoff, inState, plan, story, submit, task, worker } from "../support/task.ts";

function explain(run: Run): string {
  return why(task, run)
    .map((move) => `${move.open ? "open" : "shut"} ${move.to} (${move.by.join(", ")}): ${move.smallest}`)
    .join("\n");
}

test("a task being planned", () => {
  expect(explain(inState("planning"))).toMatchInlineSnapshot(`
    "shut done (engine): its branch was merged elsewhere
    shut working (worker, human): worker or a person must write plan, or a person waives it
    open clarification (worker): worker asks for clarification
    open clarification (human): a person asks for clarification
    shut stuck (engine): crash_count is spent
    open cancelled (human): a person asks for cancelled"
  `);
});

test("a task being worked on, with a plan and no handoff", () => {
  expect(explain(play(task, [...story("planning"), submit("worker", [plan()]), worker("working")]).run))
    .toMatchInlineSnapshot(`
      "shut done (engine): its branch was merged elsewhere
      open clarification (worker): worker asks for clarification
      open clarification (human): a person asks for clarification
      shut agent-review (worker, human): worker or a person must write handoff, or a person waives it
      open stuck (worker, human): worker or a person asks for stuck
      shut stuck (engine): crash_count is spent
      open cancelled (human): a person asks for cancelled"
    `);
});

test("a task whose work changed after it passed", () => {
  expect(explain(play(task, [...story("reviewing"), edited("t9")]).run)).toMatchInlineSnapshot(`
    "shut done (engine): its branch was merged elsewhere
    open working (human): a person asks for working
    shut done (human): reviewer must renew review, or a person waives it
    open cancelled (human): a person asks for cancelled"
  `);
});

test("what is written but not handed in is not asked for twice", () => {
  const { run } = play(task, [...story("working"), submit("worker", [handoff()])]);
  expect(why(task, run).find((move) => move.to === "agent-review")?.open).toBe(true);
});

test("nothing leads out of a finished task", () => {
  expect(why(task, inState("done"))).toEqual([]);
});
