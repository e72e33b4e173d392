/** The tasks of a graph as files and people see them. */

import type { Workflow } from "../model/compile.ts";
import { inOrder, isEarlier, type GraphTask } from "./graph.ts";
import { framesOf, phaseOf, type Frame } from "../projection/phase.ts";
import type { Questions } from "../projection/questions.ts";
import type { Round } from "../projection/journal-record.ts";
import type { Run } from "../model/run.ts";
import type { Said } from "../projection/accepted-values.ts";
import { tasksTold, type One, type TasksTold } from "./results.ts";

/** Of `waiting` and `running` its run says which; *failed* is everything that ended otherwise than done. */
type TaskStatus = "pending" | "running" | "waiting" | "completed" | "failed" | "blocked" | "skipped";

/** What is known of a task. */
type KnownTask = {
  readonly task: GraphTask & { readonly title: string };
  readonly run: string;
  readonly took: string;
  readonly outcome: "" | "done" | "failed" | "blocked" | "skipped";
  /** Of its run; empty while there is none. */
  readonly status: string;
  readonly summary: string;
  /** Where some file shows it. */
  readonly inside?: TaskInside;
  /** Which of its runs it is, from 1. */
  readonly nth?: number;
};

/** What its run says of itself, beyond how it ended. */
export type TaskInside = {
  /** Null while there is no run, and so its phase. */
  readonly state: string | null;
  readonly phase: string | null;
  readonly params: Run["params"];
  readonly frames: readonly Frame[];
  readonly counters: Readonly<Record<string, number>>;
  readonly waivers: readonly Run["waivers"][string][];
  readonly questions: Questions["questions"];
  readonly collected: Said["collected"];
  /** The last round of each review that files of its own show. */
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
  /** What does it, or has done it; null where nothing does. */
  readonly run: string | null;
  /** 1 where it depends on nothing, otherwise one more than the last of what it depends on. */
  readonly wave: number;
};

type TasksView = {
  readonly list: readonly TaskView[];
  readonly waves: readonly { readonly waveNumber: number; readonly tasks: readonly TaskView[] }[];
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  /** The first one that is under way. */
  readonly current: TaskView | null;
  /** Where some file shows it. */
  readonly all?: TasksTold;
};

/** `isWaived`: a person goes on without what is not done. `past`: as they were before they were started anew. */
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

function viewOf(known: KnownTask, on: { readonly wave: number; readonly isWaived: boolean }): TaskView {
  const { task, run, took, summary } = known;
  return {
    id: task.id,
    title: task.title,
    status: statusOf(known, on.isWaived),
    summary,
    files: task.files,
    dependencies: task.dependsOn,
    complexity: task.complexity ?? null,
    run: [run, took].find((each) => each !== "") ?? null,
    wave: on.wave,
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
  // Nothing depends on a later layer, so that each is whole before the next one.
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

/** What a run says of itself: the text `summary` of what it has handed in last. */
export function summaryOf({ held }: Pick<Run, "held">): string {
  const said = Object.values(held).map(({ reading }) => reading.fields["summary"]);
  return cut(said.findLast((text) => typeof text === "string") ?? "", SUMMARY_MAX);
}

/** At most so many characters, and no half of one. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}
