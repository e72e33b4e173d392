/** Projects, and the queue of runs that have not begun. */

import type { ProjectRow, Projects, QueueRow } from "../../../engine/ports/projects.ts";
import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import type { Database, Row } from "../database.ts";
import { number, text } from "../row.ts";

const PUT_PROJECT = "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?)";
const CONFLICT = 6;

export function projectsOf(db: Database): Projects {
  return { ...projects(db), ...queue(db) };
}

function projects(
  db: Database,
): Pick<Projects, "projects" | "projectAt" | "projectNamed" | "putProject" | "dropProject"> {
  return {
    projects: () => db.all("SELECT * FROM projects ORDER BY name").map(projectRow),
    projectAt: (repo) => optional(db.get("SELECT * FROM projects WHERE repo = ?", repo), projectRow),
    projectNamed: (name) => optional(db.get("SELECT * FROM projects WHERE name = ?", name), projectRow),
    putProject({ repo, name, defaultBranch, agents, remote }) {
      failpoint("registry.before-project");
      db.write(() => {
        const other = db.get("SELECT repo FROM projects WHERE name = ? AND repo <> ?", name, repo);
        if (other !== undefined) throw nameTaken(name, text(other["repo"]));
        db.run(PUT_PROJECT, repo, name, defaultBranch, agents, remote);
      });
      failpoint("registry.after-project");
    },
    dropProject(repo) {
      failpoint("registry.before-drop-project");
      db.write(() => {
        const bound = "SELECT run FROM workspaces WHERE status <> 'released' AND repo = ? AND path <> repo";
        const kept = db.get(bound, repo);
        if (kept !== undefined) throw inUse(text(kept["run"]));
        db.run("DELETE FROM projects WHERE repo = ?", repo);
      });
      failpoint("registry.after-drop-project");
    },
  };
}

type Queue = Pick<
  Projects,
  | "enqueue"
  | "dequeue"
  | "queued"
  | "line"
  | "refuse"
  | "readmit"
  | "depends"
  | "putDepends"
  | "dependents"
  | "hide"
>;

/** A dependency that is not there any more is not done. */
const LINE = `SELECT q.run, q.repo, q.refused, q.refused_seq, q.tries, q.due_at,
  coalesce(runs.entry, 0) AS entry, coalesce(runs.seq, 0) AS seq, coalesce(runs.halted, 0) <> 0 OR EXISTS (
    SELECT 1 FROM depends LEFT JOIN runs AS other ON other.id = depends.on_run
    WHERE depends.run = q.run AND coalesce(other.status, '') <> 'done'
  ) AS held
  FROM queue AS q LEFT JOIN runs ON runs.id = q.run ORDER BY q.n`;
const READMIT = "UPDATE queue SET refused = '' WHERE run = ? AND refused <> ''";

function queue(db: Database): Queue {
  const column = (name: string, sql: string, value: string): string[] =>
    db.all(sql, value).map((row) => text(row[name]));
  return {
    enqueue(run, repo) {
      failpoint("registry.before-enqueue");
      db.write(() => {
        db.run("INSERT OR IGNORE INTO queue (run, repo) VALUES (?, ?)", run, repo);
        db.run(READMIT, run);
      });
      failpoint("registry.after-enqueue");
    },
    dequeue(run) {
      db.write(() => db.run("DELETE FROM queue WHERE run = ?", run));
    },
    queued(repo) {
      const rows =
        repo === undefined
          ? db.all("SELECT run, repo FROM queue ORDER BY n")
          : db.all("SELECT run, repo FROM queue WHERE repo = ? ORDER BY n", repo);
      return rows.map((row) => ({ run: text(row["run"]), repo: text(row["repo"]) }));
    },
    line: () => db.all(LINE).map(queueRow),
    refuse({ run, seq }, { message, tries, dueAt }) {
      const sql = "UPDATE queue SET refused = ?, refused_seq = ?, tries = ?, due_at = ? WHERE run = ?";
      db.write(() => db.run(sql, message, seq, tries, dueAt, run));
    },
    readmit: (run) => db.write(() => db.run(READMIT, run)) > 0,
    depends: (run) => column("on_run", "SELECT on_run FROM depends WHERE run = ? ORDER BY on_run", run),
    putDepends(run, on) {
      failpoint("registry.before-depends");
      db.write(() => {
        db.run("DELETE FROM depends WHERE run = ?", run);
        for (const other of new Set(on)) db.run("INSERT INTO depends VALUES (?, ?)", run, other);
      });
      failpoint("registry.after-depends");
    },
    dependents: (run) => column("run", "SELECT run FROM depends WHERE on_run = ? ORDER BY run", run),
    hide(run, hidden) {
      db.write(() => db.run("UPDATE runs SET hidden = ? WHERE id = ?", hidden ? 1 : 0, run));
    },
  };
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

function nameTaken(name: string, repo: string): UserError {
  return new UserError("name-taken", `${name} is the name of the project in ${repo}`, {
    next: "signalbox project list",
    exit: CONFLICT,
  });
}

function inUse(run: string): UserError {
  return new UserError("project-in-use", `${run} still has a workspace of the project`, {
    next: "signalbox workspace gc",
    exit: CONFLICT,
  });
}
