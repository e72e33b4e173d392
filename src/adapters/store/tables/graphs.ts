/** Graphs of tasks and the runs that were made of them. */

import type { ChildRow, GraphKey, GraphRow, Graphs, NewChild } from "../../../engine/ports/graphs.ts";
import { promised, type Database, type Row } from "../database.ts";
import { UNATTENDED } from "./pending.ts";
import { isParams, isTask, number, oncePerText, parsed, text, word } from "../row.ts";

const OF = "parent = ? AND artifact = ? AND entry = ?";
const BY_KEY = "parent = ? AND artifact = ? AND children.entry = ?";
const BY_PARENT = "parent = ?";
const CHILDREN =
  "SELECT children.*, coalesce((SELECT status FROM runs WHERE id = children.run), '') AS status, coalesce((SELECT seq FROM runs WHERE id = children.run), 0) AS seq FROM children";
/** All that can change of them in one text: a hundred rows are not read again to see that they are as they were. */
const MARK = `SELECT group_concat(artifact || ' ' || children.entry || ' ' || task || ' ' || children.run || ' ' || outcome || ' ' || length(json)
  || ' ' || coalesce(runs.status, '') || ' ' || coalesce(runs.seq, 0), char(10)) AS mark FROM children LEFT JOIN runs ON runs.id = children.run`;
const KEPT_MAX = 100;
const LIVE = "runs.status IN ('running', 'waiting')";
/** A graph of which nothing lives, or of which something has ended and nobody has noticed. */
const DUE = `SELECT 1 FROM graphs WHERE status <> 'closed' AND (
  EXISTS (SELECT 1 FROM runs WHERE id = graphs.parent AND runs.entry <> graphs.entry)
  OR status = 'open' AND (
  NOT EXISTS (SELECT 1 FROM children JOIN runs ON runs.id = children.run
    WHERE children.parent = graphs.parent AND children.artifact = graphs.artifact AND children.entry = graphs.entry AND ${LIVE})
  OR EXISTS (SELECT 1 FROM children JOIN runs ON runs.id = children.run
    WHERE children.parent = graphs.parent AND children.artifact = graphs.artifact AND children.entry = graphs.entry
    AND children.outcome = '' AND NOT ${LIVE}))) LIMIT 1`;

const WAITING = `EXISTS (SELECT 1 FROM runs WHERE id = children.run
  AND (runs.status = 'waiting' OR runs.status = 'running' AND runs.attention <> '' OR ${UNATTENDED}))`;
const TALLIES = `SELECT parent, sum(outcome IN ('done', 'skipped')) AS done, count(*) AS n, sum(${WAITING}) AS waiting FROM graphs
  JOIN children USING (parent, artifact, entry) WHERE status <> 'closed' GROUP BY parent`;

export function graphsOf(db: Database): Graphs {
  const rows = rowsIn(db);
  return {
    graph: promised(({ parent, artifact, entry }) => {
      const row = db.get(`SELECT * FROM graphs WHERE ${OF}`, parent, artifact, entry);
      return row === undefined ? undefined : graphRow(row);
    }),
    graphs: promised(() =>
      db.all("SELECT * FROM graphs WHERE status <> 'closed' ORDER BY parent, entry").map(graphRow),
    ),
    children: promised(({ parent, artifact, entry }) => rows(BY_KEY, parent, artifact, entry)),
    childrenOf: promised((parent) => rows(BY_PARENT, parent)),
    childAs: promised((run) => {
      const row =
        run === "" ? undefined : db.get(`${CHILDREN} WHERE children.run = ? AND children.run <> ''`, run);
      return row === undefined ? undefined : childRow(row);
    }),
    tallies: promised(() =>
      db.all(TALLIES).map((row) => ({
        parent: text(row["parent"]),
        done: number(row["done"]),
        all: number(row["n"]),
        waiting: number(row["waiting"]),
      })),
    ),
    isGraphDue: promised(() => db.get(DUE) !== undefined),
  };
}

