/** Workflows as they are delivered. */

import { readdirSync, readFileSync } from "node:fs";
import { compile, type Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import type { Limits } from "./event.ts";

export function loadTask(): Workflow {
  return loadWorkflow("task");
}

export function loadWorkflow(name: string): Workflow {
  const folder = new URL(`../../workflows/${name}/`, import.meta.url);
  const prompts = readdirSync(new URL("prompts/", folder)).map((file) => {
    const text = readFileSync(new URL(`prompts/${file}`, folder), "utf8");
    return [file.replace(/\.md$/, ""), { file: `prompts/${file}`, text }] as const;
  });
  const bytes = readFileSync(new URL("workflow.yaml", folder));
  const parsed = parseWorkflow({ file: "workflow.yaml", bytes, prompts: Object.fromEntries(prompts) });
  if (!parsed.ok)
    throw new Error(`workflows/${name}: ${parsed.problems.map((problem) => problem.message).join("; ")}`);
  return parsed.workflow;
}

/** The same workflow with other budgets. */
export function withLimits(workflow: Workflow, { rounds, crashes, questions }: Limits): Workflow {
  const { definition } = workflow;
  const {
    review_round: round,
    crash_count: crash,
    question_count: question,
    ...others
  } = definition.counters;
  if (round === undefined || crash === undefined || question === undefined)
    throw new Error("counters have other names");
  const counters = {
    ...others,
    review_round: { ...round, max: rounds },
    crash_count: { ...crash, max: crashes },
    question_count: { ...question, max: questions },
  };
  return compile({ ...definition, counters }, () => workflow.hash());
}
