/** What failed last in a run, as whoever begins after it is told. */

import { expect, test } from "vitest";
import { lastFailed } from "../../src/core/explain/last-failure.ts";
import { play, start, verdict } from "../support/play.ts";
import { live, session, task, type Told } from "../support/orchestrated.ts";
import { fromText } from "../support/workflows.ts";

const SPECIFIED = ["approved", "per-batch"];

test.for<[of: "session" | "task", told: Told, failed: string | null]>([
  ["session", {}, null],
  ["session", { agents: { SpecAgent: "silent, OK" } }, "INTAKE: SpecAgent"],
  ["session", { agents: { SpecAgent: "garbage*" } }, "INTAKE: SpecAgent"],
  // To need a person is no failure.
  ["session", { agents: { SpecAgent: "BLOCKED" } }, null],
  ["session", { agents: { SpecAgent: "die, OK", Architect: "OK -architecture, OK" } }, "DESIGN: Architect"],
  ["session", { agents: { judged: "some" }, people: SPECIFIED }, "PER_BATCH: judged"],
  ["session", { agents: { approved: "none" }, people: SPECIFIED }, "FINAL_REVIEW: approved"],
  ["session", { agents: { ci: "red" }, people: SPECIFIED }, "CHECKS: ci"],
  ["session", { agents: { ci: "unapproved" }, people: SPECIFIED }, null],
  ["session", { agents: { ci: "red" }, params: { ci_command: "make" }, people: SPECIFIED }, "CHECKS: make"],
  // What was mended since was still the last that failed.
  ["session", { agents: { ci: "red" }, people: [...SPECIFIED, "attested"] }, "CHECKS: ci"],
  ["task", {}, null],
  ["task", { agents: { Reviewer: "OK nit" } }, null],
  ["task", { agents: { Reviewer: "BLOCKED major, OK" } }, "REVIEW: review"],
  ["task", { agents: { Reviewer: "BLOCKED major, OK", QA: "BLOCKED fail, OK" } }, "QA: qa-report"],
  ["task", { agents: { Security: "BLOCKED high, OK" } }, "SECURITY: audit"],
  ["task", { agents: { Reviewer: "BLOCKED major, OK", Coder: "OK, silent, OK" } }, "FIX_REVIEW: Coder"],
  // What does not count has refused nothing.
  ["task", { agents: { Reviewer: "OK major, OK" } }, "REVIEW: Reviewer"],
])("%s, %o: %s", ([of, told, failed]) => {
  const workflow = of === "session" ? session : task;
  expect(lastFailed(workflow, live(workflow, told).events)).toBe(failed);
});

const CHECKED = fromText(
  `$schema: workflow-1.schema.json
name: checked
title: Several commands are run
artifacts:
  tests: { check: [make lint, make test, make docs] }
states:
  checking: { enter: [run tests] }
  over: { final: done }
  red: { waits: true }
moves:
  - { from: start, to: checking, by: human }
  - { from: checking, to: over, by: engine, when: { tests: pass } }
  - { from: checking, to: red, by: engine, when: { tests: needs_fix } }
  - { from: red, to: over, by: human }
`,
  {},
);

test.for<[codes: readonly string[], failed: string]>([
  [["0", "1", "2"], "checking: make test"],
  [["2", "0", "0"], "checking: make lint"],
  // The second was ended, and nobody knows how it would have come out.
  [["0"], "checking: tests"],
])("of several commands that ended with %j: %s", ([codes, failed]) => {
  const lists = { commands: ["make lint", "make test", "make docs"], exit_codes: codes };
  const red = { type: "observed", at: "", readings: [verdict("tests", "needs_fix", { lists })] } as const;
  expect(lastFailed(CHECKED, play(CHECKED, [start(CHECKED), () => red]).events)).toBe(failed);
});
