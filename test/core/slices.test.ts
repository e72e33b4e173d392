/** The slices of the staged and orchestrated workflows: stage, review, each and ask at work. */

import { expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { NO_ISSUES } from "../../src/core/model/verdict.ts";
import { agent, AT, HUMAN, reading, start, trace, verdict } from "../support/play.ts";
import { fromText, loadWorkflow } from "../support/workflows.ts";

const staged = loadWorkflow("staged-plan");
const design = loadWorkflow("design-approval");

type Word = (run: Run) => Incoming;

const submit =
  (role: string, readings: Reading[], slot = ""): Word =>
  (run) => ({ type: "submitted", by: agent(run, role, slot), at: AT, readings });
const ended =
  (role: string, slot = ""): Word =>
  (run) => ({
    type: "agent-ended",
    at: AT,
    role,
    slot,
    attempt: run.agents[slot === "" ? role : `${role}/${slot}`]?.attempt ?? 0,
    cause: "exited",
  });
const answer =
  (word: string, text = ""): Word =>
  (run) => ({
    type: "answered",
    by: HUMAN,
    at: AT,
    ask: run.question?.ask ?? "",
    answer: word,
    text,
    shown: shownBy(run.state.startsWith("PLAN-") ? staged : design, run, run.question?.ask ?? ""),
  });

const brainstorm = (): Reading => reading("1.1", { lists: { areas: ["api", "docs"] } });
const part = (slot: string): Reading => reading("1.2-parts", { slot });
const merged = (): Reading => reading("1.2");
const approved = (): Reading => verdict("1.3", "pass", { issues: NO_ISSUES });
const revise = (): Reading => verdict("1.3", "needs_fix", { issues: { ...NO_ISSUES, high: 1 } });
const toReview = (): Word[] => [
  submit("brainstormer", [brainstorm()]),
  submit("planner", [part("api")], "api"),
  submit("planner", [part("docs")], "docs"),
  submit("merger", [merged()]),
];
const fixed = (): Word => (run) => {
  const digest = `sha256:fixed-${run.seq}`;
  return {
    type: "submitted",
    by: agent(run, "fixer"),
    at: AT,
    readings: [reading("1.3-fix", { digest }), reading("1.2", { digest })],
  };
};

test("a plan that passes its review after one fix", () => {
  expect(
    trace(staged, [
      start(staged),
      ...toReview(),
      submit("plan-reviewer", [revise()]),
      fixed(),
      submit("plan-reviewer", [approved()]),
    ]),
  ).toMatchInlineSnapshot(`
    "1.1, start-agent brainstormer #1 (brainstormer)
    1.2, stop-agent brainstormer #1, start-agent planner/api #1 (planner), start-agent planner/docs #2 (planner)
    1.2
    1.2-merge, stop-agent planner/api #1, stop-agent planner/docs #2, start-agent merger #1 (plan-merger)
    1.3, stop-agent merger #1, start-agent plan-reviewer #1 (plan-reviewer)
    1.3-fix, 1.3.fixes 1, stop-agent plan-reviewer #1, start-agent fixer #1 (plan-fixer)
    1.3, 1.3.fixes 1, stop-agent fixer #1, archive 1.3, start-agent plan-reviewer #2 (plan-reviewer)
    planned, 1.3.fixes 1, stop-agent plan-reviewer #2"
  `);
});

test("fixes that do not help lead to a restart of the stage, its outputs archived", () => {
  const few = start(staged, undefined, { params: { fixes: 1, restarts: 1 } });
  const round = (): Word[] => [
    ...toReview(),
    submit("plan-reviewer", [revise()]),
    fixed(),
    submit("plan-reviewer", [revise()]),
  ];
  expect(trace(staged, [few, ...round(), ...round(), answer("skip")])).toMatchInlineSnapshot(`
    "1.1, start-agent brainstormer #1 (brainstormer)
    1.2, stop-agent brainstormer #1, start-agent planner/api #1 (planner), start-agent planner/docs #2 (planner)
    1.2
    1.2-merge, stop-agent planner/api #1, stop-agent planner/docs #2, start-agent merger #1 (plan-merger)
    1.3, stop-agent merger #1, start-agent plan-reviewer #1 (plan-reviewer)
    1.3-fix, 1.3.fixes 1, stop-agent plan-reviewer #1, start-agent fixer #1 (plan-fixer)
    1.3, 1.3.fixes 1, stop-agent fixer #1, archive 1.3, start-agent plan-reviewer #2 (plan-reviewer)
    1.1, PLAN.restarts 1, stop-agent plan-reviewer #2, archive 1.1 1.2 1.3, start-agent brainstormer #2 (brainstormer)
    1.2, PLAN.restarts 1, stop-agent brainstormer #2, start-agent planner/api #3 (planner), start-agent planner/docs #4 (planner)
    1.2, PLAN.restarts 1
    1.2-merge, PLAN.restarts 1, stop-agent planner/api #3, stop-agent planner/docs #4, start-agent merger #2 (plan-merger)
    1.3, PLAN.restarts 1, stop-agent merger #2, start-agent plan-reviewer #3 (plan-reviewer)
    1.3-fix, 1.3.fixes 1, PLAN.restarts 1, stop-agent plan-reviewer #3, start-agent fixer #2 (plan-fixer)
    1.3, 1.3.fixes 1, PLAN.restarts 1, stop-agent fixer #2, archive 1.3, start-agent plan-reviewer #4 (plan-reviewer)
    PLAN-blocked, 1.3.fixes 1, PLAN.restarts 1, stop-agent plan-reviewer #4, ask-person UD-1
    planned, 1.3.fixes 1, PLAN.restarts 1"
  `);
});

test("a planner that fails is tried again; when the tries are spent, a person is asked", () => {
  const begun = [
    start(staged),
    submit("brainstormer", [brainstorm()]),
    submit("planner", [part("api")], "api"),
  ];
  expect(
    trace(staged, [
      ...begun,
      ended("planner", "docs"),
      ended("planner", "docs"),
      ended("planner", "docs"),
      ended("planner", "docs"),
      answer("retry"),
    ]),
  ).toMatchInlineSnapshot(`
    "1.1, start-agent brainstormer #1 (brainstormer)
    1.2, stop-agent brainstormer #1, start-agent planner/api #1 (planner), start-agent planner/docs #2 (planner)
    1.2
    1.2, 1.2.tries 1, start-agent planner/docs #3 (planner)
    1.2, 1.2.tries 2, start-agent planner/docs #4 (planner)
    PLAN-blocked, stop-agent planner/api #1, ask-person UD-1
    PLAN-blocked
    1.2, start-agent planner/api #5 (planner), start-agent planner/docs #6 (planner)"
  `);
});

test("an approval with a blocking issue is none, and a refusal without an issue is invalid", () => {
  const contradiction = verdict("1.3", "pass", { issues: { ...NO_ISSUES, low: 1 } });
  const empty = verdict("1.3", "needs_fix", { issues: NO_ISSUES });
  expect(
    trace(staged, [
      start(staged),
      ...toReview(),
      submit("plan-reviewer", [empty]),
      submit("plan-reviewer", [contradiction]),
    ])
      .split("\n")
      .slice(-2)
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "refused: gate-not-met: 1.3 is invalid: .agents/tmp/phases/1.3-plan-review.json: the verdict is negative but no issue is listed
    1.3-fix, 1.3.fixes 1, stop-agent plan-reviewer #1, start-agent fixer #1 (plan-fixer)"
  `);
});

const spec = (): Reading => reading("spec");
const architecture = (): Reading => reading("architecture");
const toApproval = (): Word[] => [submit("SpecAgent", [spec()]), submit("Architect", [architecture()])];

test("a design that is approved at once", () => {
  expect(trace(design, [start(design), ...toApproval(), answer("approved")])).toMatchInlineSnapshot(`
    "INTAKE, start-agent SpecAgent #1 (spec)
    DESIGN, stop-agent SpecAgent #1, start-agent Architect #1 (architect)
    APPROVE_DESIGN, stop-agent Architect #1, ask-person UD-APPROVE-DESIGN
    PLAN"
  `);
});

test("corrections are routed to their author, and what follows from them is made anew", () => {
  const words = [
    start(design),
    ...toApproval(),
    answer("changes-requested/architecture", "no microservices"),
    submit("Architect", [architecture()]),
    answer("changes-requested/spec", "also offline"),
    ...toApproval(),
    answer("approved"),
  ];
  expect(trace(design, words)).toMatchInlineSnapshot(`
    "INTAKE, start-agent SpecAgent #1 (spec)
    DESIGN, stop-agent SpecAgent #1, start-agent Architect #1 (architect)
    APPROVE_DESIGN, stop-agent Architect #1, ask-person UD-APPROVE-DESIGN
    DESIGN, archive architecture, start-agent Architect #2 (architect)
    APPROVE_DESIGN, stop-agent Architect #2, ask-person UD-APPROVE-DESIGN
    INTAKE, archive spec architecture, start-agent SpecAgent #2 (spec)
    DESIGN, stop-agent SpecAgent #2, start-agent Architect #3 (architect)
    APPROVE_DESIGN, stop-agent Architect #3, ask-person UD-APPROVE-DESIGN
    PLAN"
  `);
});

test("only the options are answers; the fourth other one blocks the run for a person", () => {
  const words = [
    start(design),
    ...toApproval(),
    answer("approved? no"),
    answer("looks good"),
    answer("changes-requested/architecture"),
    answer("changes-requested", "in the spec"),
    answer("resume"),
    answer("approved"),
  ];
  expect(trace(design, words)).toMatchInlineSnapshot(`
    "INTAKE, start-agent SpecAgent #1 (spec)
    DESIGN, stop-agent SpecAgent #1, start-agent Architect #1 (architect)
    APPROVE_DESIGN, stop-agent Architect #1, ask-person UD-APPROVE-DESIGN
    APPROVE_DESIGN, invalid_answers 1, ask-person UD-APPROVE-DESIGN
    APPROVE_DESIGN, invalid_answers 2, ask-person UD-APPROVE-DESIGN
    APPROVE_DESIGN, invalid_answers 3, ask-person UD-APPROVE-DESIGN
    BLOCKED, ask-person UD-1
    APPROVE_DESIGN, ask-person UD-APPROVE-DESIGN
    PLAN"
  `);
});

test("an answer is bound to what was shown, and agents give none", () => {
  const blind: Word = () => ({
    type: "answered",
    by: HUMAN,
    at: AT,
    ask: "approve-design",
    answer: "approved",
    shown: "spec=old",
  });
  const forged: Word = (run) => ({
    type: "answered",
    by: agent(run, "Architect"),
    at: AT,
    ask: "approve-design",
    answer: "approved",
    shown: shownBy(design, run, "approve-design"),
  });
  expect(
    trace(design, [start(design), ...toApproval(), blind, forged])
      .split("\n")
      .slice(-2)
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "refused: stale: the content of UD-APPROVE-DESIGN has changed since it was shown
    refused: not-your-role: answering a question is for a person, not for Architect"
  `);
});

test("a question inside a question leads back step by step, and there is no third", () => {
  const nested = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: nested
title: Questions inside questions
roles: { worker: {} }
states:
  working: { enter: [start worker] }
  asked: { waits: true }
  escalated: { waits: true }
  beyond: { waits: true }
  done: { final: done }
moves:
  - { from: start, to: working, by: human }
  - { from: working, to: asked, by: human, remember: true }
  - { from: asked, to: escalated, by: human, remember: true }
  - { from: escalated, to: beyond, by: human, remember: true }
  - { from: [asked, escalated, beyond], to: origin, by: human }
  - { from: working, to: done, by: human, do: [stop all] }
ends:
  - { role: worker, in: [working, asked, escalated, beyond], else: { do: [mark worker] } }
`);
  const to = (state: string): Incoming => ({ type: "move-asked", by: HUMAN, at: AT, to: state });
  const words = [
    start(nested),
    to("asked"),
    to("escalated"),
    to("beyond"),
    to("working"),
    to("asked"),
    to("working"),
    to("done"),
  ];
  expect(trace(nested, words)).toMatchInlineSnapshot(`
    "working, start-agent worker #1 (worker)
    asked
    escalated
    refused: budget-spent: escalated to beyond: questions are at most 2 deep
    refused: not-in-map: no move leads from escalated to working; from here it goes to beyond, asked
    asked
    working
    done, stop-agent worker #1"
  `);
});

test("while a question is open, nobody moves the run by asking for it", () => {
  const ask: Word = () => ({ type: "move-asked", by: HUMAN, at: AT, to: "PLAN" });
  expect(
    trace(design, [start(design), ...toApproval(), ask])
      .split("\n")
      .at(-1),
  ).toBe("refused: waiting-for-person: run R1 waits for a person's answer to UD-APPROVE-DESIGN");
});

test("a fan-out that would need more members than it may have is refused, not cut", () => {
  const many = reading("1.1", {
    lists: { areas: Array.from({ length: 11 }, (_, index) => `area ${index}`) },
  });
  expect(
    trace(staged, [start(staged), submit("brainstormer", [many])])
      .split("\n")
      .at(-1),
  ).toBe(
    "refused: gate-not-met: 1.1 is invalid: .agents/tmp/phases/1.1-brainstorm.md must name 1 to 10 areas, with letters, digits, spaces, _ . and - only",
  );
});