export function putGraph(
  db: Database,
  { parent, artifact, entry, definition, most }: Omit<GraphRow, "status">,
  children: readonly NewChild[],
): void {
  if (db.get(`SELECT 1 FROM graphs WHERE ${OF}`, parent, artifact, entry) !== undefined) return;
  db.run("INSERT INTO graphs VALUES (?, ?, ?, ?, ?, 'open')", parent, artifact, entry, definition, most);
  for (const [n, { task, params, outcome = "", summary = "", took = "" }] of children.entries())
    db.run(
      "INSERT INTO children VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)",
      parent,
      artifact,
      entry,
      task.id,
      n,
      JSON.stringify({ ...task, summary, took }),
      JSON.stringify(params),
      outcome,
    );
}

export function setGraph(
  db: Database,
  { parent, artifact, entry }: GraphKey,
  status: GraphRow["status"],
): void {
  db.run(`UPDATE graphs SET status = ? WHERE ${OF}`, status, parent, artifact, entry);
}

type TaskOfGraph = { readonly graph: GraphKey; readonly task: string };

/** Gives the run that the task has from now on. */
export function nameChild(db: Database, { graph, task }: TaskOfGraph, run: string): string {
  const { parent, artifact, entry } = graph;
  const values = [parent, artifact, entry, task] as const;
  db.run(`UPDATE children SET run = ? WHERE ${OF} AND task = ? AND run = ''`, run, ...values);
  return text(db.get(`SELECT run FROM children WHERE ${OF} AND task = ?`, ...values)?.["run"]);
}

export function settleChild(
  db: Database,
  { graph: { parent, artifact, entry }, task }: TaskOfGraph,
  { outcome, summary }: Pick<ChildRow, "outcome" | "summary">,
): void {
  db.run(
    `UPDATE children SET outcome = ?, json = json_set(json, '$.summary', ?) WHERE ${OF} AND task = ?`,
    outcome,
    summary,
    parent,
    artifact,
    entry,
    task,
  );
}

/** Of one moment: what the mark is about is what is read. */
function rowsIn(db: Database): (where: string, ...values: (string | number)[]) => ChildRow[] {
  const known = new Map<string, { readonly mark: string; readonly rows: readonly ChildRow[] }>();
  return (where, ...values) =>
    db.read(() => {
      const key = JSON.stringify(values);
      const mark = String(db.get(`${MARK} WHERE ${where}`, ...values)?.["mark"] ?? "");
      const last = known.get(key);
      if (last?.mark === mark) return [...last.rows];
      const all = db.all(`${CHILDREN} WHERE ${where} ORDER BY children.entry, children.n`, ...values);
      const rows = all.map(childRow);
      if (known.size >= KEPT_MAX) known.clear();
      known.set(key, { mark, rows });
      return [...rows];
    });
}

function keyOf(row: Row): GraphKey {
  return { parent: text(row["parent"]), artifact: text(row["artifact"]), entry: number(row["entry"]) };
}

function graphRow(row: Row): GraphRow {
  return {
    ...keyOf(row),
    definition: text(row["definition"]),
    most: number(row["most"]),
    status: word(row["status"], ["open", "told", "closed"]),
  };
}

/** Beside the task stand, in the same column, the words of its run and where it was taken over from. */
const taskIn = oncePerText((json): Pick<ChildRow, "task" | "summary" | "took"> => {
  const { summary = "", took = "", ...task } = parsed(json, isTask);
  return { task, summary, took };
});
const paramsIn = oncePerText((json) => parsed(json, isParams));

function childRow(row: Row): ChildRow {
  return {
    ...keyOf(row),
    ...taskIn(text(row["json"])),
    params: paramsIn(text(row["params"])),
    run: text(row["run"]),
    outcome: word(row["outcome"], ["", "done", "failed", "blocked", "skipped"]),
    status: text(row["status"]),
    seq: number(row["seq"]),
  };
}
