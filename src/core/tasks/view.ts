/** The tasks of a graph as files and people see them. */

import type { Workflow } from "../model/compile.ts";
import { inOrder, isEarlier, type GraphTask } from "./graph.ts";
import { framesOf, phaseOf, type Frame } from "../projection/phase.ts";
import type { Questions } from "../projection/questions.ts";
import type { Round } from "../projection/journal-record.ts";
import type { Run } from "../model/run.ts";
import type { AcceptedValues } from "../projection/accepted-values.ts";

/** The status of its run decides between `waiting` and `running`; *failed* includes every end except done. */
type TaskStatus = "pending" | "running" | "waiting" | "completed" | "failed" | "blocked" | "skipped";

type KnownTask = {
  readonly task: GraphTask & { readonly title: string };
  readonly run: string;
  readonly took: string;
  readonly outcome: "" | "done" | "failed" | "blocked" | "skipped";
  /** The status of its run; empty without a run. */
  readonly status: string;
  readonly summary: string;
  /** Set if a projection shows it. */
  readonly inside?: TaskInside;
  /** The number of its run, from 1. */
  readonly nth?: number;
};

/** Details of the task's run, besides its result. */
export type TaskInside = {
  /** Null without a run, and then also its phase. */
  readonly state: string | null;
  readonly phase: string | null;
  readonly params: Run["params"];
  readonly frames: readonly Frame[];
  readonly counters: Readonly<Record<string, number>>;
  readonly waivers: readonly Run["waivers"][string][];
  readonly questions: Questions["questions"];
  readonly collected: AcceptedValues["collected"];
  /** The last round of each review that the run's own files show. */
  readonly reviews: Readonly<Record<string, Round>>;
};

export const INSIDE = [
  "state",
  "phase",
  "params",
  "frames",
  "counters",
  "waivers",
  "questions",
  "collected",
  "reviews",
] as const satisfies readonly (keyof TaskInside)[];

export const NO_INSIDE: TaskInside = {
  state: null,
  phase: null,
  params: {},
  frames: [],
  counters: {},
  waivers: [],
  questions: [],
  collected: {},
  reviews: {},
};

type TaskView = Partial<TaskInside> & {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly summary: string;
  readonly files: readonly string[];
  readonly dependencies: readonly string[];
  readonly complexity: string | null;
  /** The run of the task, if it has one. */
  readonly run: string | null;
  /** 1 without dependencies, otherwise one more than the highest wave of its dependencies. */
  readonly wave: number;
};

type TasksView = {
  readonly list: readonly TaskView[];
  readonly waves: readonly { readonly waveNumber: number; readonly tasks: readonly TaskView[] }[];
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  /** The first running task. */
  readonly current: TaskView | null;
  /** Set if a projection shows it. */
  readonly all?: TasksTold;
};

