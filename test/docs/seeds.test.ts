/** docs/seeds.md lists the map of a built-in workflow row by row: the rows are made from the definition and compared. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Action, Condition, EndRule, Move } from "../../src/core/model/workflow.ts";
import { loadWorkflow } from "../support/workflows.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/seeds.md"), "utf8");

/** The cells of every row of the first table under a heading, without its head. */
function rowsUnder(heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}\n`);
  const lines = (after.split(/\n#+ /)[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

const seeds = [{ seed: "S4", workflow: "task", resolutions: 21, letter: "O" }] as const;

test.for(seeds)(
  "$seed: the page has every move of $workflow, with its actors, its gate and its effects",
  (of) => {
    const { definition } = loadWorkflow(of.workflow);
    const { moves, states } = definition;
    const rows = moves.map((move) => rowOf(move, states[move.to]?.enter ?? []));
    expect(rowsUnder(`### ${of.seed}: the map`).map((cells) => cells.slice(0, -1))).toEqual(rows);
  },
);

test.for(seeds)("$seed: the page has every rule about the end of an agent", ({ seed, workflow }) => {
  const rows = loadWorkflow(workflow).definition.ends.map(endOf);
  expect(rowsUnder(`### ${seed}: when an agent ends`)).toEqual(rows);
});

test.for(seeds)("$seed: every row says where it comes from", ({ seed, letter }) => {
  const from = rowsUnder(`### ${seed}: the map`).map((cells) => cells.at(-1) ?? "");
  const isSaid = new RegExp(`^(seed|added|${letter}-\\d+)(, (added|${letter}-\\d+))*$`);
  expect(from.filter((cell) => !isSaid.test(cell))).toEqual([]);
});

test("S3: the page has every phase of staged, with what it makes", () => {
  const { stages = [], artifacts } = loadWorkflow("staged").definition;
  const rows = stages.flatMap((stage) =>
    (stage.phases ?? []).map(({ id, title, type, makes }) => {
      const files = makes.map((name) => artifacts[name]?.file || "its tasks");
      return [id, stage.name, title, type, list(files)];
    }),
  );
  expect(rowsUnder("### S3: the schedule").map((cells) => cells.slice(0, -1))).toEqual(rows);
});

test.for(["the schedule", "the rules"])("S3: %s: every row says where it comes from", (table) => {
  const from = rowsUnder(`### S3: ${table}`).map((cells) => cells.at(-1) ?? "");
  expect(from.length).toBeGreaterThan(10);
  expect(from.filter((cell) => !/^seed(, W-\d+)*$/.test(cell))).toEqual([]);
});

test("S2: the page has every phase of change, with its states", () => {
  const { states } = loadWorkflow("change").definition;
  const rows = new Map<string, string[]>();
  for (const [name, { phase = name }] of Object.entries(states))
    rows.set(phase, [...(rows.get(phase) ?? []), name]);
  expect(rowsUnder("### S2: the phases").map((cells) => cells.slice(0, -1))).toEqual(
    [...rows].map(([phase, names]) => [phase, list(names)]),
  );
});

test.for(["the phases", "the rules"])("S2: %s: every row says where it comes from", (table) => {
  const from = rowsUnder(`### S2: ${table}`).map((cells) => cells.at(-1) ?? "");
  expect(from.length).toBeGreaterThan(6);
  expect(from.filter((cell) => !/^(seed(, A-\d+)*|added)$/.test(cell))).toEqual([]);
});

test("S2: every rule of the seed has a row", () => {
  const rules = rowsUnder("### S2: the rules").map(([rule = ""]) => rule.split(":")[0]);
  const all = ["WF-R1", "WF-R2", "WF-R3", "WF-R4", "WF-R5"];
  const others = ["chart of phases", "chart of plan", "chart of impl", "interface", "scenario"];
  expect([...new Set(rules)]).toEqual([...all, ...others]);
});

test("S0: the page has every phase of orchestrated, with the states of a session and of a task", () => {
  const rows = new Map<string, [string[], string[]]>();
  const put = (workflow: string, column: 0 | 1): void => {
    for (const [name, { phase }] of Object.entries(loadWorkflow(workflow).definition.states)) {
      if (phase === undefined) continue;
      const row = rows.get(phase) ?? [[], []];
      row[column].push(name);
      rows.set(phase, row);
    }
  };
  put("orchestrated", 0);
  put("orchestrated-task", 1);
  expect(rowsUnder("### S0: the phases").map((cells) => cells.slice(0, -1))).toEqual(
    [...rows].map(([phase, [session, task]]) => [phase, list(session), list(task)]),
  );
});

