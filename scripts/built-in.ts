/** Parses the built-in workflows for the bundle, so that starting up need not. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { COMPILED_FOLDER, type Compiled } from "../src/adapters/library/load.ts";
import { readWorkflow } from "../src/adapters/library/read.ts";
import { showProblem } from "../src/format/problem.ts";
import { parseWorkflow } from "../src/format/workflow/parse.ts";

export type Emitted = { readonly fileName: string; readonly source: string };

export function compileBuiltIn(root: string): Emitted[] {
  return readdirSync(root).map((name) => ({
    fileName: `${COMPILED_FOLDER}/${name}.json`,
    source: JSON.stringify(compileOne(root, name)),
  }));
}

function compileOne(root: string, name: string): Compiled {
  const read = readWorkflow({ name, folder: join(root, name), file: "workflow.yaml", from: "built-in" });
  const parsed = read.ok ? parseWorkflow(read.source) : read;
  if (!read.ok || !parsed.ok) {
    const problems = parsed.ok ? [] : parsed.problems;
    throw new Error(`the built-in workflow ${name} has problems:\n${problems.map(showProblem).join("\n")}`);
  }
  const { workflow, helpers } = parsed;
  return {
    source: new TextDecoder().decode(read.source.bytes),
    definition: workflow.definition,
    helpers: [...helpers],
    hash: workflow.hash(),
  };
}
