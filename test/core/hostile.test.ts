/** What an agent, or a broken edge, might try on the core. */

import { expect, test } from "vitest";
import type { Actor, Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { AT, HUMAN, play, reading, start, trace, verdict } from "../support/play.ts";
import {
  edited,
  ended,
  FAIL,
  handoff,
  human,
  inState,
  PASS,
  plan,
  story,
  submit,
  task,
  worker,
} from "../support/task.ts";
import { loadWorkflow } from "../support/workflows.ts";

function last(words: Parameters<typeof trace>[1]): string {
  return trace(task, words).split("\n").at(-1) ?? "";
}

test("a verdict that the worker wrote is not the reviewer's, even when it is found at the reviewer's end", () => {
  const forged = PASS();
  const words = [
    ...story("working"),
    worker("agent-review", [handoff(), forged]),
    ended("reviewer", [forged]),
  ];
  expect(last(words)).toBe("agent-review, review_round 1, crash_count 1, start-agent reviewer #2 (reviewer)");
});

test("nor is one that was there before the task began, nor the one of the round before", () => {
  const old = PASS();
  expect(last([start(task, "agent-review", { readings: [old] }), ended("reviewer", [old])])).toContain(
    "crash_count 1",
  );
  const failed = FAIL();
  const again = verdict("review", "pass");
  const words = [
    ...story("agent-review"),
    submit("reviewer", [failed]),
    worker("agent-review", [handoff(), again]),
    ended("reviewer", [again]),
  ];
  expect(last(words)).toContain("crash_count 1");
});

test("what an agent wrote in its own time counts at its end", () => {
  expect(last([...story("agent-review"), ended("reviewer", [PASS()])])).toContain("reviewing");
});

test("a waiver does not come back with the old content", () => {
  const words = [start(task, "reviewing"), edited("t2"), edited("t1"), human("done")];
  expect(last(words)).toContain("refused: gate-not-met: reviewing to done: review is missing");
});

test("work that nobody has looked at is none that a verdict could be about", () => {
  const blind: Incoming = {
    type: "run-started",
    by: HUMAN,
    at: AT,
    run: "R1",
    definition: task.hash(),
    params: {},
    to: "agent-review",
    reserved: ["workspace"],
  };
  expect(last([blind, submit("reviewer", [PASS()])])).toContain("refused: stale");
});

test.for<[string, readonly Reading[]]>([
  ["pass and fail at once", [verdict("review", "pass"), verdict("review", "needs_fix")]],
  ["an artifact that every object has", [reading("constructor")]],
  ["an artifact that nobody declared", [reading("nothing")]],
])("%s: refused", ([, readings]) => {
  const run = inState("agent-review");
  const by = { type: "agent", role: "reviewer", slot: "", attempt: 1 } as const;
  const after = step(task, run, { type: "submitted", by, at: AT, readings });
  expect(after.ok ? "accepted" : after.refusal.code).toBe("invalid");
});

test.for<[string, unknown]>([
  ["an event of no kind", { type: "promoted", by: HUMAN, at: AT }],
  ["a kind that every object has", { type: "toString", at: AT }],
  [
    "a role that every object has",
    { type: "agent-ended", at: AT, role: "constructor", slot: "", cause: "infrastructure" },
  ],
  [
    "an agent that calls itself a person",
    {
      type: "move-asked",
      by: { type: "agent", role: "human", slot: "", attempt: 1 },
      at: AT,
      to: "cancelled",
    },
  ],
  [
    "an attempt that is none",
    { type: "agent-ended", at: AT, role: "worker", slot: "", attempt: Number.NaN, cause: "exited" },
  ],
  ["a text that is an object", { type: "param-set", by: HUMAN, at: AT, name: "summary", value: { a: 1 } }],
  [
    "a waiver of something that every object has",
    { type: "waived", by: HUMAN, at: AT, artifact: "__proto__", reason: "x" },
  ],
])("%s: refused, and nothing changes", ([, event]) => {
  const run = inState("working");
  const before = structuredClone(run);
  const after = step(task, run, event as Incoming);
  expect(after.ok ? "accepted" : after.refusal.code).toBe("invalid");
  expect(run).toEqual(before);
});

test("a parameter that every object has cannot be set at the start", () => {
  const event: Incoming = {
    type: "run-started",
    by: HUMAN,
    at: AT,
    run: "R1",
    definition: task.hash(),
    params: JSON.parse('{"toString": "x"}') as Record<string, string>,
  };
  const after = step(task, NO_RUN, event);
  expect(after.ok ? "accepted" : after.refusal.message).toBe('unknown parameter "toString"');
});

const child = loadWorkflow("orchestrated-task");

test.for<[by: Actor, params: Readonly<Record<string, string>>, said: string]>([
  [HUMAN, { ci_status: "green" }, "ci_status is set by the run itself: a run cannot be started with it"],
  [HUMAN, { blocker: "x" }, "blocker is set by the run itself: a run cannot be started with it"],
  [HUMAN, { ci_status: "unknown" }, "accepted"],
  [{ type: "engine" }, { ci_status: "green" }, "accepted"],
])("%o begins a run with %o, which the run itself keeps: %s", ([by, params, said]) => {
  const event: Incoming = {
    type: "run-started",
    by,
    at: AT,
    run: "R1",
    definition: child.hash(),
    params,
    reserved: ["workspace"],
  };
  const after = step(child, NO_RUN, event);
  expect(after.ok ? "accepted" : after.refusal.message).toBe(said);
});

test("a plan that was seen before the worker came opens its move only when the worker asks for it", () => {
  const old = plan();
  const { run } = play(task, [
    start(task, undefined, { readings: [old] }),
    human("planning"),
    ended("worker", [old]),
  ]);
  expect([run.state, run.counters["crash_count"]]).toEqual(["planning", 1]);
});
