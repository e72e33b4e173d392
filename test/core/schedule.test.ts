/** How far a run is through its schedule, for every kind of phase and every way that a run can take. */

import { expect, test } from "vitest";
import { entriesOf, type PhaseStatus } from "../../src/core/projection/schedule.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { reading } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { goodWorkflow, liveStages } from "../support/stages.ts";

const MARKS: Readonly<Record<PhaseStatus, string>> = {
  pending: ".",
  in_progress: ">",
  completed: "+",
  failed: "!",
  skipped: "-",
  waived: "~",
};

const five = goodWorkflow("five-stages.yaml");
const kinds = goodWorkflow("stage-of-all-phases.yaml");

function marks(workflow: typeof five, told: string, params: Record<string, Literal>): string {
  const run = liveStages(workflow, told, params);
  return `${run.state} ${entriesOf(workflow, run)
    .map(({ status }) => MARKS[status])
    .join("")}`;
}

test("the schedule is data: what each phase is called, how it is told, and what it owes", () => {
  const told = entriesOf(five, liveStages(five, "")).map(({ phase, stage, name, type, gate }) =>
    [phase, stage, name, type, gate?.required.map(({ file }) => file.slice(file.lastIndexOf("/") + 1))].join(
      " | ",
    ),
  );
  expect(told.join("\n")).toMatchInlineSnapshot(`
    "0 | EXPLORE | Explore | inline | 0-explore.md
    1.1 | PLAN | Brainstorm | inline | 1.1-brainstorm.md
    1.2 | PLAN | Parallel plan | dispatch | 1.2-plan.md
    1.3 | PLAN | Plan review | review | 1.3-plan-review.json
    2.1 | IMPLEMENT | Task execution | dispatch | 
    2.2 | IMPLEMENT | Simplify | inline | 2.2-simplify.md
    3.1 | TEST | Run the tests | command | 3.1-test-results.txt
    3.2 | TEST | Analyse failures | inline | 3.2-analysis.md
    4.1 | FINAL | Documentation | inline | 4.1-docs.md
    4.2 | FINAL | Final review | review | 4.2-final-review.json
    4.3 | FINAL | Completion | inline | 4.3-completion.json"
  `);
});

test.for<[string, string, string]>([
  ["a role", "", "explore >....."],
  ["a fan-out", "ok", "draft +>...."],
  ["who merges it", "ok*2", "draft-merge +>...."],
  ["a review", "ok*3", "critique ++>..."],
  ["who mends it", "ok*3, bad", "critique-fix ++>..."],
  ["it is judged again", "ok*3, bad, ok", "critique ++>..."],
  ["tasks", "ok*4", "build +++>.."],
  ["tasks that failed", "ok*4, bad", "WRITE-blocked +++!.."],
  ["a check", "ok*5", "verify ++++>."],
  ["a red check", "ok*5, bad", "WRITE-blocked ++++!."],
  ["a question", "ok*6", "sign +++++>"],
  ["an answer", "ok*6, approve", "finished ++++++"],
  ["an answer that leads back", "ok*6, back: again", "explore >....."],
])("one stage of all kinds: %s (%s) is %s", ([, told, shown]) => {
  expect(marks(kinds, told, {})).toBe(shown);
});

test.for<[string, string, Record<string, Literal>, string]>([
  ["it begins", "", {}, "0 >.........."],
  ["it begins later", "begin 1.1", {}, "1.1 ->........."],
  ["a stage that is disabled", "ok*6", { test_stage: false }, "2.2 +++++>--..."],
  ["past a stage that is disabled", "ok*7", { test_stage: false }, "4.1 ++++++-->.."],
  ["blocked", "bad", {}, "EXPLORE-blocked !.........."],
  ["tried again", "bad, retry", {}, "0 >.........."],
  ["given up", "bad, abort", {}, "aborted !.........."],
  ["the stage begins again by itself", "ok*4, bad", {}, "1.1 +>........."],
  ["no restart is left", "ok*4, bad, ok*3, bad", {}, "PLAN-blocked +++!......."],
  ["a person has it begin again", "ok*4, bad, ok*3, bad, restart: anew", {}, "1.1 +>........."],
  ["a person answers for it", "ok*4, bad, ok*3, bad, skip", {}, "2.1 +++~>......"],
  ["by hand", "ok*7", {}, "3.1 ++++++>...."],
  ["by hand, and green", "ok*8", {}, "4.1 ++++++++>.."],
  ["by hand, and red", "ok*7, bad", {}, "3.2-analyse ++++++!>..."],
  ["the next state of it", "ok*7, bad, ok", {}, "3.2-fix ++++++!>..."],
  ["it goes back", "ok*7, bad, ok, bad", {}, "3.1 ++++++>...."],
  ["blocked by hand", "ok*7, bad, ok, bad*2", {}, "TEST-blocked ++++++!!..."],
  ["another stage begins again", "ok*7, bad, ok, bad*2, replan", {}, "1.1 +>........."],
  ["a person answers for two", "ok*7, bad, ok, bad*2, skip", {}, "4.1 ++++++~~>.."],
  ["it is done", "ok*11", {}, "finished +++++++++++"],
])("five stages: %s (%s with %o) is %s", ([, told, params, shown]) => {
  expect(marks(five, told, params)).toBe(shown);
});

test("how often each was begun is counted, also by hand", () => {
  const run = liveStages(five, "ok*4, bad, ok*4, ok*2, bad, ok, bad");
  const told = entriesOf(five, run).map(({ phase, attempts }) => `${phase}:${attempts}`);
  expect(told.join(" ")).toBe("0:1 1.1:2 1.2:2 1.3:2 2.1:1 2.2:1 3.1:2 3.2:1 4.1:0 4.2:0 4.3:0");
});

test.for<[string, Record<string, Literal>, string, string]>([
  ["ok*4", {}, "1.2", "satisfied valid"],
  ["ok*4", {}, "1.3", "missing missing"],
  ["ok*4, bad", {}, "1.3", "pending needs_fix"],
  ["ok*4, bad, ok*3, bad", {}, "1.3", "missing needs_fix"],
  ["ok*4, bad, ok*3, bad, skip", {}, "1.3", "satisfied waived"],
  ["ok*6", { test_stage: false }, "3.1", "dropped missing"],
  ["begin 1.1", {}, "0", "dropped missing"],
  ["", {}, "4.3", "pending missing"],
])("after %s with %o the gate of %s is %s", ([told, params, phase, shown]) => {
  const gate = entriesOf(five, liveStages(five, told, params)).find((entry) => entry.phase === phase)?.gate;
  expect([gate?.status, ...(gate?.required ?? []).map(({ standing }) => standing)].join(" ")).toBe(shown);
});

test.for<[string, boolean, PhaseStatus, boolean]>([
  ["green tests leave nothing to analyse", false, "completed", true],
  ["red ones were analysed", true, "completed", false],
])("%s", ([, isAnalysed, status, idle]) => {
  const staged = loadWorkflow("staged");
  const held = reading("3.2");
  const run: Run = {
    ...NO_RUN,
    state: "3.3",
    params: { test_stage: true },
    progress: {
      phase: "3.3",
      is: "begun",
      phases: { "3.2": { times: 1 } },
      restarted: [],
      rule: 0,
      since: "",
    },
    held: isAnalysed ? { "3.2": { reading: held, by: "analyst", tree: "", inputs: {} } } : {},
  };
  const entry = entriesOf(staged, run).find(({ phase }) => phase === "3.2");
  expect(entry).toMatchObject({ status, idle });
});
