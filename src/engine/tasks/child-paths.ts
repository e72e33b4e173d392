/** Files of runs that a workflow makes of tasks: they work in its workspace, and what they leave there is no part of the work either. */

import type { Workflow } from "../../core/model/compile.ts";
import { NO_RUN } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import { artifactPaths } from "../submit/place.ts";

/** Whatever their runs are called, also of those that they make themselves. */
export async function childPaths(
  works: Pick<Works, "library" | "log">,
  workflow: Workflow,
  repo: string,
): Promise<readonly string[]> {
  const paths: string[] = [];
  const names = namesIn(workflow);
  // Grows while it is walked over.
  for (const name of names) {
    const child = await known(works, name, repo);
    if (child === undefined) continue;
    paths.push(...artifactPaths(child, { ...NO_RUN, id: "{run}" }));
    for (const more of namesIn(child)) names.add(more);
  }
  return paths;
}

function namesIn({ definition }: Workflow): Set<string> {
  const readers = Object.values(definition.artifacts).map(({ reader }) => reader);
  return new Set(readers.flatMap((reader) => (reader.type === "children" ? [reader.workflow] : [])));
}

/** One that cannot be had is told when its first task is to begin. */
async function known(
  works: Pick<Works, "library" | "log">,
  name: string,
  repo: string,
): Promise<Workflow | undefined> {
  try {
    return await works.library(name, repo);
  } catch (error) {
    works.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
