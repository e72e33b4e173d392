/** Runs and tasks in a table: the summary first, the id last. */

import type { RunSummary, TaskSummary } from "../../app/view/run-view.ts";
import { firstLine, sayAge } from "../../app/view/words.ts";
import type { Paint } from "../paint.ts";
import { shortIds, styleOf, table, type Cell } from "./table.ts";

type TableStyle = { readonly paint: Paint; readonly width?: number | undefined; readonly now: number };

const SUMMARY_MIN = 20;
const NAME_MIN = 10;

export function sayRuns(runs: readonly RunSummary[], how: TableStyle): string {
  const id = shortIds(runs.map(({ run }) => run));
  const projects = new Set(runs.map(({ repo }) => repo));
  return table(
    [
      { title: "SUMMARY", min: SUMMARY_MIN },
      { title: "STATE" },
      { title: "WAITS FOR", min: NAME_MIN },
      { title: "AGE" },
      { title: "WORKFLOW" },
      { title: "PROJECT", min: NAME_MIN },
      { title: "RUN" },
    ],
    runs.map((run) => [
      firstLine(run.summary) || run.name,
      stateOf(run),
      { text: run.waits.short, style: styleOf(run) },
      sayAge(run.updatedAt, how.now),
      run.workflow,
      projects.size > 1 ? run.project : "",
      id(run.run),
    ]),
    how,
  );
}

const MARKS: Readonly<Record<TaskSummary["session"], Cell>> = {
  alive: { text: "●", style: "green" },
  dead: { text: "✗", style: "red" },
  unknown: "?",
  none: "",
};

export function sayTaskRows(tasks: readonly TaskSummary[], how: TableStyle): string {
  const id = shortIds(tasks.map(({ run }) => run));
  const projects = new Set(tasks.map(({ repo }) => repo));
  return table(
    [
      { title: "" },
      { title: "SUMMARY", min: SUMMARY_MIN },
      { title: "STATE" },
      { title: "WAITS FOR", min: NAME_MIN },
      { title: "ROUND" },
      { title: "AGE" },
      { title: "BRANCH", min: NAME_MIN },
      { title: "PROJECT", min: NAME_MIN },
      { title: "RUN" },
    ],
    tasks.map((task) => [
      MARKS[task.session],
      firstLine(task.summary) || task.name,
      { text: task.state, style: styleOf(task) },
      { text: isRefused(task) ? firstLine(task.refused) : task.waits.short, style: styleOf(task) },
      task.round === 0 ? "" : String(task.round),
      sayAge(task.updatedAt, how.now),
      task.branch.endsWith(task.run) ? "" : task.branch,
      projects.size > 1 ? task.project : "",
      id(task.run),
    ]),
    how,
  );
}

/** Its turn came, and it did not start: the reason is what a person needs. */
function isRefused({ waits, refused }: TaskSummary): boolean {
  return waits.kind === "person" && refused !== "";
}

function stateOf(run: RunSummary): Cell {
  const named = run.phase === "" || run.phase === run.state ? run.state : `${run.phase} ${run.state}`;
  const tally = run.tasks === null ? "" : `, ${run.tasks.done} of ${run.tasks.all} tasks`;
  return { text: `${named}${tally}`, style: styleOf(run) };
}
