/** What the runs of all tasks say, as one list of each kind: every member names the task that it is of. */

import type { TaskInside } from "./task-view.ts";

type Told<T> = readonly (T & { readonly task: string })[];

export type TasksTold = {
  /** `ref` is its name among those of all tasks. */
  readonly questions: Told<TaskInside["questions"][number] & { readonly ref: string }>;
  readonly waivers: Told<TaskInside["waivers"][number]>;
  /** What the last round of each review found. */
  readonly issues: Told<{ readonly artifact: string }>;
  readonly collected: Readonly<Record<string, Told<TaskInside["collected"][string][number]>>>;
};

type One = { readonly id: string; readonly inside: TaskInside };

export function tasksTold(all: readonly One[]): TasksTold {
  const names = new Set(all.flatMap(({ inside }) => Object.keys(inside.collected)));
  return {
    questions: all.flatMap(({ id, inside }) =>
      inside.questions.map((each) => ({ ...each, task: id, ref: `${id}/${each.id}` })),
    ),
    waivers: all.flatMap(({ id, inside }) => inside.waivers.map((each) => ({ ...each, task: id }))),
    issues: all.flatMap(({ id, inside }) =>
      Object.entries(inside.reviews).flatMap(([artifact, { issues }]) =>
        issues.map((each) => ({ ...each, artifact, task: id })),
      ),
    ),
    collected: Object.fromEntries(
      [...names].map((name) => [
        name,
        all.flatMap(({ id, inside }) =>
          (inside.collected[name] ?? []).map((each) => ({ ...each, task: id })),
        ),
      ]),
    ),
  };
}
