/** What the texts of a session must say before it goes on, and what it says of itself in turn. */

import { describe, expect, test } from "vitest";
import { readArtifact } from "../../src/format/reading/read.ts";
import { session, task } from "../support/orchestrated.ts";

/** Why a text does not count; nothing where it does. */
function faultsOf(name: string, text: string, { definition } = session): readonly string[] {
  const artifact = definition.artifacts[name];
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

const ANSWER = {
  summary: "Looked at",
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: "QA", recommended_task_id: "meta", reason: "it is due" },
};
const FINE = {
  security: "OK",
  architecture: "N/A",
  logic: "OK",
  performance: "OK",
  quality: "OK",
  devils_advocate: "OK",
};
const comment = (category: string): object => ({ severity: "nit", category, file: "a.ts", message: "So" });
const NO_ISSUE = 'is "issues_found", but no issue with that category is listed';

describe("a checklist that finds something lists it", () => {
  test.for<[status: string, found: object, categories: readonly string[], faults: readonly string[]]>([
    ["OK", {}, [], []],
    ["OK", {}, ["Logic"], []],
    ["OK", { logic: "issues_found" }, ["Logic"], []],
    ["OK", { logic: "issues_found" }, [], [`"artifacts.checklist_summary.logic" ${NO_ISSUE}`]],
    ["OK", { logic: "issues_found" }, ["Quality"], [`"artifacts.checklist_summary.logic" ${NO_ISSUE}`]],
    ["BLOCKED", { logic: "issues_found" }, ["Quality"], [`"artifacts.checklist_summary.logic" ${NO_ISSUE}`]],
    ["OK", { devils_advocate: "issues_found" }, ["Devil's Advocate"], []],
    [
      "OK",
      { security: "issues_found", devils_advocate: "issues_found" },
      [],
      [
        `"artifacts.checklist_summary.security" ${NO_ISSUE}`,
        `"artifacts.checklist_summary.devils_advocate" ${NO_ISSUE}`,
      ],
    ],
  ])("%s, %o, with comments on %j: %j", ([status, found, categories, faults]) => {
    const artifacts = {
      review_comments: categories.map(comment),
      checklist_summary: { ...FINE, ...found },
    };
    expect(faultsOf("review", JSON.stringify({ ...ANSWER, status, artifacts }), task)).toEqual(faults);
  });
});

describe("nothing passes untested", () => {
  test.for<[status: string, numbers: readonly [number, number, number], faults: readonly string[]]>([
    ["OK", [1, 0, 0], []],
    ["OK", [1, 0, 5], []],
    ["OK", [0, 0, 0], ['"OK" passes it, but no test was run']],
    ["OK", [0, 0, 5], ['"OK" passes it, but every test was skipped']],
    // Whether a failed one is passed is weighed, and told of the verdict.
    ["OK", [0, 1, 0], []],
    ["BLOCKED", [0, 0, 0], []],
    ["BLOCKED", [0, 1, 5], []],
  ])("%s with %j passed, failed and skipped: %j", ([status, [passed, failed, skipped], faults]) => {
    const total = passed + failed + skipped;
    const artifacts = { test_results: { total, passed, failed, skipped }, findings: [] };
    expect(faultsOf("qa-report", JSON.stringify({ ...ANSWER, status, artifacts }), task)).toEqual(faults);
  });
});

/** White space and signs that nobody sees. */
const UNSEEN = [
  " \n\t",
  "\u00A0",
  "\uFEFF",
  "\u200B\u200C\u200D",
  "\u00AD",
  "\u2060",
  "\u180E",
  "\u3164",
  "\u2800",
  "\uFE0F",
  "\u{E0041}",
  "\u0000\u001B",
  "\u202E",
];

describe("what nobody sees says nothing", () => {
  test.for(UNSEEN)("%j", (text) => {
    expect(faultsOf("notes", `${text}\n`)).toEqual([expect.stringMatching(/is empty|no text|NUL/)]);
    expect(faultsOf("design", text)).not.toEqual([]);
    expect(faultsOf("research", text)).not.toEqual([]);
    const headings = ["Overview", "Modules", "Risks"];
    const pages = headings.map((heading) => `## ${heading}\n\n${heading === "Risks" ? text : "So."}\n`);
    expect(faultsOf("architecture", pages.join("\n"))).not.toEqual([]);
    const listed = pages.map((each) => each.replace(text, () => `- ${text}`));
    expect(faultsOf("architecture", listed.join("\n"))).not.toEqual([]);
    expect(faultsOf("plan-shape", plan({ goal: text }))).toEqual(['"tasks[0].goal" is empty']);
    expect(faultsOf("plan-shape", plan({ done_when: [text] }))).toEqual(['"tasks[0].done_when[0]" is empty']);
    expect(faultsOf("acceptance", criteria({ ...CRITERION, verify: [`cmd:${text}`] }))).not.toEqual([]);
    expect(faultsOf("acceptance", criteria({ ...CRITERION, description: text }))).not.toEqual([]);
  });

  test("and a sign that somebody sees is enough", () => {
    for (const text of UNSEEN.slice(0, -2)) expect(faultsOf("notes", `${text}x`)).toEqual([]);
    // Words in which such signs belong.
    for (const text of ["\u{1F469}\u200D\u{1F4BB}", "می\u200Cخواهم"])
      expect(faultsOf("notes", text)).toEqual([]);
  });
});

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
  const needs = (from: string, to: string): readonly string[] => {
    const moves = (session.movesFrom[from] ?? []).filter((move) => move.to === to);
    return [...new Set(moves.flatMap(({ need }) => need))];
  };
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
