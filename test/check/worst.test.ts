import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import { compile, type Workflow } from "../../src/core/model/compile.ts";
import type { Run } from "../../src/core/model/run.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import type { Param } from "../../src/core/model/workflow.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { checkFixture, fixturesIn } from "./corpus.ts";
import { walk, worstOf } from "./naive.ts";

const NODES_MAX = 100_000;

/** The built-in task workflow, with every budget set to one number. */
function task(budget: number): Workflow {
  const folder = new URL("../../workflows/task/", import.meta.url);
  const prompts = Object.fromEntries(
    readdirSync(new URL("prompts/", folder)).map((file) => {
      const text = readFileSync(new URL(`prompts/${file}`, folder), "utf8");
      return [file.replace(/\.md$/, ""), { file, text }];
    }),
  );
  const bytes = readFileSync(new URL("workflow.yaml", folder));
  const parsed = parseWorkflow({ file: "workflow.yaml", bytes, prompts });
  if (!parsed.ok) throw new Error("the task workflow has problems");
  const { definition } = parsed.workflow;
  const params: Record<string, Param> = {};
  for (const [name, param] of Object.entries(definition.params))
    params[name] = param.type === "int" ? { ...param, min: budget, max: budget, default: budget } : param;
  return compile({ ...definition, params }, () => "task");
}

test.for(process.env["SIGNALBOX_DEEP"] === undefined ? [] : [1, 2])(
  "the worst case of task with budgets of %i is what a naive walk finds",
  (budget) => {
    const workflow = task(budget);
    const naive = walk(workflow, { max: NODES_MAX, people: "ask" });
    expect(naive.complete).toBe(true);
    const { defects, worst } = check(workflow);
    expect(defects).toEqual([]);
    const found = worstOf(naive) ?? {};
    expect(Object.keys(found).toSorted()).toEqual(["moves", "start reviewer", "start worker"]);
    expect(Object.fromEntries(Object.keys(found).map((name) => [name, worst[name]]))).toEqual(found);
  },
);

test.for<[string, (workflow: Workflow, run: Run) => boolean]>([
  ["left-alive-in-one-ending.yaml", (_workflow, run) => run.state === "cancelled" && isUp(run, "reviewer")],
  [
    "death-without-a-rule-in-one-state.yaml",
    (_workflow, run) => run.state === "looking" && isUp(run, "worker"),
  ],
  [
    "never-violated.yaml",
    (workflow, run) =>
      run.state === "closed" && !["pass", "waived"].includes(standingOf(workflow, run, "review")),
  ],
  [
    "dead-end-when-the-budget-is-spent.yaml",
    (_workflow, run) => run.state === "open" && run.counters["visits"] === 1,
  ],
  [
    "origin-sometimes-not-remembered.yaml",
    (_workflow, run) => run.state === "asking" && run.frames.length === 0,
  ],
])("no story is shorter than the one told of %s", ([name, isIt]) => {
  const fixture = fixturesIn("broken").find((each) => each.name === name);
  const { found, workflow } = fixture === undefined ? { found: [] } : checkFixture(fixture);
  if (workflow === undefined) throw new Error(`${name} is missing`);
  const naive = walk(workflow, { max: NODES_MAX, people: "all" });
  const depths = naive.runs.flatMap((run, node) => (isIt(workflow, run) ? [naive.depth[node] ?? 0] : []));
  expect(depths.length).toBeGreaterThan(0);
  expect(found[0]?.trace.length).toBe(Math.min(...depths));
});

function isUp(run: Run, role: string): boolean {
  const status = run.agents[role]?.status;
  return status === "called" || status === "alive";
}
