/** What the texts of a session must say before it goes on, and what it says of itself in turn. */

import { describe, expect, test } from "vitest";
import { readArtifact } from "../../src/format/read.ts";
import { session } from "../support/orchestrated.ts";

/** Why a text does not count; nothing where it does. */
function faultsOf(name: string, text: string): readonly string[] {
  const artifact = session.definition.artifacts[name];
  if (artifact === undefined) throw new Error(`there is no ${name}`);
  const bytes = new TextEncoder().encode(text);
  return readArtifact(name, artifact, { file: "f", bytes, slot: "" }).faults.map(({ reason }) => reason);
}

const page = (...headings: readonly string[]): string =>
  headings.map((heading) => `## ${heading}\n\nSomething.\n`).join("\n");

const CRITERION = { id: "AC-001", description: "It works", verify: ["cmd: npm test"] };
const criteria = (...all: readonly object[]): string => JSON.stringify({ acceptance_criteria: all });

const TASK = {
  id: "T-001",
  status: "not-started",
  type: "feat",
  title: "It",
  goal: "It is there",
  depends_on: [],
  files_expected: ["a.ts"],
  acceptance_checks: ["cmd: npm test"],
  done_when: ["it is there"],
  complexity: "easy",
  needs_qa: true,
  needs_security: false,
};
const PROJECT = { name: "It", definition_of_done: ["it works"] };
const plan = (more: object = {}): string =>
  JSON.stringify({ project: PROJECT, tasks: [{ ...TASK, ...more }] });

describe("a text", () => {
  test.for<[artifact: string, text: string, fault: string]>([
    ["spec", page("Goals", "Acceptance Criteria", "Definition of Done"), ""],
    ["spec", page("Goals", "Acceptance Criteria"), 'the heading "Definition of Done" is missing'],
    ["spec", page("Goals", "Definition of Done"), 'the heading "Acceptance Criteria" is missing'],
    ["spec", page("Goal", "Acceptance Criteria", "Definition of Done"), 'the heading "Goals" is missing'],
    ["spec", `${page("Goals", "Acceptance Criteria")}\n## Definition of Done\n`, "Definition of Done"],
    ["lean-spec", page("Goal", "Acceptance Criteria"), ""],
    ["lean-spec", page("Goal"), 'the heading "Acceptance Criteria" is missing'],
    ["architecture", page("Overview", "Modules", "Risks"), ""],
    ["architecture", page("Overview", "Modules"), 'the heading "Risks" is missing'],
    ["architecture", page("Overview", "Risks"), 'the heading "Modules" is missing'],
    ["architecture", page("Modules", "Risks"), 'the heading "Overview" is missing'],
    ["acceptance", criteria(CRITERION), ""],
    ["acceptance", criteria(), "must have at least 1 members"],
    ["acceptance", criteria({ ...CRITERION, id: undefined }), "id"],
    ["acceptance", criteria({ ...CRITERION, description: undefined }), "description"],
    ["acceptance", criteria({ ...CRITERION, id: "1" }), 'must begin with "AC-"'],
    ["acceptance", criteria({ ...CRITERION, verify: [] }), "must have at least 1 members"],
    ["acceptance", criteria({ ...CRITERION, verify: ["npm test"] }), 'must begin with "cmd:" or "manual:"'],
    ["acceptance", criteria({ ...CRITERION, verify: ["cmd: "] }), "says nothing after"],
    ["acceptance", "# Criteria", "a JSON value is expected"],
    ["research", "It is so.", ""],
    ["research", " \n", "empty"],
    ["design", "", "empty"],
    ["notes", "", "empty"],
    ["plan-shape", plan(), ""],
    ["plan-shape", plan({ non_goals: ["more"], context_files: ["a.md"], risk_flags: ["perf"] }), ""],
    ["plan-shape", plan({ id: "meta" }), 'must begin with "T-"'],
    ["plan-shape", plan({ id: "../T-1" }), 'must begin with "T-"'],
    ["plan-shape", plan({ status: "done" }), "allowed are not-started"],
    ["plan-shape", plan({ type: "idea" }), "allowed are feat"],
    ["plan-shape", plan({ acceptance_checks: [] }), "must have at least 1 members"],
    ["plan-shape", plan({ acceptance_checks: ["npm test"] }), 'must begin with "cmd:" or "manual:"'],
    ["plan-shape", plan({ done_when: [] }), "must have at least 1 members"],
    ["plan-shape", plan({ complexity: "huge" }), "allowed are easy"],
    ["plan-shape", plan({ needs_qa: "maybe" }), "must be a boolean"],
    ["plan-shape", plan({ risk_flags: ["danger"] }), "allowed are security"],
    ["plan-shape", plan({ priority: 1 }), "is unknown"],
    ["plan-shape", JSON.stringify({ project: PROJECT, tasks: [] }), "must have at least 1 members"],
    ["todo", plan({ depends_on: ["T-002"] }), "T-002"],
    ["todo", plan({ depends_on: ["T-001"] }), "T-001"],
  ])("%s, %j: %s", ([artifact, text, fault]) => {
    const faults = faultsOf(artifact, text);
    expect(faults.join("; ")).toContain(fault);
    expect(faults.length === 0).toBe(fault === "");
  });

  test.for(Object.keys(TASK))("a task without %s is none", (key) => {
    expect(faultsOf("plan-shape", plan({ [key]: undefined })).length).toBeGreaterThan(0);
  });
});

test("what the texts must say is asked for where they are used", () => {
  const needs = (from: string, to: string): readonly string[] =>
    (session.movesFrom[from] ?? []).filter((move) => move.to === to).flatMap(({ need }) => need);
  expect(needs("INTAKE", "DESIGN")).toEqual(["spec", "acceptance"]);
  expect(needs("INTAKE", "RESEARCH")).toEqual(["spec", "acceptance"]);
  expect(needs("INTAKE_LEAN", "LEAN_CODE")).toEqual(["lean-spec", "acceptance"]);
  expect(needs("RESEARCH", "DESIGN")).toEqual(["research"]);
  expect(needs("DESIGN", "APPROVE_DESIGN")).toEqual(["architecture"]);
  expect(needs("DESIGN_UI", "APPROVE_DESIGN")).toEqual(["design"]);
  expect(needs("APPROVE_DESIGN", "PLAN")).toEqual(["spec", "acceptance", "architecture"]);
  expect(needs("PLAN", "REVIEW_STRATEGY")).toEqual(["todo", "plan-shape"]);
  expect(needs("PLAN", "REVIEW_STRATEGY_LARGE")).toEqual(["todo", "plan-shape"]);
});
