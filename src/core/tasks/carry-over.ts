/**
 * The tasks that a graph takes over from an earlier graph of the same list.
 *
 * A task is taken over if its description is unchanged and all its dependencies are taken over: results that were built on
 * something else are built again.
 */

import { inOrder, type GraphTask } from "./graph.ts";

type TitledTask = GraphTask & { readonly title: string };

/** A task of the earlier graph that is done or that a person skipped. */
export type Past = { readonly task: TitledTask; readonly outcome: "done" | "skipped" };

/** By id. */
export function takenOver<T extends Past>(
  tasks: readonly TitledTask[],
  past: readonly T[],
): ReadonlyMap<string, T> {
  const known = new Map(past.map((each) => [each.task.id, each]));
  const taken = new Map<string, T>();
  for (const task of inOrder(tasks)) {
    const earlier = known.get(task.id);
    if (earlier === undefined || !task.dependsOn.every((on) => taken.has(on))) continue;
    if (isSame(earlier.task, task)) taken.set(task.id, earlier);
  }
  return taken;
}

function isSame(one: TitledTask, other: TitledTask): boolean {
  return one.title === other.title && isSet(one.files, other.files) && isSet(one.dependsOn, other.dependsOn);
}

function isSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((member) => b.has(member));
}
