/** What else can go wrong in `staged`: explorers, planners, tasks, tests, and everybody who works alone. */

import { expect, test } from "vitest";
import type { Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { AT, play, reading } from "../support/play.ts";
import { answered, live, staged, type Told } from "../support/staged.ts";

/** What is said, who does what, what people answer, the way from there on, and with which parameters. */
type Row = readonly [string, NonNullable<Told["agents"]>, string, string, Record<string, Literal>?];

/** As far as it is told, from the first time in the first state; `!role` is somebody who is called once more. */
function lived([, agents, answers, expected, params = {}]: Row): string {
  const states = expected.split("; ")[0]?.split(" ") ?? [];
  const { way, waived } = live({ agents, params, answers: answers === "" ? [] : answers.split(", ") });
  const from = way.indexOf(states[0] ?? "");
  const told = way.slice(from, from + states.length).join(" ");
  return waived.length === 0 ? told : `${told}; waived ${waived.join(" ")}`;
}

test.for<Row>([
  ["all is well", {}, "", "0 0-each 0-merge EXPLORE-summary 1.1"],
  ["one explorer dies once", { "explorer.code": "die, ok" }, "", "0-each !explorer 0-merge"],
  ["one explorer always dies", { "explorer.code": "die*" }, "", "0-each !explorer !explorer 0-merge"],
  ["one explorer writes nothing", { "explorer.docs": "silent*" }, "", "0-each !explorer !explorer 0-merge"],
  ["all explorers die", { explorer: "die*" }, "", "0-each !explorer !explorer EXPLORE-blocked"],
  ["and are tried again", { explorer: "die*" }, "retry", "EXPLORE-blocked 0-each !explorer"],
  ["and all begins again", { explorer: "die*" }, "restart", "EXPLORE-blocked 0 0-each !explorer"],
  ["and nobody needs them", { explorer: "die*" }, "skip", "EXPLORE-blocked 1.1 1.2; waived 0"],
  ["and that is the end", { explorer: "die*" }, "abort", "EXPLORE-blocked aborted"],
  ["nobody says what to explore", { scout: "die*" }, "skip", "0 !scout !scout EXPLORE-blocked 1.1; waived 0"],
  [
    "nobody makes one of it",
    { aggregator: "silent*" },
    "retry",
    "0-merge !aggregator !aggregator EXPLORE-blocked 0-merge",
  ],
  [
    "nobody sums it up",
    { summarizer: "die, die, die, ok" },
    "skip",
    "EXPLORE-summary !summarizer !summarizer EXPLORE-blocked 1.1; waived EXPLORE-summary",
  ],
])("EXPLORE: %s (%o, then %s): %s", (row) => {
  expect(lived(row)).toBe(row[3]);
});

test.for<Row>([
  [
    "nobody has an idea",
    { brainstormer: "die*" },
    "retry",
    "1.1 !brainstormer !brainstormer PLAN-blocked 1.1",
  ],
  ["one planner dies once", { "planner.code": "die, ok" }, "", "1.2 !planner 1.2-merge"],
  ["one planner always dies", { "planner.code": "die*" }, "", "1.2 !planner !planner PLAN-blocked"],
  ["and is tried again", { "planner.code": "die, die, die, ok" }, "retry", "PLAN-blocked 1.2 1.2-merge"],
  ["and is left out", { "planner.code": "die*" }, "skip", "PLAN-blocked 1.2-merge 1.3; waived 1.2-parts"],
  [
    "nobody merges the plan",
    { "plan-merger": "die*" },
    "restart",
    "1.2-merge !plan-merger !plan-merger PLAN-blocked 1.1",
  ],
  [
    "nobody mends the plan",
    { "plan-reviewer": "fix, ok", "plan-fixer": "die*" },
    "skip",
    "1.3-fix !plan-fixer !plan-fixer PLAN-blocked 2.1; waived 1.3",
  ],
  [
    "or all is explored again",
    { "plan-reviewer": "fix, ok", "plan-fixer": "die*" },
    "restart-previous",
    "PLAN-blocked 0 0-each",
  ],
  [
    "nobody sums it up",
    { summarizer: "ok, die, die, die, ok" },
    "skip",
    "PLAN-summary !summarizer !summarizer PLAN-blocked 2.1; waived PLAN-summary",
  ],
])("PLAN: %s (%o, then %s): %s", (row) => {
  expect(lived(row)).toBe(row[3]);
});

test.for<Row>([
  ["some tasks fail", { "2.1": "some, ok" }, "retry", "2.1 IMPLEMENT-blocked 2.1 2.2"],
  ["all tasks fail", { "2.1": "none, ok" }, "retry", "2.1 IMPLEMENT-blocked 2.1 2.2"],
  [
    "they fail again",
    { "2.1": "some, some, ok" },
    "retry, retry",
    "2.1 IMPLEMENT-blocked 2.1 IMPLEMENT-blocked 2.1 2.2",
  ],
  ["a person does without them", { "2.1": "some" }, "skip", "2.1 IMPLEMENT-blocked 2.2 2.3; waived 2.1"],
  ["the stage begins again", { "2.1": "some, ok" }, "restart", "2.1 IMPLEMENT-blocked 2.1 2.2"],
  ["it is planned again", { "2.1": "some, ok" }, "restart-previous", "2.1 IMPLEMENT-blocked 1.1 1.2"],
  ["that is the end", { "2.1": "some" }, "abort", "2.1 IMPLEMENT-blocked aborted"],
  [
    "nobody makes it simpler",
    { simplifier: "die*" },
    "skip",
    "2.2 !simplifier !simplifier IMPLEMENT-blocked 2.3; waived 2.2",
  ],
  [
    "one of three who mend always dies",
    { "implementation-reviewer": "three, ok", "implementation-fixer.src-a.sh": "die*" },
    "",
    "2.3-fix !implementation-fixer !implementation-fixer 2.3 IMPLEMENT-summary",
  ],
  [
    "all who mend die",
    { "implementation-reviewer": "three, ok", "implementation-fixer": "die*" },
    "skip",
    "2.3-fix !implementation-fixer !implementation-fixer IMPLEMENT-blocked 3.1; waived 2.3",
  ],
  [
    "nobody sums it up",
    { summarizer: "ok, ok, die, die, die, ok" },
    "skip",
    "IMPLEMENT-summary !summarizer !summarizer IMPLEMENT-blocked 3.1; waived IMPLEMENT-summary",
  ],
])("IMPLEMENT: %s (%o, then %s): %s", (row) => {
  expect(lived(row)).toBe(row[3]);
});

test.for<Row>([
  ["green", {}, "", "3.1 3.2 3.3 TEST-summary"],
  ["red in a test", { "3.1": "red-test, ok" }, "", "3.1 3.2 3.2-analyse 3.2-fix 3.1 3.2 3.3"],
  [
    "red in a test, always",
    { "3.1": "red-test*" },
    "",
    "3.1 3.2 3.2-analyse 3.2-fix 3.1 3.2 3.1 3.2 3.2-analyse 3.2-fix 3.1 3.2 TEST-exhausted",
    { test_fixes: 1, restarts: 1 },
  ],
  [
    "a person goes on",
    { "3.1": "red-test*" },
    "force-continue",
    "3.1 3.2 TEST-exhausted 3.3; waived 3.1",
    { test_fixes: 0, restarts: 0 },
  ],
  [
    "a person does not",
    { "3.1": "red-test*" },
    "abort",
    "3.1 3.2 TEST-exhausted aborted",
    { test_fixes: 0, restarts: 0 },
  ],
  ["red in the source", { "3.1": "red-source, ok" }, "", "3.1 3.2 2.1 2.2 2.3 IMPLEMENT-summary 3.1 3.2 3.3"],
  [
    "red in the source, always",
    { "3.1": "red-source*" },
    "",
    "3.1 3.2 2.1 2.2 2.3 IMPLEMENT-summary 3.1 3.2 TEST-exhausted",
    { restarts: 1 },
  ],
  [
    "red in the source that nobody may change",
    { "3.1": "red-source" },
    "",
    "3.1 3.2 TEST-blocked",
    { implement_stage: false },
  ],
  ["nobody can tell", { "3.1": "red-unknown, ok" }, "retry", "3.1 3.2 TEST-blocked 3.1 3.2 3.3"],
  [
    "the tests are wrong",
    { "3.1": "red-unknown, ok" },
    "fix-tests",
    "TEST-blocked 3.2-analyse 3.2-fix 3.1 3.2 3.3",
  ],
  ["the stage begins again", { "3.1": "red-unknown, ok" }, "restart", "TEST-blocked 3.1 3.2 3.3"],
  [
    "the code is wrong",
    { "3.1": "red-unknown, ok" },
    "restart-previous",
    "TEST-blocked 2.1 2.2 2.3 IMPLEMENT-summary 3.1 3.2 3.3",
  ],
  ["nobody minds", { "3.1": "red-unknown" }, "skip", "TEST-blocked 3.3; waived 3.1"],
  ["that is the end", { "3.1": "red-unknown" }, "abort", "TEST-blocked aborted"],
  [
    "who analyses it dies once",
    { "3.1": "red-test, ok", analyst: "die, ok" },
    "",
    "3.2-analyse !analyst 3.2-fix 3.1",
  ],
  [
    "who analyses it always dies",
    { "3.1": "red-test, ok", analyst: "die, die, die, ok" },
    "retry",
    "3.2-analyse !analyst !analyst TEST-blocked 3.2-analyse 3.2-fix",
  ],
  [
    "who mends it dies once",
    { "3.1": "red-test, ok", "test-fixer": "die, ok" },
    "",
    "3.2-fix !test-fixer 3.1 3.2 3.3",
  ],
  [
    "who mends it always dies",
    { "3.1": "red-test, ok", "test-fixer": "die, die, die, ok" },
    "retry",
    "3.2-fix !test-fixer !test-fixer TEST-blocked 3.2-fix 3.1 3.2 3.3",
  ],
  [
    "nobody mends it, and nobody minds",
    { "3.1": "red-test*", "test-fixer": "die*" },
    "skip",
    "3.2-fix !test-fixer !test-fixer TEST-blocked 3.3; waived 3.1",
  ],
  [
    "nobody sums it up",
    { summarizer: "ok, ok, ok, die*" },
    "skip",
    "TEST-summary !summarizer !summarizer TEST-blocked 4.1; waived TEST-summary",
  ],
])("TEST: %s (%o, then %s): %s", (row) => {
  expect(lived(row)).toBe(row[3]);
});

test.for<Row>([
  [
    "nobody tells of it",
    { documenter: "die*" },
    "skip",
    "4.1 !documenter !documenter FINAL-blocked 4.2-tests 4.2-testing 4.2; waived 4.1",
  ],
  [
    "red at the end",
    { "4.2-tests": "red-test, ok" },
    "",
    "4.2-testing 3.1 3.2 3.3 TEST-summary 4.1 4.2-tests 4.2-testing 4.2",
  ],
  [
    "red at the end, always",
    { "4.2-tests": "red-test*" },
    "",
    "4.2-testing 3.1 3.2 3.3 TEST-summary 4.1 4.2-tests 4.2-testing FINAL-exhausted",
    { restarts: 1 },
  ],
  [
    "a person goes on",
    { "4.2-tests": "red-test" },
    "force-continue",
    "FINAL-exhausted 4.2 4.3; waived 4.2-tests",
    { restarts: 0 },
  ],
  ["a person does not", { "4.2-tests": "red-test" }, "abort", "FINAL-exhausted aborted", { restarts: 0 }],
  [
    "nobody prepares the handover",
    { finisher: "die, die, die, ok" },
    "retry",
    "4.3 !finisher !finisher FINAL-blocked 4.3 approved tested released committing",
  ],
  ["all is well", {}, "", "4.3 approved tested released committing"],
  [
    "it is not to be committed",
    {},
    "taken",
    "4.3 approved tested released handover completed",
    { git_workflow: "none" },
  ],
])("FINAL: %s (%o, then %s): %s", (row) => {
  expect(lived(row)).toBe(row[3]);
});

test("what a person edits between two answers is asked about again, and does not hold the run", () => {
  const before = live({ until: ["4.3"] }).run;
  const finisher = before.agents["finisher"];
  const edit = (tree: string): Incoming => ({ type: "observed", at: AT, tree });
  const words: ((run: Run) => Incoming)[] = [
    () => edit("edited once"),
    () => ({
      type: "agent-ended",
      at: AT,
      role: "finisher",
      slot: "",
      attempt: finisher?.attempt ?? 0,
      cause: "exited",
      readings: [reading("4.3")],
    }),
    (run) => answered(run, "skip"),
    () => edit("edited twice"),
    (run) => answered(run, "skip"),
    (run) => answered(run, "skip"),
  ];
  expect(play(staged, words, before).lines.map((line) => line.split(", ")[0])).toEqual([
    "4.3",
    "FINAL-blocked",
    "FINAL-blocked",
    "FINAL-blocked",
    "FINAL-blocked",
    "committing",
  ]);
});
