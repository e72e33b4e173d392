/** The tasks of a list become a graph: written down at once, started by and by. */

import type { Workflow } from "../../core/model/compile.ts";
import { takenOver } from "../../core/tasks/carry-over.ts";
import type { Children } from "../../core/model/artifact.ts";
import { recalled } from "../effects/earlier-attempts.ts";
import { objectionsTo } from "./child.ts";
import { paramsOf } from "./child-params.ts";
import { isUnderWay } from "./descendants.ts";
import type { Of } from "../effects/context.ts";
import { earlierOf, type Earlier } from "./earlier-graph.ts";
import { tasksOf } from "./task-list.ts";
import { fillPath } from "../submit/place.ts";
import type { NewChild } from "../ports/graphs.ts";
import { Later } from "../supervise/later.ts";

export async function startTasks({ works, kept, deed }: Of<"start-tasks">): Promise<string> {
  const { store } = works;
  const { row, run } = kept;
  if (run.entry !== deed.entry) return "the run has gone on without them";
  const workflow = await works.workflow(row.definition);
  const found = childrenOf(workflow, deed.artifact);
  if (found === undefined) throw new Error(`nobody waits for the tasks of ${deed.artifact}`);
  const [artifact, reader] = found;
  const key = { parent: row.id, artifact, entry: deed.entry };
  if ((await store.graph(key)) !== undefined) return "they are under way";
  // They are told that nobody waits for them any more; until they have gone, they write into the same tree.
  const left = (await store.childrenOf(row.id)).filter(({ entry }) => entry !== deed.entry);
  if (left.some(isUnderWay)) throw new Later("tasks that were left must end first");
  const tasks = await tasksOf(works, kept, reader);
  const child = await works.library(reader.workflow, row.repo);
  requireFit(child, workflow, reader);
  await store.commit([{ type: "define", hash: child.hash(), definition: child.definition }]);
  const plan = fillPath(run, workflow.definition.artifacts[deed.artifact]?.file ?? "");
  // What is in no list has nothing left to do when it was done: whoever comes back wants it anew.
  const taken = takenOver(tasks, reader.only === undefined ? await earlierOf(works, workflow, key) : []);
  const earlier = await recalled(works, kept, reader.earlier);
  const children = tasks.map((task) => ({
    task,
    params: paramsOf(child, { workflow, run, reader, task, plan, earlier }),
    ...endOf(taken.get(task.id)),
  }));
  await store.commit([
    { type: "put-graph", graph: { ...key, definition: child.hash(), most: reader.most }, children },
  ]);
  return `${tasks.length} tasks${taken.size === 0 ? "" : `, of which ${taken.size} are taken over`}`;
}

function endOf(earlier: Earlier | undefined): Partial<NewChild> {
  if (earlier === undefined) return {};
  const { outcome, summary, run, took } = earlier;
  return { outcome, summary, took: run === "" ? took : run };
}

function childrenOf({ definition }: Workflow, tasks: string): readonly [string, Children] | undefined {
  for (const [name, { reader }] of Object.entries(definition.artifacts))
    if (reader.type === "children" && reader.tasks === tasks) return [name, reader];
  return undefined;
}

function requireFit(child: Workflow, parent: Workflow, reader: Children): void {
  const [first] = objectionsTo(child, parent, reader);
  if (first === undefined) return;
  const next = `mend ${parent.definition.name} or ${child.definition.name}`;
  throw Object.assign(new Error(first), { next });
}
