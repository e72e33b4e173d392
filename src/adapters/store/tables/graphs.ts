/** Graphs of tasks and the runs that were made of them. */

import type { ChildRow, GraphKey, GraphRow, Graphs, NewChild } from "../../../engine/ports/graphs.ts";
import type { Ask, Row, Sql, Work } from "../sql.ts";
import { UNATTENDED } from "./pending.ts";
import { isParams, isTask, number, oncePerText, parsed, text, word } from "../row.ts";

const OF = "parent = ? AND artifact = ? AND entry = ?";
const BY_KEY = "parent = ? AND artifact = ? AND children.entry = ?";
const BY_PARENT = "parent = ?";
const CHILDREN =
  "SELECT children.*, coalesce((SELECT status FROM runs WHERE id = children.run), '') AS status, coalesce((SELECT seq FROM runs WHERE id = children.run), 0) AS seq FROM children";
/** All that can change of them in one text: a hundred rows are not read again to see that they are as they were. */
const MARK = `SELECT string_agg(artifact || ' ' || children.entry || ' ' || task || ' ' || children.run || ' ' || outcome || ' ' || length(json)
  || ' ' || coalesce(runs.status, '') || ' ' || coalesce(runs.seq, 0), '\n') AS mark FROM children LEFT JOIN runs ON runs.id = children.run`;
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
const TALLIES = `SELECT parent, count(CASE WHEN outcome IN ('done', 'skipped') THEN 1 END) AS done, count(*) AS n, count(CASE WHEN ${WAITING} THEN 1 END) AS waiting FROM graphs
  JOIN children USING (parent, artifact, entry) WHERE status <> 'closed' GROUP BY parent ORDER BY parent`;

export function graphsOf(ask: Ask): Graphs {
  const rows = rowsIn();
  return {
    graph: ask(function* (db, { parent, artifact, entry }) {
      const row = yield* db.get(`SELECT * FROM graphs WHERE ${OF}`, parent, artifact, entry);
      return row === undefined ? undefined : graphRow(row);
    }),
    graphs: ask(function* (db) {
      const sql = "SELECT * FROM graphs WHERE status <> 'closed' ORDER BY parent, entry";
      return (yield* db.all(sql)).map(graphRow);
    }),
    children: ask((db, { parent, artifact, entry }) => rows(db, BY_KEY, parent, artifact, entry), "moment"),
    childrenOf: ask((db, parent) => rows(db, BY_PARENT, parent), "moment"),
    childAs: ask(function* (db, run) {
      if (run === "") return undefined;
      const row = yield* db.get(`${CHILDREN} WHERE children.run = ? AND children.run <> ''`, run);
      return row === undefined ? undefined : childRow(row);
    }),
    tallies: ask(function* (db) {
      return (yield* db.all(TALLIES)).map((row) => ({
        parent: text(row["parent"]),
        done: number(row["done"]),
        all: number(row["n"]),
        waiting: number(row["waiting"]),
      }));
    }),
    isGraphDue: ask(function* (db) {
      return (yield* db.get(DUE)) !== undefined;
    }),
  };
}

export function* putGraph(
  db: Sql,
  { parent, artifact, entry, definition, most }: Omit<GraphRow, "status">,
  children: readonly NewChild[],
): Work<void> {
  const known = yield* db.get(`SELECT 1 FROM graphs WHERE ${OF}`, parent, artifact, entry);
  if (known !== undefined) return;
  db.put("INSERT INTO graphs VALUES (?, ?, ?, ?, ?, 'open')", parent, artifact, entry, definition, most);
  for (const [n, { task, params, outcome = "", summary = "", took = "" }] of children.entries())
    db.put(
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

export function setGraph(db: Sql, { parent, artifact, entry }: GraphKey, status: GraphRow["status"]): void {
  db.put(`UPDATE graphs SET status = ? WHERE ${OF}`, status, parent, artifact, entry);
}

type TaskOfGraph = { readonly graph: GraphKey; readonly task: string };

/** Gives the run that the task has from now on. */
export function* nameChild(db: Sql, { graph, task }: TaskOfGraph, run: string): Work<string> {
  const { parent, artifact, entry } = graph;
  const values = [parent, artifact, entry, task] as const;
  db.put(`UPDATE children SET run = ? WHERE ${OF} AND task = ? AND run = ''`, run, ...values);
  return text((yield* db.get(`SELECT run FROM children WHERE ${OF} AND task = ?`, ...values))?.["run"]);
}

export function* settleChild(
  db: Sql,
  { graph: { parent, artifact, entry }, task }: TaskOfGraph,
  { outcome, summary }: Pick<ChildRow, "outcome" | "summary">,
): Work<void> {
  const values = [parent, artifact, entry, task] as const;
  const row = yield* db.get(`SELECT json FROM children WHERE ${OF} AND task = ? ${db.forUpdate}`, ...values);
  if (row === undefined) return;
  const json = JSON.stringify({ ...parsed(text(row["json"]), isTask), summary });
  db.put(`UPDATE children SET outcome = ?, json = ? WHERE ${OF} AND task = ?`, outcome, json, ...values);
}

type ChildRows = (db: Sql, where: string, ...values: (string | number)[]) => Work<ChildRow[]>;

/** Of one moment: what the mark is about is what is read. */
function rowsIn(): ChildRows {
  const known = new Map<string, { readonly mark: string; readonly rows: readonly ChildRow[] }>();
  return function* (db, where, ...values) {
    const key = JSON.stringify(values);
    const mark = String((yield* db.get(`${MARK} WHERE ${where}`, ...values))?.["mark"] ?? "");
    const last = known.get(key);
    if (last?.mark === mark) return [...last.rows];
    const all = yield* db.all(`${CHILDREN} WHERE ${where} ORDER BY children.entry, children.n`, ...values);
    const rows = all.map(childRow);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(key, { mark, rows });
    return [...rows];
  };
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
