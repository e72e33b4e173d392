/** What the agents of a team are given and give back: the published schemas, and workflows beside them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_INPUTS, AGENT_OUTPUTS, AGENT_SCHEMAS, CONTEXT } from "../../scripts/agent-contract.ts";
import { breachesOf, refusalsOf } from "../support/agent-contract.ts";
import { fromText, loadWorkflow } from "../support/workflows.ts";

const ROLES = Object.keys(CONTEXT);

const contextOf = (role: string): readonly string[] => {
  const found = Object.entries(CONTEXT).find(([name]) => name === role);
  return found === undefined ? [] : [...found[1].required, ...found[1].optional];
};
const CONTEXT_FILES = [...new Set(ROLES.flatMap(contextOf))];

test.for(Object.entries(AGENT_SCHEMAS))(
  "%s is current, and has each role: npm run schema",
  ([name, schema]) => {
    const published = readFileSync(join(import.meta.dirname, "../../schema", name), "utf8");
    expect(`${JSON.stringify(schema(), undefined, 2)}\n`).toBe(published);
    expect(Object.keys(schema()["$defs"] as object)).toEqual(ROLES);
  },
);

type Data = Readonly<Record<string, unknown>>;

const ANSWER = {
  status: "OK",
  summary: "All of it",
  artifacts: {},
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "Done" },
};
const REPORT = {
  what_was_done: "It",
  how_to_run: "npm start",
  how_to_test: "npm test",
  commitMessage: "Do it",
};
const CODED = { behaviour_changed: true, security_relevant: false, complexity_found: false };
const OPTION = { id: "OPT-1", label: "A", pros: ["quick"], cons: [], effort: "a day", recommended: true };
const COMMENT = { severity: "nit", category: "Devil's Advocate", file: "a.ts", line: 3, message: "Why?" };
const CHECKED = {
  security: "OK",
  architecture: "OK",
  logic: "OK",
  performance: "N/A",
  quality: "issues_found",
  devils_advocate: "OK",
};
const TESTS = { total: 3, passed: 2, failed: 1, skipped: 0 };
const FINDING = {
  id: "sec-1",
  severity: "critical",
  category: "Auth",
  file: "a.ts",
  description: "Open",
  recommended_fix: "Shut it",
};

/** What each role adds: at least this. */
const ADDED: Readonly<Record<string, { readonly artifacts?: Data; readonly more?: Data }>> = {
  SpecAgent: { more: { ui: false, needs_research: true } },
  Researcher: { artifacts: { research_summary: "S", confidence: "high" } },
  Architect: {},
  Designer: { artifacts: { design_spec_file: "d.md" } },
  Planner: { more: { large: false } },
  Coder: { more: CODED },
  Reviewer: { artifacts: { review_comments: [COMMENT], checklist_summary: CHECKED } },
  QA: { artifacts: { test_results: TESTS, findings: [{ severity: "low", description: "Slow" }] } },
  Security: { artifacts: { findings: [FINDING] } },
  Integrator: {},
  Docs: { more: { readme: "current", ...REPORT } },
};

function answerOf(role: string, artifacts: Data = {}, more: Data = {}): Data {
  const added = ADDED[role] ?? {};
  return { ...ANSWER, ...added.more, ...more, artifacts: { ...added.artifacts, ...artifacts } };
}

