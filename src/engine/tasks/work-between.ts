/** What runs that were made of tasks find, and leave: the work as it is when they begin, and as the last of them has left it. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import { NO_RUN, type Run } from "../../core/model/run.ts";
import { START } from "../../core/model/workflow.ts";
import { readBesides } from "../submit/work-without.ts";
import type { Works } from "../box.ts";
import { artifactPaths } from "../submit/place.ts";
import type { ChildRow } from "../ports/graphs.ts";
import type { Kept } from "../ports/journal.ts";

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
  const workspace = await works.store.boundWorkspace(run);
  if (workspace === undefined || !isReadFirst(workflow)) return undefined;
  return works.workspaces.digest(workspace.path, artifactPaths(workflow, { ...NO_RUN, id: run, params }));
}

function isReadFirst({ definition, movesFrom }: Workflow): boolean {
  const { states, roles } = definition;
  return (movesFrom[START] ?? []).some(({ to }) =>
    states[to]?.enter.some((action) => action.type === "start" && roles[action.role]?.access === "read"),
  );
}

type Ended = { readonly artifact: string; readonly children: readonly ChildRow[] };

/**
 * How they ended can be about the work besides what rules leave out: that is the work as the last of them has seen it. What somebody has changed
 * since, none of them has judged, and their parent finds it changed when it looks again.
 */
export async function leftBy(
  works: Works,
  { row, run }: Kept,
  { artifact, children }: Ended,
): Promise<readonly Reading[]> {
  const workflow = await works.workflow(row.definition);
  const { bind = [] } = workflow.definition.artifacts[artifact] ?? {};
  const workspace = await works.store.boundWorkspace(row.id);
  if (bind.length === 0 || workspace === undefined) return [];
  const runs = (
    await Promise.all(
      children.map(async (child) =>
        child.run === "" ? [] : ((await works.store.load(child.run))?.run ?? []),
      ),
    )
  ).flat();
  const tree = runs.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1)).at(-1)?.tree ?? "";
  return tree === "" ? [] : readBesides(works, { run, workflow, path: workspace.path, tree });
}

/** Files of the work, which are others by now than when the parent last looked; and what its tasks have left. */
export async function lookedAt(
  works: Works,
  { row }: Kept,
  { readings, left }: { readonly readings: readonly Reading[]; readonly left: readonly Reading[] },
): Promise<readonly Reading[]> {
  const { artifacts } = (await works.workflow(row.definition)).definition;
  return readings
    .filter(({ artifact }) => artifacts[artifact]?.reader.type === "files")
    .map((reading) => left.find(({ artifact }) => artifact === reading.artifact) ?? reading);
}
