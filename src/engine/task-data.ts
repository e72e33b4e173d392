/** What files may show of tasks: those that a run has started, as `tasks`, and the one that it was made of, as `task`. */

import type { Workflow } from "../core/compile.ts";
import { reads } from "../core/project.ts";
import { tasksView } from "../core/task-view.ts";
import type { Run } from "../core/run.ts";
import type { Box } from "./box.ts";
import type { ChildRow } from "./ports/graphs.ts";

export type TaskData = {
  readonly root: Readonly<Record<string, unknown>>;
  /** Whether it is still as it was: tasks go on while the journal of whoever waits for them stands still. */
  isCurrent(): boolean;
};

const NOTHING: TaskData = { root: {}, isCurrent: () => true };

/** Nothing is looked up that no file shows. */
export function taskData({ store }: Pick<Box, "store">, workflow: Workflow, run: Run): TaskData {
  if (!showsTasks(workflow)) return NOTHING;
  const rows = store.childrenOf(run.id);
  const stamp = stampOf(rows);
  return {
    root: { tasks: tasksOf(workflow, run, rows) },
    isCurrent: () => stampOf(store.childrenOf(run.id)) === stamp,
  };
}

export function showsTasks({ definition }: Workflow): boolean {
  return definition.projections.some(({ data }) => reads(data, "tasks"));
}

/** All that can change of them. */
export function stampOf(rows: readonly ChildRow[]): string {
  return rows.map(({ entry, run, outcome, status }) => [entry, run, outcome, status].join(" ")).join("\n");
}

/** By artifact, each as it was started last. */
function tasksOf(
  { definition }: Workflow,
  run: Run,
  rows: readonly ChildRow[],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(definition.artifacts).filter(
    (name) => definition.artifacts[name]?.reader.type === "children",
  );
  return Object.fromEntries(
    names.map((name) => {
      const all = rows.filter(({ artifact }) => artifact === name);
      const last = all.filter(({ entry }) => entry === all.at(-1)?.entry);
      return [name, tasksView(last, run.waivers[name] !== undefined)];
    }),
  );
}