describe("an answer", () => {
  const takes = (role: string, data: unknown): boolean | undefined =>
    AGENT_OUTPUTS[role]?.safeParse(JSON.parse(JSON.stringify(data))).success;

  test.for(ROLES)("of %s: as little as it may be, and nothing less or more", (role) => {
    const least = answerOf(role);
    expect(takes(role, least)).toBe(true);
    for (const key of Object.keys(least))
      expect([key, takes(role, { ...least, [key]: undefined })]).toEqual([key, false]);
    for (const key of Object.keys(ADDED[role]?.artifacts ?? {}))
      expect([key, takes(role, answerOf(role, { [key]: undefined }))]).toEqual([key, false]);
    expect(takes(role, { ...least, verdict: "PASS" })).toBe(false);
    expect(takes(role, answerOf(role, { verdict: "PASS" }))).toBe(false);
    expect(takes(role, [least])).toBe(false);
  });

  test.for<[status: string, roles: readonly string[]]>([
    ["OK", ROLES],
    ["BLOCKED", ROLES],
    ["NEEDS_INFO", ["Researcher"]],
    ["NEEDS_DECISION", ["Security"]],
    ["FAIL", []],
    ["ok", []],
    ["", []],
  ])("that says %j is one of %j", ([status, roles]) => {
    expect(ROLES.filter((role) => takes(role, answerOf(role, {}, { status })))).toEqual(roles);
  });

  test.for<[role: string, artifacts: Data, more: Data, isTaken: boolean]>([
    [
      "SpecAgent",
      { manual_steps: ["Look"], notes: ["n"], commands_to_run: ["c"] },
      { assumptions: ["a"], known_issues: [] },
      true,
    ],
    ["SpecAgent", { notes: "n" }, {}, false],
    ["SpecAgent", {}, { summary: "" }, false],
    ["SpecAgent", {}, { ui: "no" }, false],
    ["SpecAgent", {}, { next: { ...ANSWER.next, recommended_agent: "Designer" } }, true],
    ["SpecAgent", {}, { next: { ...ANSWER.next, recommended_agent: "designer" } }, false],
    ["SpecAgent", {}, { gates: { ...ANSWER.gates, needs_tests: "yes" } }, false],
    ["SpecAgent", { review_comments: [COMMENT] }, {}, false],
    ["Researcher", { options: [OPTION] }, {}, true],
    ["Researcher", { options: [{ ...OPTION, recommended: "yes" }] }, {}, false],
    ["Researcher", { confidence: "sure" }, {}, false],
    ["Architect", { adrs: ["adr/1.md"] }, {}, true],
    ["Designer", { design_spec_inline: "# D" }, {}, true],
    ["Coder", { patch_summary: ["p"], files_changed: ["a.ts"], tests_added_or_updated: [] }, REPORT, true],
    ["Coder", {}, { large: true }, false],
    ["Reviewer", { review_comments: [] }, {}, true],
    ["Reviewer", { review_comments: [{ ...COMMENT, severity: "high" }] }, {}, false],
    ["Reviewer", { review_comments: [{ ...COMMENT, category: "Style" }] }, {}, false],
    ["Reviewer", { review_comments: ["Why?"] }, {}, false],
    ["Reviewer", { checklist_summary: { ...CHECKED, logic: "fine" } }, {}, false],
    ["Reviewer", { checklist_summary: { ...CHECKED, logic: undefined } }, {}, false],
    ["QA", { coverage_gaps: ["g"], test_results: { ...TESTS, output: "o" } }, {}, true],
    ["QA", { test_results: { ...TESTS, total: undefined } }, {}, false],
    ["QA", { test_results: { ...TESTS, failed: -1 } }, {}, false],
    ["Security", { findings: [{ ...FINDING, category: "CSRF" }] }, {}, false],
    ["Security", { findings: [{ ...FINDING, severity: "blocker" }] }, {}, false],
    ["Integrator", { ci_notes: ["green"] }, {}, true],
    ["Docs", {}, { readme: "yes" }, false],
  ])("of %s with artifacts %j and %j: %s", ([role, artifacts, more, isTaken]) => {
    expect(takes(role, answerOf(role, artifacts, more))).toBe(isTaken);
  });
});

const TASK = {
  id: "T-001",
  title: "Dates",
  goal: "Dates are right",
  non_goals: [],
  context_files: [".agents-work/s/spec.md"],
  session_changed_files: [],
  constraints: [],
  acceptance_checks: ["cmd: npm test", "manual: look at it"],
  risk_flags: ["none"],
};

function inputOf(role: string, task: Data = {}, more: Data = {}): Data {
  return {
    task: { ...TASK, ...task },
    repo_state: { branch: "main", ci_status: "unknown" },
    project_type: "lib",
    tools_available: ["git"],
    artifact_list: [],
    ...(role === "Researcher" ? { research_question: "Which?" } : {}),
    ...more,
  };
}

