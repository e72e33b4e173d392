/** Projects, and the queue of runs that have not begun. */

import type { ProjectRow, Projects, QueueRow, Refusal } from "../../../engine/ports/projects.ts";
import { promised, type Database, type Row } from "../database.ts";
import { number, text } from "../row.ts";

const PUT_PROJECT = "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?)";

/** A dependency that is not there any more is not done. */
const LINE = `SELECT q.run, q.repo, q.refused, q.refused_seq, q.tries, q.due_at,
  coalesce(runs.entry, 0) AS entry, coalesce(runs.seq, 0) AS seq, coalesce(runs.halted, 0) <> 0 OR EXISTS (
    SELECT 1 FROM depends LEFT JOIN runs AS other ON other.id = depends.on_run
    WHERE depends.run = q.run AND coalesce(other.status, '') <> 'done'
  ) AS held
  FROM queue AS q LEFT JOIN runs ON runs.id = q.run ORDER BY q.n`;
const READMIT = "UPDATE queue SET refused = '' WHERE run = ? AND refused <> ''";

export function projectsOf(db: Database): Projects {
  const column = (name: string, sql: string, value: string): string[] =>
    db.all(sql, value).map((row) => text(row[name]));
  return {
    projects: promised(() => db.all("SELECT * FROM projects ORDER BY name").map(projectRow)),
    projectAt: promised((repo) =>
      optional(db.get("SELECT * FROM projects WHERE repo = ?", repo), projectRow),
    ),
    projectNamed: promised((name) =>
      optional(db.get("SELECT * FROM projects WHERE name = ?", name), projectRow),
    ),
    queued: promised((repo) => {
      const rows =
        repo === undefined
          ? db.all("SELECT run, repo FROM queue ORDER BY n")
          : db.all("SELECT run, repo FROM queue WHERE repo = ? ORDER BY n", repo);
      return rows.map((row) => ({ run: text(row["run"]), repo: text(row["repo"]) }));
    }),
    line: promised(() => db.all(LINE).map(queueRow)),
    depends: promised((run) =>
      column("on_run", "SELECT on_run FROM depends WHERE run = ? ORDER BY on_run", run),
    ),
    dependents: promised((run) =>
      column("run", "SELECT run FROM depends WHERE on_run = ? ORDER BY run", run),
    ),
  };
}

/** Gives the repository of the project that has the name already; empty where it was free. */
export function putProject(db: Database, row: ProjectRow): string {
  const { repo, name, defaultBranch, agents, remote } = row;
  const other = db.get("SELECT repo FROM projects WHERE name = ? AND repo <> ?", name, repo);
  if (other !== undefined) return text(other["repo"]);
  db.run(PUT_PROJECT, repo, name, defaultBranch, agents, remote);
  return "";
}

/** Gives a run that still has a workspace of the project; empty where there is none. */
export function dropProject(db: Database, repo: string): string {
  const bound = "SELECT run FROM workspaces WHERE status <> 'released' AND repo = ? AND path <> repo";
  const kept = db.get(bound, repo);
  if (kept !== undefined) return text(kept["run"]);
  db.run("DELETE FROM projects WHERE repo = ?", repo);
  return "";
}

export function enqueue(db: Database, run: string, repo: string): void {
  db.run("INSERT OR IGNORE INTO queue (run, repo) VALUES (?, ?)", run, repo);
  readmit(db, run);
}

export function dequeue(db: Database, run: string): void {
  db.run("DELETE FROM queue WHERE run = ?", run);
}

export function refuse(
  db: Database,
  { run, seq }: Pick<QueueRow, "run" | "seq">,
  { message, tries, dueAt }: Refusal,
): void {
  const sql = "UPDATE queue SET refused = ?, refused_seq = ?, tries = ?, due_at = ? WHERE run = ?";
  db.run(sql, message, seq, tries, dueAt, run);
}

export function readmit(db: Database, run: string): void {
  db.run(READMIT, run);
}

export function putDepends(db: Database, run: string, on: readonly string[]): void {
  db.run("DELETE FROM depends WHERE run = ?", run);
  for (const other of new Set(on)) db.run("INSERT INTO depends VALUES (?, ?)", run, other);
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
