/** The tasks of a run that waits for them, each with what became of it or what it waits for. */

import { flatMapped } from "../../../engine/lists.ts";
import { areApart, isEarlier } from "../../../core/tasks/graph.ts";
import { isUnderWay } from "../../../engine/tasks/descendants.ts";
import type { ChildRow } from "../../../engine/ports/graphs.ts";
import { workflowOf, type Seen } from "../../runs/find.ts";
import type { ChildView } from "../run-view.ts";
import { attentionOf, isStranded } from "../status/trouble.ts";

export type { ChildView };

/** Of the list that was started last. */
export async function tasksOf({ store, run }: Pick<Seen, "store" | "run">): Promise<readonly ChildView[]> {
  const all = await store.childrenOf(run.id);
  const last = Math.max(...all.map(({ entry }) => entry));
  return viewsOf(
    all.filter(({ entry }) => entry === last),
    run,
  );
}

/** Of one list. */
export function viewsOf(children: readonly ChildRow[], run: Seen["run"]): readonly ChildView[] {
  return children.map((child) => {
    const status = statusOf(child, run.waivers[child.artifact] !== undefined);
    return {
      task: child.task.id,
      title: child.task.title,
      run: child.run === "" ? child.took : child.run,
      status,
      waits: status === "skipped" ? "" : waitsOf(child, children),
    };
  });
}

export function statusOf({ run, outcome, status }: ChildRow, isWaived: boolean): string {
  const isDone = outcome === "done" || status === "done";
  if (isDone || outcome === "skipped" || isWaived) return isDone ? "done" : "skipped";
  if (outcome === "blocked") return "blocked";
  return run === "" || status === "" ? "open" : status;
}

function waitsOf(child: ChildRow, all: readonly ChildRow[]): string {
  if (child.status === "waiting") return `a person: signalbox show ${child.run}`;
  if (child.run !== "" || child.outcome !== "") return "";
  const isPast = (id: string): boolean =>
    all.some(({ task, outcome }) => task.id === id && (outcome === "done" || outcome === "skipped"));
  const open = child.task.dependsOn.filter((on) => !isPast(on));
  if (open.length > 0) return `task ${open.join(", ")}`;
  const earlier = all.filter((each) => each.outcome === "" && isEarlier(each.task, child.task));
  if (earlier.length > 0) return `task ${earlier.map(({ task }) => task.id).join(", ")} of an earlier layer`;
  const other = all.find((each) => isUnderWay(each) && !areApart(each.task, child.task));
  return other === undefined ? "its turn" : `the files that task ${other.task.id} writes`;
}

/** It goes on when its tasks have ended, and whoever is at work sees to that. */
export async function isWaitingForTasks({ store, run }: Pick<Seen, "store" | "run">): Promise<boolean> {
  return (await store.graphs()).some(
    ({ parent, entry, status }) => parent === run.id && entry === run.entry && status === "open",
  );
}

/** A task that waits for a person, also one of a task: whoever waits for it waits for them. */
export type Asking = { readonly task: string; readonly seen: Seen };

export async function askingTasks(seen: Seen): Promise<readonly Asking[]> {
  const { store, run } = seen;
  if (!(await isWaitingForTasks(seen))) return [];
  return flatMapped(await store.childrenOf(run.id), async (child) => {
    const kept = child.entry === run.entry && isUnderWay(child) ? await store.load(child.run) : undefined;
    if (kept === undefined) return [];
    // It works where its parent does.
    const own = { ...kept, store, workflow: await workflowOf(store, kept.row), root: seen.root };
    return (await isForPerson(own)) ? [{ task: child.task.id, seen: own }] : askingTasks(own);
  });
}

export async function askingTask(seen: Seen): Promise<Asking | undefined> {
  return (await askingTasks(seen))[0];
}

async function isForPerson(seen: Seen): Promise<boolean> {
  const { row } = seen;
  return row.status === "waiting" || row.halted || (await attentionOf(seen)) !== "" || isStranded(seen);
}

export function sayTask({ task, title, run, status, waits }: ChildView): string[] {
  return [task, status, run, waits === "" ? title : `${title} (waits for ${waits})`];
}