describe("an input", () => {
  const takes = (role: string, data: unknown): boolean | undefined =>
    AGENT_INPUTS[role]?.safeParse(JSON.parse(JSON.stringify(data))).success;

  test.for(ROLES)("of %s: all of it, and nothing more", (role) => {
    const least = inputOf(role);
    expect(takes(role, least)).toBe(true);
    for (const key of Object.keys(least))
      expect([key, takes(role, { ...least, [key]: undefined })]).toEqual([key, false]);
    for (const key of Object.keys(TASK))
      expect([key, takes(role, inputOf(role, { [key]: undefined }))]).toEqual([
        key,
        key === "session_changed_files" && role !== "Reviewer",
      ]);
    expect(takes(role, { ...least, me: 1 })).toBe(false);
  });

  test.for<[changed: unknown, isTaken: boolean]>([
    [{ path: "a", change_type: "added" }, true],
    [{ path: "a", change_type: "deleted", old_path: null }, true],
    [{ path: "b", change_type: "renamed", old_path: "a" }, true],
    [{ path: "b", change_type: "renamed" }, false],
    [{ path: "b", change_type: "renamed", old_path: null }, false],
    [{ path: "b", change_type: "modified", old_path: "a" }, false],
    [{ path: "a", change_type: "copied" }, false],
    [{ path: "a", type: "added" }, false],
    ["a", false],
  ])("with the changed file %j: %s", ([changed, isTaken]) => {
    expect(takes("Reviewer", inputOf("Reviewer", { session_changed_files: [changed] }))).toBe(isTaken);
  });

  test.for<[role: string, task: Data, more: Data, isTaken: boolean]>([
    ["SpecAgent", {}, { lean: true }, true],
    ["Coder", {}, { lean: true }, false],
    ["Coder", {}, { research_question: "Which?" }, false],
    ["Coder", { files: ["a.ts"] }, {}, true],
    ["Coder", { acceptance_checks: ["npm test"] }, {}, false],
    ["Coder", { risk_flags: ["danger"] }, {}, false],
    ["Coder", {}, { project_type: "game" }, false],
    [
      "Coder",
      {},
      { repo_state: { branch: "main", ci_status: "red", last_failed_step: null, base: "1" } },
      true,
    ],
    ["Coder", {}, { repo_state: { branch: "main" } }, false],
  ])("of %s with %j and %j: %s", ([role, task, more, isTaken]) => {
    expect(takes(role, inputOf(role, task, more))).toBe(isTaken);
  });
});

