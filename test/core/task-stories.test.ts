/** The life stories of a task, event by event, with the effects they order. */

import { expect, test } from "vitest";
import { reading, start, trace, verdict } from "../support/play.ts";
import {
  edited,
  ended,
  FAIL,
  handoff,
  human,
  lost,
  observed,
  PASS,
  plan,
  respawn,
  reviewer,
  story,
  said,
  submit,
  task,
  worker,
} from "../support/task.ts";

test("planned, failed once, mended, passed, finished by a person", () => {
  const words = [
    start(task),
    human("planning"),
    worker("working", [plan()]),
    worker("agent-review", [handoff()]),
    reviewer("working", [FAIL()]),
    worker("agent-review", [handoff()]),
    reviewer("reviewing", [PASS()]),
    human("done"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1
    agent-review, review_round 2, archive review, start-agent reviewer #2 (reviewer)
    reviewing, review_round 2, archive fix_instructions, stop-agent reviewer #2
    done, review_round 2, stop-agent worker #1, release-resource workspace, start-next"
  `);
});

test("a second failed review is for a person", () => {
  const words = [
    ...story("agent-review"),
    submit("reviewer", [FAIL()]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [FAIL()]),
    human("reviewing"),
    human("done"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1
    agent-review, review_round 2, archive review, start-agent reviewer #2 (reviewer)
    stuck, review_round 2, stop-agent reviewer #2, tell-agent worker (stuck-notice)
    reviewing, review_round 2
    done, review_round 2, stop-agent worker #1, release-resource workspace, start-next"
  `);
});

test("a request for changes opens a new cycle with rounds of its own", () => {
  const words = [
    ...story("agent-review"),
    submit("reviewer", [FAIL()]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [PASS()]),
    human("working"),
    worker("agent-review", [handoff()]),
    submit("reviewer", [FAIL()]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [PASS()]),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1
    agent-review, review_round 2, archive review, start-agent reviewer #2 (reviewer)
    reviewing, review_round 2, archive fix_instructions, stop-agent reviewer #2
    working, archive handoff review, tell-agent worker (changes-requested)
    agent-review, review_round 1, archive review, start-agent reviewer #3 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #3
    agent-review, review_round 2, archive review, start-agent reviewer #4 (reviewer)
    reviewing, review_round 2, archive fix_instructions, stop-agent reviewer #4"
  `);
});

test("a worker that ends without a plan is marked, started again by a person, and stuck at the second time", () => {
  const words = [...story("planning"), ended("worker"), respawn("worker"), ended("worker")];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    planning, crash_count 1
    planning, crash_count 1, start-agent worker #2 (respawn)
    stuck, start-agent worker #3 (stuck)"
  `);
});

test("a worker that ends with a valid artifact advances the task and is kept alive", () => {
  const words = [...story("planning"), ended("worker", [plan()]), ended("worker", [handoff()])];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working, start-agent worker #2 (respawn)
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer), start-agent worker #3 (respawn)"
  `);
});

test("a reviewer that ends without a verdict is started again once", () => {
  const words = [...story("agent-review"), ended("reviewer"), ended("reviewer")];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    agent-review, review_round 1, crash_count 1, start-agent reviewer #2 (reviewer)
    stuck, review_round 1, tell-agent worker (stuck-notice)"
  `);
});

test("a reviewer's verdict counts when it is found at its end", () => {
  expect(trace(task, [...story("agent-review"), ended("reviewer", [PASS()])])).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    reviewing, review_round 1, archive fix_instructions"
  `);
});

test("when the machine goes away no crash is counted, five times", () => {
  const words = [
    ...story("planning"),
    lost("worker"),
    lost("worker"),
    lost("worker"),
    lost("worker"),
    lost("worker"),
    lost("worker"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    planning, start-agent worker #2 (respawn)
    planning, start-agent worker #3 (respawn)
    planning, start-agent worker #4 (respawn)
    planning, start-agent worker #5 (respawn)
    planning, start-agent worker #6 (respawn)
    planning, crash_count 1"
  `);
});

test("a worker's questions are counted until a person leads it out of them", () => {
  const words = [
    ...story("clarification"),
    worker("planning"),
    worker("clarification"),
    worker("working", [plan()]),
    worker("clarification"),
    human("clarification"),
    human("working"),
    worker("clarification"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    clarification, question_count 1
    planning, question_count 1
    clarification, question_count 2
    working, question_count 2
    refused: budget-spent: working to clarification: question_count is spent: 2 of 2
    clarification, question_count 2
    working, tell-agent worker (answered)
    clarification, question_count 1"
  `);
});

test("a worker that dies while a person looks is marked, and nothing moves", () => {
  expect(trace(task, [...story("reviewing"), ended("worker"), human("working")])).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1
    reviewing, review_round 1
    working, archive handoff review, start-agent worker #2 (respawn)"
  `);
});

test("a task that waits for its turn starts by itself when there is a workspace", () => {
  expect(trace(task, [start(task), observed("turn")])).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)"
  `);
});

test("a task may begin with a question, with a review, or with finished work", () => {
  expect(
    [
      trace(task, [start(task, "clarification")]),
      trace(task, [start(task, "agent-review")]),
      trace(task, [start(task, "reviewing"), human("done")]),
      trace(task, [start(task, "working")]),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "clarification, start-agent worker #1 (clarify)
    agent-review, review_round 1, start-agent reviewer #1 (reviewer)
    reviewing
    done, release-resource workspace, start-next
    refused: not-in-map: no move leads from start to working; from here it goes to pending, clarification, agent-review, reviewing"
  `);
});

