/** What people were asked, as files show it: records, every answer, and what followed it. */

import { expect, test } from "vitest";
import type { Incoming } from "../../src/core/model/event.ts";
import { project } from "../../src/core/projection/project.ts";
import { questionsIn, showsQuestions } from "../../src/core/projection/questions.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import type { Run } from "../../src/core/model/run.ts";
import { viewOf } from "../../src/core/projection/run-data.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, start, verdict } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const fixture = fixturesIn("good").find(({ name }) => name === "questions-that-are-shown.yaml");
const workflow = fixture === undefined ? undefined : checkFixture(fixture).workflow;
if (workflow === undefined) throw new Error("the corpus lacks it");
const { projections } = workflow.definition;

type Word = (run: Run) => Incoming;

const says =
  (word: "pass" | "needs_human"): Word =>
  (run) => ({ type: "submitted", by: agent(run, "designer"), at: AT, readings: [verdict("design", word)] });
const lives: Word = (run) => ({
  type: "agent-started",
  at: AT,
  role: "designer",
  slot: "",
  attempt: run.attempts["designer"] ?? 0,
});
const answers =
  (answer: string, text = ""): Word =>
  (run) => {
    if (workflow === undefined) throw new Error("the corpus lacks it");
    const ask = run.question?.ask ?? "";
    return { type: "answered", by: HUMAN, at: AT, ask, answer, text, shown: shownBy(workflow, run, ask) };
  };

function shown(words: readonly Word[]): readonly unknown[] {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const { run, events, lines } = play(workflow, [start(workflow), ...words]);
  expect(lines.filter((line) => line.startsWith("refused"))).toEqual([]);
  const view = viewOf(workflow, run, {});
  const root = {
    ...view,
    run: { ...view.run, ...questionsIn(workflow, events, ({ question }) => `${question}?`) },
  };
  return projections.map((each) => ("data" in each ? project(each.data, root) : null));
}

const APPROVE = {
  decision_id: "UD-APPROVE",
  question: "approve?",
  status: "pending",
  answer: null,
  reason: null,
  state_context: "APPROVE",
  asked_by: "designer",
  times: 1,
  invalid: 0,
};
const QUESTION = {
  ...APPROVE,
  decision_id: "UD-1",
  question: "question?",
  state_context: "DESIGN",
};
const BLOCKED = { ...APPROVE, decision_id: "UD-1", question: "blocked?", asked_by: "human" };
const CHANGED = { answer: "changes/design", text: "smaller" };
const LATER = { answer: "later", text: "on holiday" };

const change = [lives, says("pass"), answers("changes/design", "smaller")];

test.for<[string, readonly Word[], object, readonly object[]]>([
  ["nothing, before anybody is asked", [], { user_decisions: [] }, []],
  ["pending, when it is asked", [says("pass")], { user_decisions: [APPROVE] }, []],
  [
    "answered, with every answer",
    [says("pass"), answers("approved")],
    { user_decisions: [{ ...APPROVE, status: "answered", answer: "approved" }] },
    [{ answer: "approved", text: "" }],
  ],
  [
    "what is asked of a person for an agent, with where that leads back to",
    [says("needs_human")],
    { user_decisions: [QUESTION], resume_state: "DESIGN" },
    [],
  ],
  [
    "given up with the run",
    [says("needs_human"), answers("give-up")],
    {
      user_decisions: [
        { ...QUESTION, status: "cancelled", answer: "give-up", reason: "asking -> given-up, by human" },
      ],
    },
    [],
  ],
  [
    "ordered, when somebody else is to do it again",
    change,
    {
      user_decisions: [{ ...APPROVE, status: "answered", answer: "changes/design" }],
      correction: "queued",
      agent: "designer",
    },
    [CHANGED],
  ],
  [
    "at work, when it lives",
    [...change, lives],
    {
      user_decisions: [{ ...APPROVE, status: "answered", answer: "changes/design" }],
      correction: "dispatched",
      agent: "designer",
    },
    [CHANGED],
  ],
  [
    "done, when it is asked again: one record, and all answers",
    [...change, lives, says("pass")],
    { user_decisions: [{ ...APPROVE, times: 2 }], correction: "completed", agent: "designer" },
    [CHANGED],
  ],
  [
    "done still, when it is approved then",
    [...change, lives, says("pass"), answers("approved")],
    {
      user_decisions: [{ ...APPROVE, times: 2, status: "answered", answer: "approved" }],
      correction: "completed",
      agent: "designer",
    },
    [CHANGED, { answer: "approved", text: "" }],
  ],
  [
    "put off, with the reason",
    [says("pass"), answers("later", "on holiday")],
    {
      user_decisions: [{ ...APPROVE, status: "cancelled", answer: "later", reason: "on holiday" }, BLOCKED],
      resume_state: "APPROVE",
    },
    [LATER],
  ],
  [
    "asked anew after that",
    [says("pass"), answers("later", "on holiday"), answers("resume")],
    {
      user_decisions: [
        { ...APPROVE, asked_by: "human", times: 2 },
        { ...BLOCKED, status: "answered", answer: "resume" },
      ],
    },
    [LATER],
  ],
  [
    "cancelled, when nobody understood it",
    [says("pass"), answers("yes"), answers("sure")],
    {
      user_decisions: [
        {
          ...APPROVE,
          status: "cancelled",
          reason: 'asked 2 times: "sure" is not one of approved, changes, later',
          invalid: 2,
        },
        { ...BLOCKED, asked_by: "engine" },
      ],
      resume_state: "APPROVE",
    },
    [],
  ],
])("shown is %s", ([, words, expected, history]) => {
  const nothing = { correction: "none", agent: null, resume_state: null };
  expect(shown(words)).toEqual([{ ...nothing, ...expected }, history]);
});

test("of a workflow that shows nothing of it, nobody reads all that happened", () => {
  expect(showsQuestions(workflow.definition)).toBe(true);
  const names = ["task", "staged", "change", "design-approval"];
  expect(names.filter((name) => showsQuestions(loadWorkflow(name).definition))).toEqual([]);
});
