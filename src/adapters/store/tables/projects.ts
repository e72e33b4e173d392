/** Projects, and the queue of runs that have not begun. */

import type { ProjectRow, Projects, QueueRow, Refusal } from "../../../engine/ports/projects.ts";
import { upsert, type Ask, type Row, type Sql, type Work } from "../sql.ts";
import { number, text } from "../row.ts";

const PUT_PROJECT = upsert("projects", ["repo"], ["name", "default_branch", "agents", "remote"]);

/** A dependency that is not there any more is not done. */
const LINE = `SELECT q.run, q.repo, q.refused, q.refused_seq, q.tries, q.due_at,
  coalesce(runs.entry, 0) AS entry, coalesce(runs.seq, 0) AS seq, coalesce(runs.halted, 0) <> 0 OR EXISTS (
    SELECT 1 FROM depends LEFT JOIN runs AS other ON other.id = depends.on_run
    WHERE depends.run = q.run AND coalesce(other.status, '') <> 'done'
  ) AS held
  FROM queue AS q LEFT JOIN runs ON runs.id = q.run ORDER BY q.n`;
const READMIT = "UPDATE queue SET refused = '' WHERE run = ? AND refused <> ''";

export function projectsOf(ask: Ask): Projects {
  return {
    projects: ask(function* (db) {
      return (yield* db.all("SELECT * FROM projects ORDER BY name")).map(projectRow);
    }),
    projectAt: ask(function* (db, repo) {
      return optional(yield* db.get("SELECT * FROM projects WHERE repo = ?", repo), projectRow);
    }),
    projectNamed: ask(function* (db, name) {
      return optional(yield* db.get("SELECT * FROM projects WHERE name = ?", name), projectRow);
    }),
    queued: ask(function* (db, repo) {
      const rows =
        repo === undefined
          ? yield* db.all("SELECT run, repo FROM queue ORDER BY n")
          : yield* db.all("SELECT run, repo FROM queue WHERE repo = ? ORDER BY n", repo);
      return rows.map((row) => ({ run: text(row["run"]), repo: text(row["repo"]) }));
    }),
    line: ask(function* (db) {
      return (yield* db.all(LINE)).map(queueRow);
    }),
    depends: ask(function* (db, run) {
      const rows = yield* db.all("SELECT on_run FROM depends WHERE run = ? ORDER BY on_run", run);
      return rows.map((row) => text(row["on_run"]));
    }),
    dependents: ask(function* (db, run) {
      const rows = yield* db.all("SELECT run FROM depends WHERE on_run = ? ORDER BY run", run);
      return rows.map((row) => text(row["run"]));
    }),
  };
}

/** Gives the repository of the project that has the name already; empty where it was free. */
export function* putProject(db: Sql, row: ProjectRow): Work<string> {
  const { repo, name, defaultBranch, agents, remote } = row;
  const other = yield* db.get("SELECT repo FROM projects WHERE name = ? AND repo <> ?", name, repo);
  if (other !== undefined) return text(other["repo"]);
  db.put(PUT_PROJECT, repo, name, defaultBranch, agents, remote);
  return "";
}

/** Gives a run that still has a workspace of the project; empty where there is none. */
export function* dropProject(db: Sql, repo: string): Work<string> {
  const bound = "SELECT run FROM workspaces WHERE status <> 'released' AND repo = ? AND path <> repo";
  const kept = yield* db.get(bound, repo);
  if (kept !== undefined) return text(kept["run"]);
  db.put("DELETE FROM projects WHERE repo = ?", repo);
  return "";
}

export function enqueue(db: Sql, run: string, repo: string): void {
  db.put("INSERT INTO queue (run, repo) VALUES (?, ?) ON CONFLICT DO NOTHING", run, repo);
  readmit(db, run);
}

export function dequeue(db: Sql, run: string): void {
  db.put("DELETE FROM queue WHERE run = ?", run);
}

export function refuse(
  db: Sql,
  { run, seq }: Pick<QueueRow, "run" | "seq">,
  { message, tries, dueAt }: Refusal,
): void {
  const sql = "UPDATE queue SET refused = ?, refused_seq = ?, tries = ?, due_at = ? WHERE run = ?";
  db.put(sql, message, seq, tries, dueAt, run);
}

export function readmit(db: Sql, run: string): void {
  db.put(READMIT, run);
}

export function putDepends(db: Sql, run: string, on: readonly string[]): void {
  db.put("DELETE FROM depends WHERE run = ?", run);
  for (const other of new Set(on)) db.put("INSERT INTO depends VALUES (?, ?)", run, other);
}

function optional<T>(row: Row | undefined, of: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : of(row);
}

function projectRow(row: Row): ProjectRow {
  return {
    repo: text(row["repo"]),
    name: text(row["name"]),
    defaultBranch: text(row["default_branch"]),
    agents: number(row["agents"]),
    remote: text(row["remote"]),
  };
}

function queueRow(row: Row): QueueRow {
  const [seq, message] = [number(row["seq"]), text(row["refused"])];
  const isRefused = message !== "" && number(row["refused_seq"]) === seq;
  return {
    run: text(row["run"]),
    repo: text(row["repo"]),
    entry: number(row["entry"]),
    seq,
    isHeld: row["held"] === 1,
    refusal: isRefused ? { message, tries: number(row["tries"]), dueAt: number(row["due_at"]) } : undefined,
  };
}
