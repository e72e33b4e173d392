/** What a session of `orchestrated` asks in parts: questions of its agents, and what only a person can check. */

import { expect, test } from "vitest";
import { questionsIn } from "../../src/core/projection/questions.ts";
import { live, session, type Lived } from "../support/orchestrated.ts";

function lived(agents: Readonly<Record<string, string>>, people: string): Lived {
  return live(session, { agents, people: people === "" ? [] : people.split(", ") });
}

const questions = ({ events }: Lived) =>
  questionsIn(session, events, () => "").questions.filter(({ ask }) => ask === "question");

test.for<[role: string, before: string, spec: string]>([
  ["SpecAgent", "", "BLOCKED asks"],
  ["Researcher", "", "OK research"],
  ["Architect", "", "OK"],
  ["Designer", "", "OK ui"],
  ["Planner", "approved, ", "OK"],
  ["Integrator", "approved, per-batch, ", "OK"],
  ["Docs", "approved, per-batch, attested, ", "OK"],
])("each question of %s is answered by itself; what nobody answers is cancelled", ([role, before, spec]) => {
  const after = lived({ SpecAgent: spec, [role]: "BLOCKED asks, OK asks" }, `${before}Which?=answer`);
  expect(after.called.filter((each) => each === role)).toHaveLength(2);
  expect(questions(after).map(({ part, status, reason }) => [part, status, reason])).toEqual([
    ["Which?", "answered", null],
    ["When?", "cancelled", "no response provided"],
  ]);
});

test("who asks later is not asked again what somebody else wanted to know", () => {
  const agents = { SpecAgent: "BLOCKED asks, OK asks", Planner: "BLOCKED" };
  const asked = questions(lived(agents, "answer, approved, answer"));
  expect(asked.map(({ part, askedBy }) => [part, askedBy])).toEqual([
    ["Which?", "SpecAgent"],
    ["When?", "SpecAgent"],
    [null, "Planner"],
  ]);
});

test.for<[people: string, way: string]>([
  ["manual: look=attested", "ATTEST"],
  ["manual: look=attested, manual: try it=attested", "ATTEST RELEASE HANDOVER COMMIT TAG DONE"],
  ["attested", "ATTEST RELEASE HANDOVER COMMIT TAG DONE"],
  ["manual: try it=failed, manual: look=attested", "ATTEST FIX_BUILD CHECKS ATTEST"],
])("what only a person can check, of criteria and of tasks: %s", ([people, way]) => {
  const after = lived({}, `approved, per-batch, ${people}`).way;
  expect(after.slice(after.indexOf("ATTEST")).join(" ")).toBe(way);
});

test("questions without a name are numbered one after the other, whatever gates lie between", () => {
  const agents = { SpecAgent: "BLOCKED, OK", Planner: "BLOCKED, OK", Integrator: "BLOCKED asks, OK" };
  const people = "answer, cancel, resume, approved, answer, per-batch, answer, attested";
  const asked = questionsIn(session, lived(agents, people).events, () => "").questions;
  expect(asked.map(({ id }) => id)).toEqual([
    "UD-1",
    "UD-APPROVE-DESIGN",
    "UD-2",
    "UD-3",
    "UD-REVIEW-STRATEGY",
    "UD-4.1",
    "UD-4.2",
    "UD-5.1",
    "UD-5.2",
  ]);
});
