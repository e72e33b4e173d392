/** `why`: every move out of a state, open or not, and the smallest thing that would open it. */

import { expect, test } from "vitest";
import type { Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { why } from "../../src/core/explain/why.ts";
import { play, reading } from "../support/play.ts";
import { edited, handoff, inState, plan, story, submit, task, worker } from "../support/task.ts";
import { fromText } from "../support/workflows.ts";

function explain(run: Run): string {
  return why(task, run)
    .map((move) => `${move.open ? "open" : "shut"} ${move.to} (${move.by.join(", ")}): ${move.smallest}`)
    .join("\n");
}

test("a task being planned", () => {
  expect(explain(inState("planning"))).toMatchInlineSnapshot(`
    "shut working (worker, human): worker or a person must write plan, or a person waives it
    open clarification (worker): worker asks for clarification
    open clarification (human): a person asks for clarification
    shut done (human): its work is merged elsewhere
    shut stuck (engine): crash_count is spent
    open cancelled (human): a person asks for cancelled"
  `);
});

test("a task being worked on, with a plan and no handoff", () => {
  expect(explain(play(task, [...story("planning"), submit("worker", [plan()]), worker("working")]).run))
    .toMatchInlineSnapshot(`
      "open clarification (worker): worker asks for clarification
      open clarification (human): a person asks for clarification
      shut agent-review (worker, human): worker or a person must write handoff, or a person waives it
      shut done (human): its work is merged elsewhere
      open stuck (worker, human): worker or a person asks for stuck
      shut stuck (engine): crash_count is spent
      open cancelled (human): a person asks for cancelled"
    `);
});

test("a task whose work changed after it passed", () => {
  expect(explain(play(task, [...story("reviewing"), edited("t9")]).run)).toMatchInlineSnapshot(`
    "open working (human): a person asks for working
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

const COUNTED = fromText(`$schema: workflow-1.schema.json
name: counted
title: What is counted must be new in each state
artifacts:
  list: { in: list.json, by: human, fresh: entry, json: { object: { left: number } } }
states:
  one: { waits: true }
  two: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: one, by: human }
  - { from: one, to: two, by: human, need: list }
  - { from: two, to: closed, by: human, when: { list.left: { max: 0 } } }
`);

test.for<[left: number, isNew: boolean, message: string]>([
  [
    0,
    false,
    "list.left must be at most 0, but list is stale: list.json has not changed since it was last used",
  ],
  [3, true, "list.left must be at most 0, but it is 3"],
])("what is %i, new: %s", ([left, isNew, message]) => {
  const by = { type: "human", name: "ann" } as const;
  const at = "2026-01-01T00:00:00Z";
  const given = (): Incoming => ({
    type: "submitted",
    by,
    at,
    readings: [reading("list", { fields: { left } })],
  });
  const { run } = play(COUNTED, [
    { type: "run-started", run: "r", definition: COUNTED.hash(), by, at, params: {}, to: "one" },
    given(),
    { type: "move-asked", by, at, to: "two" },
    ...(isNew ? [given()] : []),
  ]);
  expect(why(COUNTED, run)[0]?.reasons.map((reason) => reason.message)).toEqual([message]);
});