test("gates say what is missing and where", () => {
  const bad = reading("plan", {
    faults: [{ at: { file: "TASK.md", line: 12, col: 1 }, reason: "none of APPROACH, TOUCHING has content" }],
  });
  const words = [
    ...story("planning"),
    worker("working"),
    worker("working", [bad]),
    worker("wroking"),
    worker("done"),
    worker("cancelled"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    refused: gate-not-met: planning to working: plan is missing: section "## Plan" of TASK.md does not exist yet
    refused: gate-not-met: planning to working: plan is invalid: none of APPROACH, TOUCHING has content
    refused: not-in-map: unknown state "wroking"; did you mean "working"?
    refused: not-your-role: planning to done is for a person, not for worker
    refused: not-your-role: planning to cancelled is for a person, not for worker"
  `);
});

test("the same words count again when they are said again: handed in with the call, not left on the page", () => {
  const failed = FAIL();
  const words = [
    ...story("working"),
    worker("agent-review", [handoff()]),
    submit("reviewer", [failed]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [failed]),
    said("reviewer", [failed]),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1
    agent-review, review_round 2, archive review, start-agent reviewer #2 (reviewer)
    refused: stale: review is stale: section "## Review" of TASK.md has not changed since it was last used
    stuck, review_round 2, stop-agent reviewer #2, tell-agent worker (stuck-notice)"
  `);
});

test("what was used in an earlier round does not count again", () => {
  const old = handoff();
  const failed = FAIL();
  const words = [
    ...story("working"),
    worker("agent-review", [old]),
    submit("reviewer", [failed]),
    worker("agent-review", [old]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [failed]),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1
    refused: stale: working to agent-review: handoff is stale: section "## Handoff" of TASK.md has not changed since it was last used
    agent-review, review_round 2, archive review, start-agent reviewer #2 (reviewer)
    refused: stale: review is stale: section "## Review" of TASK.md has not changed since it was last used"
  `);
});

test("a verdict is about the commit that was handed over", () => {
  const words = [
    ...story("agent-review"),
    edited("t2"),
    submit("reviewer", [PASS()]),
    ended("reviewer"),
    submit("reviewer", [PASS()]),
    edited("t3"),
    human("done"),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    agent-review, review_round 1
    refused: stale: review is stale: the work changed after section "## Review" of TASK.md was made
    agent-review, review_round 1, crash_count 1, start-agent reviewer #2 (reviewer)
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #2
    reviewing, review_round 1
    refused: stale: reviewing to done: review is stale: the work changed after section "## Review" of TASK.md was made"
  `);
});

test("only the reviewer's word is a verdict, and it leads where the engine says", () => {
  const words = [
    ...story("agent-review"),
    submit("worker", [PASS()]),
    human("reviewing", [PASS()]),
    worker("reviewing", [PASS()]),
    reviewer("reviewing", [FAIL()]),
    reviewer("reviewing", [verdict("review", "pass")]),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    refused: not-your-role: submitting review is for reviewer, not for worker
    refused: not-your-role: agent-review to reviewing is for the engine, by itself, not for a person
    refused: not-your-role: agent-review to reviewing is for the engine, by itself, not for worker
    refused: gate-not-met: what was submitted leads from agent-review to working, not to reviewing
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1"
  `);
});

test("what was written before the task began, or before changes were asked for, opens nothing", () => {
  const old = plan();
  const early = handoff();
  const words = [
    start(task, undefined, { readings: [old] }),
    human("planning"),
    worker("working", [old]),
    worker("working", [plan()]),
    worker("agent-review", [handoff()]),
    submit("reviewer", [PASS()]),
    submit("worker", [early]),
    human("working"),
    worker("agent-review", [early]),
    worker("agent-review", [handoff()]),
  ];
  expect(trace(task, words)).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    refused: stale: planning to working: plan is stale: section "## Plan" of TASK.md has not changed since it was last used
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1
    reviewing, review_round 1
    working, archive handoff review, tell-agent worker (changes-requested)
    refused: stale: working to agent-review: handoff is stale: section "## Handoff" of TASK.md has not changed since it was last used
    agent-review, review_round 1, archive review, start-agent reviewer #2 (reviewer)"
  `);
});
