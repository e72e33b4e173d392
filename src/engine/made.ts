/** What runs that were made of tasks find, and leave: the work as it is when they begin, and as it is when their parent is told how they ended. */

import type { Workflow } from "../core/compile.ts";
import type { Reading } from "../core/event.ts";
import { NO_RUN, type Run } from "../core/run.ts";
import { START } from "../core/workflow.ts";
import type { Works } from "./box.ts";
import { artifactPaths, boundWorkspace } from "./place.ts";
import type { Kept } from "./ports/journal.ts";

type Beginning = {
  readonly workflow: Workflow;
  readonly run: string;
  readonly params: Run["params"];
};

/** Whoever only reads speaks of the work as it was given: where that comes first, it must be known. Undefined where it does not. */
export async function treeFor(
  works: Works,
  { workflow, run, params }: Beginning,
): Promise<string | undefined> {
  const workspace = boundWorkspace(works, run);
  if (workspace === undefined || !isReadFirst(workflow)) return undefined;
  return works.workspaces.digest(workspace.path, artifactPaths(workflow, { ...NO_RUN, id: run, params }));
}

function isReadFirst({ definition, movesFrom }: Workflow): boolean {
  const { states, roles } = definition;
  return (movesFrom[START] ?? []).some(({ to }) =>
    states[to]?.enter.some((action) => action.type === "start" && roles[action.role]?.access === "read"),
  );
}

/** How they ended can be about files of the work, and those are others by now than when the parent last looked. */
export function lookedAt(works: Works, { row }: Kept, readings: readonly Reading[]): readonly Reading[] {
  const { artifacts } = works.workflow(row.definition).definition;
  return readings.filter(({ artifact }) => artifacts[artifact]?.reader.type === "files");
}