/** `isWaived`: a person continues without the unfinished tasks. `past`: their state before the restart. */
export function tasksView(
  known: readonly KnownTask[],
  isWaived: boolean,
  past: readonly KnownTask[] = [],
): TasksView {
  const waves = wavesOf(known.map(({ task }) => task));
  const list = known.map((each) => viewOf(each, { wave: waves.get(each.task.id) ?? 1, isWaived }));
  const numbers = [...new Set(list.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  const idsOf = (status: TaskStatus): string[] =>
    list.filter((each) => each.status === status).map(({ id }) => id);
  return {
    list,
    waves: numbers.map((waveNumber) => ({
      waveNumber,
      tasks: list.filter(({ wave }) => wave === waveNumber),
    })),
    completed: idsOf("completed"),
    failed: idsOf("failed"),
    current: list.find(({ status }) => status === "running" || status === "waiting") ?? null,
    ...toldBy(past, known),
  };
}

function toldBy(past: readonly KnownTask[], known: readonly KnownTask[]): Pick<TasksView, "all"> {
  const last = onesOf(known);
  return last.length === 0 ? {} : { all: tasksTold(onesOf(past), last) };
}

function onesOf(known: readonly KnownTask[]): readonly One[] {
  return known.flatMap(({ task, inside, nth = 1 }) =>
    inside === undefined ? [] : [{ id: task.id, inside, nth }],
  );
}

function viewOf(known: KnownTask, position: { readonly wave: number; readonly isWaived: boolean }): TaskView {
  const { task, run, took, summary } = known;
  return {
    id: task.id,
    title: task.title,
    status: statusOf(known, position.isWaived),
    summary,
    files: task.files,
    dependencies: task.dependsOn,
    complexity: task.complexity ?? null,
    run: [run, took].find((each) => each !== "") ?? null,
    wave: position.wave,
    ...known.inside,
  };
}

export function insideOf(
  { definition }: Workflow,
  run: Run,
  told: Pick<TaskInside, "questions" | "collected" | "reviews">,
): TaskInside {
  const names = Object.keys(definition.counters);
  return {
    state: run.state,
    phase: phaseOf(definition, run.state),
    params: run.params,
    frames: framesOf(definition, run),
    counters: Object.fromEntries(names.map((name) => [name, run.counters[name] ?? 0])),
    waivers: Object.values(run.waivers),
    ...told,
  };
}

function statusOf({ run, outcome, status }: Omit<KnownTask, "task">, isWaived: boolean): TaskStatus {
  if (outcome === "done" || (outcome === "" && status === "done")) return "completed";
  if (outcome === "skipped" || isWaived) return "skipped";
  if (outcome !== "") return outcome;
  if (run === "" || status === "") return "pending";
  return status === "running" || status === "waiting" ? status : "failed";
}

function wavesOf(tasks: readonly GraphTask[]): ReadonlyMap<string, number> {
  const waves = new Map<string, number>();
  // No task depends on a later layer, so each layer is complete before the next one.
  for (const task of inOrder(tasks).toSorted((a, b) => (a.layer ?? 0) - (b.layer ?? 0))) {
    const before = [
      ...task.dependsOn,
      ...tasks.filter((other) => isEarlier(other, task)).map(({ id }) => id),
    ];
    waves.set(task.id, 1 + Math.max(0, ...before.map((id) => waves.get(id) ?? 0)));
  }
  return waves;
}

const SUMMARY_MAX = 500;

/** The summary of a run: the text `summary` of its last submission. */
export function summaryOf({ held }: Pick<Run, "held">): string {
  const said = Object.values(held).map(({ reading }) => reading.fields["summary"]);
  return cut(said.findLast((text) => typeof text === "string") ?? "", SUMMARY_MAX);
}

/** Cuts to the maximum number of characters, never inside a character. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

/**
 * The details of all tasks' runs, as one list of each kind: every member names its task.
 *
 * Decisions, waivers and values of an earlier run of a task stay valid. Findings of its reviews do not: the later run was
 * reviewed again.
 */
type TaskMembers<T> = readonly (T & { readonly task: string })[];

type TasksTold = {
  /** `ref` is unique among the questions of all runs of all tasks. */
  readonly questions: TaskMembers<TaskInside["questions"][number] & { readonly ref: string }>;
  readonly waivers: TaskMembers<TaskInside["waivers"][number]>;
  /** The issues of the last round of each review. */
  readonly issues: TaskMembers<{ readonly artifact: string }>;
  readonly collected: Readonly<Record<string, TaskMembers<TaskInside["collected"][string][number]>>>;
};

type One = {
  readonly id: string;
  readonly inside: TaskInside;
  /** The number of the task's run, from 1. */
  readonly nth: number;
};

/** `past` are runs that were replaced by later ones. */
function tasksTold(past: readonly One[], last: readonly One[]): TasksTold {
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

/** The first one keeps its name, independent of later ones. */
function nameOf(id: string, nth: number): readonly string[] {
  return nth === 1 ? [id] : [id, String(nth)];
}

/** The same text of one artifact of a task appears once, over all its runs. */
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
