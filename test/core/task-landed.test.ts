/** Work of a task that is merged by other means: it ends nothing until a person confirms it. */

import { expect, test } from "vitest";
import type { Incoming } from "../../src/core/model/event.ts";
import { AT, reading, trace } from "../support/play.ts";
import { edited, FAIL, human, PASS, story, submit, task } from "../support/task.ts";

const landed = (): Incoming => ({ type: "observed", at: AT, readings: [reading("merged", {})] });

test("reviewed work that is merged elsewhere ends the task when a person says so, and not before", () => {
  expect(trace(task, [...story("reviewing"), landed, human("done")])).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1
    reviewing, review_round 1
    done, review_round 1, stop-agent worker #1, release-resource workspace, start-next"
  `);
});

test("work that was changed after the merge, or not reviewed, is not ended by it", () => {
  expect(
    [
      trace(task, [...story("reviewing"), edited("t9"), landed]),
      trace(task, [...story("agent-review"), landed, submit("reviewer", [FAIL()])]),
      trace(task, [...story("agent-review"), landed, submit("reviewer", [PASS()])]),
    ].join("\n\n"),
  ).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1
    reviewing, review_round 1
    reviewing, review_round 1

    pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    agent-review, review_round 1
    working, review_round 1, archive handoff, tell-agent worker (review-failed), stop-agent reviewer #1

    pending
    planning, start-agent worker #1 (worker)
    working
    agent-review, review_round 1, archive review, start-agent reviewer #1 (reviewer)
    agent-review, review_round 1
    reviewing, review_round 1, archive fix_instructions, stop-agent reviewer #1"
  `);
});

test("work that looks merged: a person confirms it, for the work as it is", () => {
  expect(
    trace(task, [
      ...story("working"),
      human("done"),
      landed,
      edited("t9"),
      human("done"),
      landed,
      human("done"),
    ]),
  ).toMatchInlineSnapshot(`
    "pending
    planning, start-agent worker #1 (worker)
    working
    refused: gate-not-met: working to done: happens when its work is merged elsewhere
    working
    working
    refused: gate-not-met: working to done: happens when its work is merged elsewhere
    working
    done, stop-agent worker #1, release-resource workspace, start-next"
  `);
});
