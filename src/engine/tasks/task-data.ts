/** What files may show of tasks: those that a run has started, as `tasks`, and the one that it was made of, as `task`. */

import type { Workflow } from "../../core/model/compile.ts";
import { reads } from "../../core/projection/project.ts";
import { cut, tasksView } from "../../core/tasks/view.ts";
import type { Run } from "../../core/model/run.ts";
import type { Box } from "../box.ts";
import { insideIn, showsInside } from "./task-runs.ts";
import type { Listed, Place } from "../ports/files.ts";
import type { ChildRow } from "../ports/graphs.ts";

export type TaskData = {
  readonly root: Readonly<Record<string, unknown>>;
  /** Whether it is still as it was: tasks go on while the journal of whoever waits for them stands still. */
  isCurrent(): Promise<boolean>;
};

/** Nothing is looked up that no file shows. */
export async function taskData(
  box: Pick<Box, "store" | "artifacts" | "workflow">,
  place: Place,
): Promise<TaskData> {
  const { workflow, run } = place;
  const own = shows(workflow, "task") ? { task: await taskOf(box, place) } : {};
  if (!showsTasks(workflow)) return { root: own, isCurrent: () => Promise.resolve(true) };
  const rows = await box.store.childrenOf(run.id);
  const isInside = showsInside(workflow);
  const stamp = await stampOf(box, rows, isInside);
  const known = isInside
    ? await Promise.all(
        counted(rows).map(async (row) => ({ ...row, inside: (await insideIn(box, row)).inside })),
      )
    : rows;
  return {
    root: { ...own, tasks: tasksOf(workflow, run, known) },
    isCurrent: async () => (await stampOf(box, await box.store.childrenOf(run.id), isInside)) === stamp,
  };
}

export function showsTasks(workflow: Workflow): boolean {
  return shows(workflow, "tasks");
}

function shows({ definition }: Workflow, root: string): boolean {
  const inputs = Object.values(definition.roles).flatMap(({ input }) => (input === undefined ? [] : [input]));
  return [...definition.projections, ...inputs].some((each) => "data" in each && reads(each.data, root));
}

const DESCRIPTION_MAX = 100;
const INSTRUCTIONS_MAX = 2000;

/** What whoever does it must know. A run that was made of no task has what its parameters of the same names say. */
async function taskOf(
  { store, artifacts }: Pick<Box, "store" | "artifacts">,
  place: Place,
): Promise<Readonly<Record<string, unknown>>> {
  const { run } = place;
  const row = await store.childAs(run.id);
  const { id, title, files, text = "", keys = {} } = row?.task ?? ownTask(run);
  const beside = row === undefined || row.task.dependsOn.length === 0 ? [] : await store.children(row);
  const before = beside.filter(({ task }) => row?.task.dependsOn.includes(task.id));
  return {
    id,
    title,
    description: cut(title, DESCRIPTION_MAX),
    files,
    instructions: cut(text === "" ? title : text, INSTRUCTIONS_MAX),
    said: keys,
    dependencyOutputs: before.map(({ task, summary }) => ({ taskId: task.id, summary })),
    context: artifacts.present(place, askedFor(run)),
    earlier: artifacts.present(place, linesOf(run, "earlier")),
  };
}

function ownTask(run: Run): Listed {
  const [id = "", title = ""] = ["task", "goal"].map((name) => String(run.params[name] ?? ""));
  return { id, title, files: linesOf(run, "files"), dependsOn: [] };
}

function linesOf({ params }: Run, name: string): readonly string[] {
  const lines = String(params[name] ?? "").split("\n");
  return lines.filter((line) => line !== "");
}

/** An artifact may have a list `context`: files that whoever wrote it wants to be given. */
function askedFor({ held }: Run): readonly string[] {
  return (
    Object.values(held).findLast(({ reading }) => "context" in reading.lists)?.reading.lists["context"] ?? []
  );
}

/** All that can change of them; where files show what their runs say, that as well. */
export async function stampOf(
  box: Pick<Box, "store" | "workflow">,
  rows: readonly ChildRow[],
  isInside: boolean,
): Promise<string> {
  const lines = await Promise.all(
    rows.map(async (row) => {
      const { entry, run, outcome, status } = row;
      return [entry, run, outcome, status, isInside ? (await insideIn(box, row)).mark : ""].join(" ");
    }),
  );
  return lines.join("\n");
}

type Counted = ChildRow & { readonly nth?: number };

/** Which run of its task each is, whatever has started it: what is shown of it is named by that. */
function counted(rows: readonly ChildRow[]): readonly Counted[] {
  const runs = new Map<string, Set<string>>();
  return rows.map((row) => {
    const own = runs.get(row.task.id) ?? new Set<string>();
    runs.set(row.task.id, own);
    const run = runOf(row);
    if (run === "") return row;
    own.add(run);
    return { ...row, nth: [...own].indexOf(run) + 1 };
  });
}

function runOf({ run, took }: ChildRow): string {
  return run === "" ? took : run;
}

/** By artifact, each as it was started last, and what earlier ones have left. */
function tasksOf(
  { definition }: Workflow,
  run: Run,
  rows: readonly Counted[],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(definition.artifacts).filter(
    (name) => definition.artifacts[name]?.reader.type === "children",
  );
  return Object.fromEntries(
    names.map((name) => {
      const all = rows.filter(({ artifact }) => artifact === name);
      const last = all.filter(({ entry }) => entry === all.at(-1)?.entry);
      // One that a later graph has taken over is the same run, and one that it took over itself is told by whoever had it.
      const runs = new Set(last.map(runOf));
      const past = all.filter((row) => !last.includes(row) && row.run !== "" && !runs.has(row.run));
      return [name, tasksView(last, run.waivers[name] !== undefined, past)];
    }),
  );
}
