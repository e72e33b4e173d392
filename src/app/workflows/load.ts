/** A workflow as a command is given it: found, read, parsed, with everything that is wrong with it. */

import { join, relative } from "node:path";
import { findWorkflow, type FoundWorkflow } from "../../adapters/library/find.ts";
import { parseFound, type Parsed } from "../../adapters/library/load.ts";
import { readable, UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { showProblem } from "../../format/problem.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";

export type Loaded = { readonly found: FoundWorkflow; readonly name: string; readonly file: string } & Parsed;

export async function loadWorkflow(found: FoundWorkflow, door: Invocation): Promise<Loaded> {
  const common = { found, name: found.name, file: shownPath(door, found, found.file) };
  const near = <T extends SourcePlace>(problem: T): T => ({
    ...problem,
    file: shownPath(door, found, problem.file),
  });
  const parsed = await parseFound(found);
  if (!parsed.ok) return { ...common, ok: false, problems: parsed.problems.map(near) };
  return { ...common, ...parsed, name: parsed.workflow.definition.name };
}

/** For commands that can do nothing with a workflow that has problems. */
export async function requireWorkflow(
  wanted: string,
  door: Invocation,
): Promise<Extract<Loaded, { ok: true }>> {
  return requireLoaded(await loadWorkflow(findWorkflow(wanted, door), door), wanted);
}

export function requireLoaded(loaded: Loaded, wanted: string): Extract<Loaded, { ok: true }> {
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
export function shownPath({ cwd }: Invocation, { folder, file: own }: FoundWorkflow, file: string): string {
  const path = join(folder, file === "" ? own : file);
  const near = relative(cwd, path);
  return near.startsWith("../../..") ? path : near;
}

export function placeOf({ file, line, col }: SourcePlace): SourcePlace {
  return { file, line, col };
}

/** The workflows that children of a workflow follow, by name, as far as they can be found here. One with problems is left out. */
export async function childWorkflows(
  { definition }: Workflow,
  door: Invocation,
): Promise<ReadonlyMap<string, Workflow>> {
  const readers = Object.values(definition.artifacts).map(({ reader }) => reader);
  const names = new Set(readers.flatMap((reader) => (reader.type === "children" ? [reader.workflow] : [])));
  const found = await Promise.all(
    [...names].map(async (name) => [name, await loadChild(name, door)] as const),
  );
  return new Map(found.flatMap(([name, workflow]) => (workflow === undefined ? [] : [[name, workflow]])));
}

async function loadChild(name: string, door: Invocation): Promise<Workflow | undefined> {
  const parsed = await readable(async () => parseFound(findWorkflow(name, door)));
  return parsed?.ok === true ? parsed.workflow : undefined;
}
