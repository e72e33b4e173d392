/** A workflow as a command is given it: found, read, parsed, with everything that is wrong with it. */

import { join, relative } from "node:path";
import { findWorkflow, type Found } from "../adapters/library/find.ts";
import { readCompiled } from "../adapters/library/compiled.ts";
import { readWorkflow } from "../adapters/library/read.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Workflow } from "../core/compile.ts";
import type { Place } from "../core/workflow.ts";
import { showProblem, type Problem } from "../format/problem.ts";
import { EXIT_GATE, type Door } from "./command.ts";

export type Loaded = { readonly found: Found; readonly name: string; readonly file: string } & (
  | { readonly ok: true; readonly workflow: Workflow; readonly helpers: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problems: readonly Problem[] }
);

export async function loadWorkflow(found: Found, door: Door): Promise<Loaded> {
  const common = { found, name: found.name, file: shownPath(door, found, found.file) };
  const near = <T extends Place>(problem: T): T => ({
    ...problem,
    file: shownPath(door, found, problem.file),
  });
  const read = readWorkflow(found);
  if (!read.ok) return { ...common, ok: false, problems: read.problems.map(near) };
  const compiled = readCompiled(found, read.source);
  if (compiled !== undefined) return { ...common, ok: true, ...compiled };
  // Only what must be parsed pays for the parser.
  const { parseWorkflow } = await import("../format/workflow/parse.ts");
  const parsed = parseWorkflow(read.source);
  if (!parsed.ok) return { ...common, ok: false, problems: parsed.problems.map(near) };
  const { name } = parsed.workflow.definition;
  if (found.from !== "path" && name !== found.name) {
    return { ...common, ok: false, problems: [near(otherName(found, name, read.source.bytes))] };
  }
  return { ...common, name, ok: true, workflow: parsed.workflow, helpers: parsed.helpers };
}

/** For commands that can do nothing with a workflow that has problems. */
export async function requireWorkflow(wanted: string, door: Door): Promise<Extract<Loaded, { ok: true }>> {
  const loaded = await loadWorkflow(findWorkflow(wanted, door), door);
  if (loaded.ok) return loaded;
  const [first] = loaded.problems;
  const more = loaded.problems.length > 1 ? ` (and ${loaded.problems.length - 1} more)` : "";
  const message = first === undefined ? `${loaded.file} has problems` : `${showProblem(first)}${more}`;
  throw new UserError("invalid-workflow", message, {
    next: `signalbox check ${wanted}`,
    exit: EXIT_GATE,
    ...(first === undefined ? {} : { at: placeOf(first) }),
  });
}

/** A path as people would type it where they are. */
export function shownPath({ cwd }: Door, { folder, file: own }: Found, file: string): string {
  const path = join(folder, file === "" ? own : file);
  const near = relative(cwd, path);
  return near.startsWith("../../..") ? path : near;
}

export function placeOf({ file, line, col }: Place): Place {
  return { file, line, col };
}

/** A workflow that is looked up by name must be the one that it says it is. */
function otherName({ name, file }: Found, own: string, bytes: Uint8Array): Problem {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const line = lines.findIndex((text) => /^["']?name["']?\s*:/.test(text)) + 1;
  const message = `the workflow in the folder "${name}" calls itself "${own}": change one of the two`;
  return { file, line: Math.max(line, 1), col: 1, code: "other-name", message };
}
