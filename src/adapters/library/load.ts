/** A workflow that was found, read and parsed; or everything that is wrong with it. */

import { type Workflow, compile } from "../../core/model/compile.ts";
import type { Problem } from "../../format/problem.ts";
import type { FoundWorkflow } from "./find.ts";
import { readWorkflow, type Source } from "./read.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Definition } from "../../core/model/workflow.ts";

export type Parsed =
  | {
      readonly ok: true;
      readonly workflow: Workflow;
      readonly helpers: ReadonlyMap<string, string>;
      /** Built in, and byte for byte what this package was built with: its tests have proven it. */
      readonly isShipped?: true;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export async function parseFound(found: FoundWorkflow): Promise<Parsed> {
  const read = readWorkflow(found);
  if (!read.ok) return read;
  const compiled = readCompiled(found, read.source);
  if (compiled !== undefined) return { ok: true, ...compiled, isShipped: true };
  const parsed = await parseOnce(read.source);
  if (!parsed.ok) return parsed;
  const { name } = parsed.workflow.definition;
  if (found.from === "path" || name === found.name) return parsed;
  return { ok: false, problems: [otherName(found, name, read.source.bytes)] };
}

/** A process that stays loads the same few texts again and again. */
const KEPT_MAX = 20;
const kept = new Map<string, Parsed>();

async function parseOnce({ file, bytes, prompts }: Source): Promise<Parsed> {
  const key = JSON.stringify([file, Buffer.from(bytes).toString("latin1"), prompts]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  // Only what must be parsed pays for the parser.
  const { parseWorkflow } = await import("../../format/workflow/parse.ts");
  const parsed = parseWorkflow({ file, bytes, prompts });
  if (kept.size === KEPT_MAX) kept.clear();
  kept.set(key, parsed);
  return parsed;
}

/** A workflow that is looked up by name must be the one that it says it is. */
function otherName({ name, file }: FoundWorkflow, own: string, bytes: Uint8Array): Problem {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const line = lines.findIndex((text) => /^["']?name["']?\s*:/.test(text)) + 1;
  const message = `the workflow in the folder "${name}" calls itself "${own}": change one of the two`;
  return { file, line: Math.max(line, 1), col: 1, code: "other-name", message };
}

export const COMPILED_FOLDER = "built-in";

export type Compiled = {
  /** The text of the workflow file. */
  readonly source: string;
  readonly definition: Definition;
  readonly helpers: readonly (readonly [string, string])[];
  readonly hash: string;
};

/**
 * Built-in workflows are parsed when the package is built; reading the result takes a tenth of the time.
 *
 * The result counts only beside the bundle it was built with, and only for exactly the text it was made of: a built-in
 * file that was edited is parsed like any other.
 */
function readCompiled(
  { name, from }: FoundWorkflow,
  source: Source,
): { workflow: Workflow; helpers: ReadonlyMap<string, string> } | undefined {
  if (from !== "built-in") return undefined;
  const compiled = readFile(join(import.meta.dirname, COMPILED_FOLDER, `${name}.json`));
  if (compiled === undefined || !isMadeOf(compiled, source)) return undefined;
  return { workflow: compile(compiled.definition, () => compiled.hash), helpers: new Map(compiled.helpers) };
}

function readFile(file: string): Compiled | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // Run from its source, the package has no such file: the workflow is parsed.
    return undefined;
  }
  const compiled: unknown = JSON.parse(text);
  return isCompiled(compiled) ? compiled : undefined;
}

/** Our own build wrote it, together with the code that reads it: it exists, so it is valid. */
function isCompiled(value: unknown): value is Compiled {
  return typeof value === "object" && value !== null && "definition" in value;
}

function isMadeOf({ source, definition }: Compiled, { bytes, prompts }: Source): boolean {
  if (new TextDecoder().decode(bytes) !== source) return false;
  return Object.entries(definition.prompts).every(([name, { text }]) => prompts[name]?.text === text);
}
