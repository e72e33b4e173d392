/** Loads workflows of this repository for tests. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Prompt } from "../../src/core/model/workflow.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";

const BUILT_IN = join(import.meta.dirname, "../../workflows");
const OF_TESTS = join(import.meta.dirname, "../e2e/activities/workflows");

/** Built in, or one that only tests have: the stage of a larger one, which is small enough to be explored again and again. */
export function folderOf(name: string): string {
  const folder = join(BUILT_IN, name);
  return existsSync(folder) ? folder : join(OF_TESTS, name);
}

export function loadWorkflow(name: string): Workflow {
  const folder = folderOf(name);
  const prompts = join(folder, "prompts");
  const names = existsSync(prompts) ? readdirSync(prompts) : [];
  const texts: Record<string, Prompt> = {};
  for (const file of names)
    texts[file.replace(/\.md$/, "")] = {
      file: `${name}/prompts/${file}`,
      text: readFileSync(join(prompts, file), "utf8"),
    };
  const parsed = parseWorkflow({
    file: `${name}/workflow.yaml`,
    bytes: readFileSync(join(folder, "workflow.yaml")),
    prompts: texts,
  });
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow;
}

/** A workflow written in a test; unless said, its only prompt is the worker's. */
export function fromText(
  text: string,
  texts: Readonly<Record<string, string>> = { worker: "Do your part.\n" },
): Workflow {
  const prompts = Object.entries(texts).map(([name, words]): [string, Prompt] => [
    name,
    { file: `prompts/${name}.md`, text: words },
  ]);
  const parsed = parseWorkflow({
    file: "workflow.yaml",
    bytes: new TextEncoder().encode(text),
    prompts: Object.fromEntries(prompts),
  });
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow;
}
