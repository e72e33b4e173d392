/**
 * Which tasks of a list may start now, and which never will.
 *
 * Tasks write into one tree: two tasks that name the same file never run at the same time, and a task that names no file runs
 * alone. Tasks with the longest remaining path start first (list scheduling). Layers start one after the other.
 */

import type { Literal } from "../model/value.ts";

/** Further keys of tasks in YAML. */
export type TaskKeys = Readonly<Record<string, Literal | readonly Literal[]>>;

export type GraphTask = {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly files: readonly string[];
  readonly complexity?: "easy" | "medium" | "hard";
  /** The number of the layer, if the list has layers. A layer starts when the layer before it is done. */
  readonly layer?: number;
};

/** *blocked*: a dependency was not done. *skipped*: a person continues without it. */
export type TaskStanding = "open" | "running" | "done" | "failed" | "blocked" | "skipped";

/** By id; a missing task is open. */
export type Standings = ReadonlyMap<string, TaskStanding>;

/** The estimated relative duration of a task by complexity. It only influences the order. */
const WEIGHTS = { easy: 1, medium: 2, hard: 4 } as const;

export function startable(
  tasks: readonly GraphTask[],
  standings: Standings,
  most: number,
): readonly string[] {
  const underWay = tasks.filter(({ id }) => of(standings, id) === "running");
  const left = tasks.filter(({ id }) => ["open", "running"].includes(of(standings, id)));
  const ways = waysToEnd(tasks);
  const ready = tasks
    .filter(
      ({ id, dependsOn }) => of(standings, id) === "open" && dependsOn.every((on) => isPast(standings, on)),
    )
    .filter((task) => !left.some((other) => isEarlier(other, task)))
    .toSorted((a, b) => (ways.get(b.id) ?? 0) - (ways.get(a.id) ?? 0));
  const started: GraphTask[] = [];
  for (const task of ready) {
    const beside = [...underWay, ...started];
    if (beside.length >= most) break;
    if (beside.every((other) => areApart(task, other))) started.push(task);
  }
  return started.map(({ id }) => id);
}

/** Whether its layer comes before the layer of the other. */
export function isEarlier(one: GraphTask, other: GraphTask): boolean {
  return one.layer !== undefined && other.layer !== undefined && one.layer < other.layer;
}

/** Open tasks that can never start, because a dependency was not done. */
export function blockedIn(tasks: readonly GraphTask[], standings: Standings): readonly string[] {
  const lost = new Set(
    tasks.map(({ id }) => id).filter((id) => ["failed", "blocked"].includes(of(standings, id))),
  );
  const blocked: string[] = [];
  const open = inOrder(tasks).filter(({ id }) => of(standings, id) === "open");
  for (const { id, dependsOn } of open) {
    if (!dependsOn.some((on) => lost.has(on))) continue;
    lost.add(id);
    blocked.push(id);
  }
  return blocked;
}

/** Undefined while a task is open or running. */
export function outcomeOf(
  tasks: readonly GraphTask[],
  standings: Standings,
): "all" | "some" | "none" | undefined {
  const all = tasks.map(({ id }) => of(standings, id));
  if (all.some((standing) => standing === "open" || standing === "running")) return undefined;
  const past = all.filter((standing) => standing === "done" || standing === "skipped").length;
  if (past === 0) return "none";
  return past === all.length ? "all" : "some";
}

/** Whether both may write at the same time. */
export function areApart(one: GraphTask, other: GraphTask): boolean {
  if (one.files.length === 0 || other.files.length === 0) return false;
  return one.files.every((file) => other.files.every((another) => !isWithin(file, another)));
}

/** The same file, or a file in the folder that the other names. */
function isWithin(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  const shorter = Math.min(a.length, b.length);
  return a.slice(0, shorter).every((part, at) => part === b[at]);
}

/** A pattern is cut to its folder. File names are compared without case, because some file systems ignore it. */
function partsOf(file: string): readonly string[] {
  const parts = file.toLowerCase().split(/[/\\]+/);
  const pattern = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  return parts.slice(0, pattern === -1 ? undefined : pattern).filter((part) => part !== "" && part !== ".");
}

function of(standings: Standings, id: string): TaskStanding {
  return standings.get(id) ?? "open";
}

function isPast(standings: Standings, id: string): boolean {
  const standing = of(standings, id);
  return standing === "done" || standing === "skipped";
}

/** The weight of each task plus that of the heaviest chain that depends on it. */
function waysToEnd(tasks: readonly GraphTask[]): ReadonlyMap<string, number> {
  const ways = new Map<string, number>();
  const behind = new Map<string, number>();
  for (const { id, dependsOn, complexity = "medium" } of inOrder(tasks).toReversed()) {
    const way = WEIGHTS[complexity] + (behind.get(id) ?? 0);
    ways.set(id, way);
    for (const on of dependsOn) behind.set(on, Math.max(behind.get(on) ?? 0, way));
  }
  return ways;
}

/** Each task after its dependencies; tasks in a cycle are left out. */
export function inOrder<T extends GraphTask>(tasks: readonly T[]): readonly T[] {
  const known = new Set(tasks.map(({ id }) => id));
  const waiting = new Map(
    tasks.map(({ id, dependsOn }) => [id, new Set(dependsOn.filter((on) => known.has(on))).size]),
  );
  const dependents = new Map<string, T[]>();
  for (const task of tasks)
    for (const on of new Set(task.dependsOn)) dependents.set(on, [...(dependents.get(on) ?? []), task]);
  const order = tasks.filter(({ id }) => waiting.get(id) === 0);
  // The list grows during the iteration.
  for (const { id } of order)
    for (const task of dependents.get(id) ?? []) {
      const left = (waiting.get(task.id) ?? 0) - 1;
      waiting.set(task.id, left);
      if (left === 0) order.push(task);
    }
  return order;
}
