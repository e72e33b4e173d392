/** Settings of a workflow: what each parameter takes, where it is looked for, and what is said of everything else. */
import { expect, test } from "vitest";
import type { Param } from "../../src/core/model/workflow.ts";
import { parseConfig } from "../../src/format/settings/config.ts";
import { showProblem } from "../../src/format/problem.ts";
import { settle } from "../../src/format/settings/workflow-settings.ts";

const PARAMS: Readonly<Record<string, Param>> = {
  goal: { type: "text", default: "", set: [] },
  explorers: { type: "int", min: 1, max: 10, default: 10, setting: "stages.EXPLORE.maxParallelAgents" },
  explore_model: { type: "text", default: "", set: [], setting: "stages.EXPLORE.model" },
  test_stage: { type: "bool", default: true, setting: "stages.TEST.enabled" },
  block: {
    type: "enum",
    values: ["low", "medium", "high"],
    default: "low",
    setting: "defaults.blockOnSeverity",
  },
  exclude: { type: "text", default: "", set: [], setting: "stages.FINAL.git.excludePatterns" },
  backoff: { type: "text", default: "", set: [], setting: "retries.backoffSeconds" },
  mode_now: { type: "text", default: "full", set: [], kept: true },
};

/** The values that the text has, or all that is wrong with it. */
function read(text: string): unknown {
  const parsed = parseConfig({ file: "c", bytes: new TextEncoder().encode(text), scope: "user" });
  if (parsed.problems.length > 0) return parsed.problems.map(showProblem);
  const tree = parsed.config.workflows?.["w"] ?? {};
  const { values, problems } = settle({ name: "w", params: PARAMS }, tree, parsed);
  if (problems.length > 0) return problems.map(showProblem);
  return Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));
}

const inside = (line: string): string => `workflows:\n  w:\n    ${line}\n`;

test.for<[line: string, values: Readonly<Record<string, unknown>>]>([
  ["goal: x", { goal: "x" }],
  [
    "stages: { EXPLORE: { maxParallelAgents: 4, model: opus-4.5 } }",
    { explorers: 4, explore_model: "opus-4.5" },
  ],
  ["stages: { TEST: { enabled: false } }", { test_stage: false }],
  ["defaults: { blockOnSeverity: medium }", { block: "medium" }],
  [
    'stages: { FINAL: { git: { excludePatterns: [".agents/**", "*.log"] } } }',
    { exclude: ".agents/**\n*.log" },
  ],
  ["stages: { FINAL: { git: { excludePatterns: [] } } }", { exclude: "" }],
  ["retries: { backoffSeconds: [5, 15, 30] }", { backoff: "5\n15\n30" }],
  ["stages: {}", {}],
])("%s", ([line, values]) => {
  expect(read(inside(line))).toEqual(values);
});

test.for<[line: string, said: string]>([
  [
    "stages: { TSET: { enabled: false } }",
    'c:3:15: the workflow w has no setting "TSET" in stages (did you mean "TEST"?)',
  ],
  [
    "stages: { TEST: { enabeld: false } }",
    'c:3:23: the workflow w has no setting "enabeld" in stages.TEST (did you mean "enabled"?)',
  ],
  [
    "test_stage: false",
    'c:3:5: the workflow w has no setting "test_stage"; there are goal, stages, defaults, retries',
  ],
  [
    "mode_now: lean",
    'c:3:5: the workflow w has no setting "mode_now"; there are goal, stages, defaults, retries',
  ],
  [
    "toString: x",
    'c:3:5: the workflow w has no setting "toString"; there are goal, stages, defaults, retries',
  ],
  ["stages: { TEST: { enabled: nope } }", 'c:3:32: stages.TEST.enabled is true or false, not "nope"'],
  ["stages: { TEST: { enabled: { x: 1 } } }", "c:3:32: stages.TEST.enabled is true or false, not a map"],
  ["stages: { TEST: true }", "c:3:21: stages.TEST is a map, with enabled"],
  [
    "stages: { EXPLORE: { maxParallelAgents: 11 } }",
    "c:3:45: stages.EXPLORE.maxParallelAgents is a whole number from 1 to 10, not 11",
  ],
  [
    "stages: { EXPLORE: { maxParallelAgents: [1] } }",
    "c:3:45: stages.EXPLORE.maxParallelAgents is a whole number from 1 to 10, not a list",
  ],
  [
    "stages: { EXPLORE: { model: 4.5 } }",
    "c:3:33: stages.EXPLORE.model is a text, or a list of its lines, not 4.5: put it into quotes",
  ],
  [
    "defaults: { blockOnSeverity: lwo }",
    'c:3:34: defaults.blockOnSeverity is one of low, medium, high, not "lwo"',
  ],
  [
    'retries: { backoffSeconds: ["a\\nb"] }',
    "c:3:32: retries.backoffSeconds has a member of more than one line: each becomes a line of the text",
  ],
  ["stages:", 'c:3:12: "stages" is missing, or is empty'],
])("%s: refused with its place", ([line, said]) => {
  expect(read(inside(line))).toEqual([said]);
});

test("everything that is wrong is told at once", () => {
  expect(read("workflows:\n  w:\n    goals: x\n    stages:\n      TEST: { enabled: 1 }\n")).toEqual([
    'c:3:5: the workflow w has no setting "goals" (did you mean "goal"?)',
    "c:5:24: stages.TEST.enabled is true or false, not 1",
  ]);
});
