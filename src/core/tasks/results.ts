/**
 * What the runs of all tasks say, as one list of each kind: every member names the task that it is of.
 *
 * What was decided, waived or said in a run that another one came after holds no less for that. What its reviews found does: that was
 * looked for again.
 */

import type { TaskInside } from "./view.ts";

type Told<T> = readonly (T & { readonly task: string })[];

export type TasksTold = {
  /** `ref` is its name among those of all runs of all tasks. */
  readonly questions: Told<TaskInside["questions"][number] & { readonly ref: string }>;
  readonly waivers: Told<TaskInside["waivers"][number]>;
  /** What the last round of each review found. */
  readonly issues: Told<{ readonly artifact: string }>;
  readonly collected: Readonly<Record<string, Told<TaskInside["collected"][string][number]>>>;
};

export type One = {
  readonly id: string;
  readonly inside: TaskInside;
  /** Which run of the task it is, from 1. */
  readonly nth: number;
};

/** `past` are runs that others came after. */
export function tasksTold(past: readonly One[], last: readonly One[]): TasksTold {
  const all = [...past, ...last];
  const names = new Set(all.flatMap(({ inside }) => Object.keys(inside.collected)));
  return {
    questions: all.flatMap(({ id, inside, nth }) =>
      inside.questions.map((each) => ({ ...each, task: id, ref: [...nameOf(id, nth), each.id].join("/") })),
    ),
    waivers: all.flatMap(({ id, inside }) => inside.waivers.map((each) => ({ ...each, task: id }))),
    issues: last.flatMap(({ id, inside }) =>
      Object.entries(inside.reviews).flatMap(([artifact, { issues }]) =>
        issues.map((each) => ({ ...each, artifact, task: id })),
      ),
    ),
    collected: Object.fromEntries([...names].map((name) => [name, collectedAs(name, all)])),
  };
}

/** The first keeps its name, whoever comes after it. */
function nameOf(id: string, nth: number): readonly string[] {
  return nth === 1 ? [id] : [id, String(nth)];
}

/** The same words of one artifact of a task once, in however many runs. */
function collectedAs(name: string, all: readonly One[]): TasksTold["collected"][string] {
  const members = all.flatMap(({ id, inside }) =>
    (inside.collected[name] ?? []).map((each) => ({ ...each, task: id })),
  );
  const known = new Set<string>();
  return members.filter(({ task, artifact, slot, text }) => {
    const before = known.size;
    return known.add(JSON.stringify([task, artifact, slot, text])).size > before;
  });
}