test.for(["S0: the phases", "S0: the rules", "S1: the rules"])(
  "%s: every row says where it comes from",
  (table) => {
    const from = rowsUnder(`### ${table}`).map((cells) => cells.at(-1) ?? "");
    expect(from.length).toBeGreaterThan(10);
    expect(from.filter((cell) => !/^(seed(, C-\d+)*|added)$/.test(cell))).toEqual([]);
  },
);

test("S0 and S1: each resolution is the reason of some row", () => {
  const tables = ["S0: the phases", "S0: the rules", "S1: the rules"];
  const from = tables.flatMap((table) => rowsUnder(`### ${table}`).map((cells) => cells.at(-1) ?? ""));
  const all = Array.from({ length: 28 }, (_, index) => `C-${index + 1}`);
  expect(all.filter((one) => !from.some((cell) => cell.split(", ").includes(one)))).toEqual([]);
});

test.for([
  ...seeds,
  { seed: "S0", resolutions: 28, letter: "C" },
  { seed: "S3", resolutions: 20, letter: "W" },
  { seed: "S2", resolutions: 15, letter: "A" },
])("$seed: every resolution is there, with a file that exists", ({ seed, resolutions, letter }) => {
  const rows = rowsUnder(`### ${seed}: resolutions`);
  expect(rows.map(([number]) => number)).toEqual(
    Array.from({ length: resolutions }, (_, index) => `${letter}-${index + 1}`),
  );
  const files = rows.map((cells) =>
    Array.from((cells.at(-1) ?? "").matchAll(/\]\(([^)#]+)/g), ([, path = ""]) => path),
  );
  expect(rows.filter((_, index) => files[index]?.length === 0)).toEqual([]);
  expect(files.flat().filter((path) => !existsSync(join(root, "docs", path)))).toEqual([]);
});

const list = (words: readonly string[]): string => (words.length === 0 ? "-" : words.join(", "));

function rowOf(move: Move, enter: readonly Action[]): string[] {
  const gate = [
    ...move.reserve.map((resource) => `a ${resource}`),
    ...move.need,
    ...move.when.map(sayCondition),
  ];
  const does = [
    ...move.count.map((counter) => `count ${counter}`),
    ...move.renew.map((scope) => `new ${scope}`),
    ...(move.remember ? ["remember"] : []),
    ...move.waive.map((artifact) => `waive ${artifact}`),
    ...[...move.do, ...enter].map(sayAction),
  ];
  return [move.from, move.to, list(move.by), list(gate), list(does)];
}

function endOf(end: EndRule): string[] {
  return [
    end.role,
    end.in,
    end.try ?? "-",
    list(end.then.map(sayAction)),
    list([...(end.count === undefined ? [] : [`count ${end.count}`]), ...end.do.map(sayAction)]),
  ];
}

function sayCondition(condition: Condition): string {
  switch (condition.type) {
    case "artifact":
      return `${condition.artifact} ${condition.in.join(" or ")}`;
    case "counter":
      return `${condition.counter} ${condition.is}`;
    case "field":
      return `${condition.artifact}.${condition.field} ${condition.in.join(" or ")}`;
    case "least":
    case "most":
    case "param":
    case "origin":
      return JSON.stringify(condition);
  }
}

function sayAction(action: Action): string {
  switch (action.type) {
    case "start":
      return `start ${action.role}${action.prompt === undefined ? "" : ` as ${action.prompt}`}`;
    case "tell":
      return `tell ${action.role} ${action.message}${orStart(action.orStart)}`;
    case "stop":
      return `stop ${action.role}`;
    case "mark":
      return `mark ${action.role}`;
    case "stop-all":
      return "stop all";
    case "start-next":
      return "start next";
    case "release":
      return `release ${action.resource}`;
    case "archive":
      return `archive ${action.artifacts.join(" ")}`;
    case "start-each":
    case "start-tasks":
    case "run":
    case "perform":
      return JSON.stringify(action);
  }
}

function orStart(prompt: string | undefined): string {
  if (prompt === undefined) return "";
  return prompt === "" ? " or start" : ` or start as ${prompt}`;
}
