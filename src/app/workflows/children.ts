/** The workflows that children of a workflow follow, as far as they can be found here. */

import { findWorkflow } from "../../adapters/library/find.ts";
import { parseFound } from "../../adapters/library/load.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Invocation } from "../invocation.ts";

/** By name. What has problems of its own is told where it is checked itself. */
export async function childWorkflows(
  { definition }: Workflow,
  door: Invocation,
): Promise<ReadonlyMap<string, Workflow>> {
  const readers = Object.values(definition.artifacts).map(({ reader }) => reader);
  const names = new Set(readers.flatMap((reader) => (reader.type === "children" ? [reader.workflow] : [])));
  const found = await Promise.all([...names].map(async (name) => [name, await load(name, door)] as const));
  return new Map(found.flatMap(([name, workflow]) => (workflow === undefined ? [] : [[name, workflow]])));
}

async function load(name: string, door: Invocation): Promise<Workflow | undefined> {
  try {
    const parsed = await parseFound(findWorkflow(name, door));
    return parsed.ok ? parsed.workflow : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
