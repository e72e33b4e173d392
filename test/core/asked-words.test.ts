/** What a person is asked is true in every life that leads to the question. */

import { expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Literal } from "../../src/core/model/value.ts";
import * as ofChange from "../support/change-lives.ts";
import { live, staged } from "../support/staged.ts";

type Agents = Readonly<Record<string, string>>;

function wordsOf({ definition }: Workflow, { question }: Run): string {
  const { question: prompt = "" } = definition.asks[question?.ask ?? ""] ?? {};
  return `${question?.ask}: ${definition.prompts[prompt]?.text}`;
}

type Row = [agents: Agents, params: Record<string, Literal>, says: RegExp, answers?: string[]];

test.for<Row>([
  [{ summarizer: "die*" }, {}, /^explore-trouble: (?!Nobody could find out)/],
  [{ "test-reviewer": "blocked" }, {}, /^test-trouble: .*reviewer asks for a person/],
  [{ "4.2-tests": "red-test*" }, { restarts: 0 }, /^final-exhausted: .*lint or tests fail/],
  [{ "final-reviewer": "fix*" }, { restarts: 0 }, /^final-exhausted: .*review has blocking issues/],
  [
    { "implementation-reviewer": "blocked" },
    { test_stage: false, final_stage: false },
    /^handover: (?!.*approved)/,
    ["skip"],
  ],
])("staged: %j with %j: %s", ([agents, params, says, answers = []]) => {
  expect(wordsOf(staged, live({ agents, params, answers }).run)).toMatch(says);
});

test("change: one that is halted before it was reviewed is not told of a review", () => {
  const { run } = ofChange.live({ agents: { tasks: "none" }, people: ["to implement"] });
  expect([run.state, run.held["review"]]).toEqual(["halted", undefined]);
  expect(wordsOf(ofChange.change, run)).toMatch(/^halted: .*if it was reviewed, `[^`]*REVIEW.md`/);
});

test("change: one that nobody could merge is not told of a review of the merge alone", () => {
  const { run } = ofChange.live({ agents: { archiver: "die*" }, people: ["to implement", "to merging"] });
  expect(run.state).toBe("archive-blocked");
  expect(wordsOf(ofChange.change, run)).toMatch(/^archive-blocked: .*not every spec is merged/);
});
