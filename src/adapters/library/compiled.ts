/**
 * Built-in workflows are parsed when the package is built; reading the result takes a tenth of the time.
 *
 * The result counts only beside the bundle it was built with, and only for exactly the text it was made of: a built-in
 * file that somebody edited is parsed like any other.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type Workflow } from "../../core/model/compile.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { FoundWorkflow } from "./find.ts";
import type { Source } from "./read.ts";

export const COMPILED_FOLDER = "built-in";

export type Compiled = {
  /** The text of the workflow file. */
  readonly source: string;
  readonly definition: Definition;
  readonly helpers: readonly (readonly [string, string])[];
  readonly hash: string;
};

export function readCompiled(
  { name, from }: FoundWorkflow,
  source: Source,
): { workflow: Workflow; helpers: ReadonlyMap<string, string> } | undefined {
  if (from !== "built-in") return undefined;
  const compiled = read(join(import.meta.dirname, COMPILED_FOLDER, `${name}.json`));
  if (compiled === undefined || !isMadeOf(compiled, source)) return undefined;
  return { workflow: compile(compiled.definition, () => compiled.hash), helpers: new Map(compiled.helpers) };
}

function read(file: string): Compiled | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // Run from its source, the package has no such file: the workflow is parsed.
    return undefined;
  }
  return parsed(text);
}

function parsed(text: string): Compiled | undefined {
  const compiled: unknown = JSON.parse(text);
  return isCompiled(compiled) ? compiled : undefined;
}

/** Our own build wrote it, together with the code that reads it: that it is there at all says enough. */
function isCompiled(value: unknown): value is Compiled {
  return typeof value === "object" && value !== null && "definition" in value;
}

function isMadeOf({ source, definition }: Compiled, { bytes, prompts }: Source): boolean {
  if (new TextDecoder().decode(bytes) !== source) return false;
  return Object.entries(definition.prompts).every(([name, { text }]) => prompts[name]?.text === text);
}