describe("a workflow is held to it", () => {
  const FOLDER = join(import.meta.dirname, "../../workflows");

  test.for(readdirSync(FOLDER))("%s", (name) => {
    expect(breachesOf(loadWorkflow(name))).toEqual([]);
    expect(refusalsOf(loadWorkflow(name))).toEqual([]);
  });

  const GIVEN = {
    task: `{ id: meta, title: { from: params.goal }, goal: "", non_goals: [], context_files: { from: dispatch.context }, constraints: [], acceptance_checks: [], risk_flags: [none] }`,
    repo_state: "{ branch: { from: dispatch.branch }, ci_status: unknown }",
    project_type: "lib",
    tools_available: "[git]",
    artifact_list: "{ each: dispatch.artifacts, give: { from: item.file } }",
  };
  const CHANGED =
    "{ each: dispatch.changed, give: { path: { from: item.path }, change_type: { from: item.type }, old_path: { from: item.from } } }";

  test.for<
    [what: string, role: string, given: Readonly<Record<string, string>>, breaches: readonly string[]]
  >([
    ["as it should be", "Planner", {}, []],
    ["a lean one", "SpecAgent", { lean: "{ from: params.lean, else: true }" }, []],
    [
      "a word that is looked up, or another",
      "SpecAgent",
      { lean: "{ from: params.lean, else: maybe }" },
      ["SpecAgent input.lean is maybe"],
    ],
    ["one of cases", "SpecAgent", { lean: "{ from: params.lean, cases: { lean: true }, else: false }" }, []],
    [
      "a case that is none",
      "SpecAgent",
      { lean: "{ from: params.lean, cases: { lean: yes-lean } }" },
      ["SpecAgent input.lean is yes-lean"],
    ],
    ["a key more", "Planner", { mode: "lean" }, ["Planner input.mode is no part of the contract"]],
    [
      "a key less",
      "Planner",
      { repo_state: "{ branch: main }" },
      ["Planner input.repo_state.ci_status is missing"],
    ],
    ["another word", "Planner", { project_type: "game" }, ["Planner input.project_type is game"]],
    ["no list", "Planner", { tools_available: "{ a: git }" }, ["Planner input.tools_available is no list"]],
    ["a list", "Planner", { project_type: "[lib]" }, ["Planner input.project_type is a list"]],
    ["a map", "Planner", { project_type: "{ is: lib }" }, ["Planner input.project_type is a map"]],
    ["nothing of what has changed", "Reviewer", {}, ["Reviewer input.task.session_changed_files is missing"]],
    [
      "what has changed",
      "Reviewer",
      { task: GIVEN.task.replace(/ }$/, `, session_changed_files: ${CHANGED} }`) },
      [],
    ],
  ])("an input: %s", ([, role, given, breaches]) => {
    const data = Object.entries({ ...GIVEN, ...given }).map(([key, tree]) => `        ${key}: ${tree}`);
    const context = CONTEXT_FILES.filter((file) => contextOf(role).includes(file));
    const files = context.map((file, index) => `  c${index}: { in: ${file}, file: true, by: human }`);
    const workflow = fromText(
      `$schema: workflow-1.schema.json
name: team
title: One is told with a contract
params: { goal: { text: "" }, lean: { text: "" } }
artifacts:
  answer: { in: answer.md, file: true, by: ${role} }
${files.join("\n")}
roles:
  ${role}:
    context: [${context.map((_, index) => `c${index}?`).join(", ")}]
    prompt: worker
    input:
      file: contract/${role}.input.json
      data:
${data.join("\n")}
states: { open: { enter: [start ${role}] }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human, reserve: workspace }
  - { from: open, to: closed, by: human, need: answer }
ends: [{ role: ${role}, in: open, else: { do: [mark ${role}] } }]
`,
    );
    expect(breachesOf(workflow)).toEqual(breaches);
  });

  const GATES =
    "{ object: { meets_definition_of_done: boolean, needs_review: boolean, needs_tests: boolean, security_concerns: { list: text } } }";
  const COMMON = `summary: text, gates: ${GATES}, next: { object: { recommended_agent: text, recommended_task_id: text, reason: text } }`;

  test.for<[what: string, shape: string, breaches: readonly string[]]>([
    [
      "as it should be",
      `{ object: { status: [OK, BLOCKED], large: boolean, artifacts: { object: { notes?: { list: text } } }, ${COMMON} } }`,
      [],
    ],
    ["any JSON", "true", ["Planner: any answer is taken"]],
    [
      "open",
      `{ object: { status: [OK, BLOCKED], large: boolean, artifacts: { object: {} }, ${COMMON} }, open: true }`,
      ["Planner may have any key"],
    ],
    [
      "a key less",
      `{ object: { status: [OK, BLOCKED], artifacts: { object: {} }, ${COMMON} } }`,
      ["Planner.large may be missing"],
    ],
    [
      "a key that may be missing",
      `{ object: { status: [OK, BLOCKED], large?: boolean, artifacts: { object: {} }, ${COMMON} } }`,
      ["Planner.large may be missing"],
    ],
    [
      "a key more",
      `{ object: { status: [OK, BLOCKED], large: boolean, artifacts: { object: { adrs: text } }, ${COMMON} } }`,
      ["Planner.artifacts.adrs is no part of the contract"],
    ],
    [
      "another kind",
      `{ object: { status: [OK, BLOCKED], large: text, artifacts: { object: { notes: { list: number } } }, ${COMMON} } }`,
      ["Planner.large is a string", "Planner.artifacts.notes[] is a number"],
    ],
    [
      "a word more",
      `{ object: { status: [OK, BLOCKED, FAIL], large: boolean, artifacts: { object: {} }, ${COMMON} } }`,
      ["Planner.status may be FAIL"],
    ],
    [
      "a word less",
      `{ object: { status: [OK], large: boolean, artifacts: { object: {} }, ${COMMON} } }`,
      ["Planner.status may not be BLOCKED"],
    ],
    [
      "any word",
      `{ object: { status: text, large: boolean, artifacts: { object: {} }, ${COMMON} } }`,
      ["Planner.status may be any word"],
    ],
  ])("%s", ([, shape, breaches]) => {
    const workflow = fromText(
      `$schema: workflow-1.schema.json
name: team
title: One plans with a contract
artifacts:
  answer: { in: contract/Planner.output.json, by: human, json: ${shape} }
states: { open: { waits: true }, closed: { final: done } }
moves: [{ from: start, to: open, by: human }, { from: open, to: closed, by: human, need: answer }]
`,
      {},
    );
    expect(breachesOf(workflow)).toEqual(breaches);
  });
});
