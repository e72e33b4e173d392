/** Projects, the worktrees of their pools, and the queue in front of them. */

import type { PoolRow, ProjectRow, Projects, QueueRow } from "../../engine/ports/projects.ts";
import { failpoint } from "../failpoint.ts";
import { POOL_SIZE, projectNameOf } from "../../engine/project-name.ts";
import { UserError } from "../user-error.ts";
import type { Database, Row } from "./database.ts";
import { number, text } from "./row.ts";

const PUT_PROJECT = "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?)";
/** Says that it is not empty, for the index holds only those. */
const OF_RUN = "SELECT * FROM pool WHERE run = ? AND run <> ''";
const CONFLICT = 6;
/** What stands for a run where a worktree is being removed. Ids of runs have no hyphen. */
const RETIRED = "'pool-' || name";

export function projectsOf(db: Database): Projects {
  return { ...projects(db), ...pools(db), ...queue(db) };
}

function projects(
  db: Database,
): Pick<Projects, "projects" | "projectAt" | "projectNamed" | "putProject" | "dropProject"> {
  return {
    projects: () => db.all("SELECT * FROM projects ORDER BY name").map(projectRow),
    projectAt: (repo) => optional(db.get("SELECT * FROM projects WHERE repo = ?", repo), projectRow),
    projectNamed: (name) => optional(db.get("SELECT * FROM projects WHERE name = ?", name), projectRow),
    putProject({ repo, name, defaultBranch, poolSize, remote }) {
      failpoint("registry.before-project");
      db.write(() => {
        const other = db.get("SELECT repo FROM projects WHERE name = ? AND repo <> ?", name, repo);
        if (other !== undefined) throw nameTaken(name, text(other["repo"]));
        db.run(PUT_PROJECT, repo, name, defaultBranch, poolSize, remote);
      });
      failpoint("registry.after-project");
    },
    dropProject(repo) {
      failpoint("registry.before-drop-project");
      db.write(() => {
        const kept = db.get("SELECT name FROM pool WHERE repo = ?", repo);
        if (kept !== undefined) throw poolInUse(text(kept["name"]));
        db.run("DELETE FROM projects WHERE repo = ?", repo);
      });
      failpoint("registry.after-drop-project");
    },
  };
}

type Pools = Pick<
  Projects,
  "pool" | "pools" | "poolOf" | "hasRoom" | "leavePool" | "retire" | "dropFromPool" | "addToPool"
>;

function pools(db: Database): Pools {
  return {
    pool: (repo) => db.all("SELECT * FROM pool WHERE repo = ? ORDER BY n", repo).map(poolRow),
    pools: () => db.all("SELECT * FROM pool ORDER BY repo, n").map(poolRow),
    poolOf: (run) => (run === "" ? undefined : optional(db.get(OF_RUN, run), poolRow)),
    hasRoom: (repo) => vacancy(db, repo) !== undefined,
    leavePool(run) {
      failpoint("registry.before-leave-pool");
      db.write(() => db.run("UPDATE pool SET run = '' WHERE run = ? AND run <> ''", run));
      failpoint("registry.after-leave-pool");
    },
    retire(name) {
      failpoint("registry.before-retire");
      const sql = `UPDATE pool SET run = ${RETIRED} WHERE name = ? AND run IN ('', ${RETIRED}) RETURNING name`;
      const isRetired = db.write(() => db.get(sql, name) !== undefined);
      failpoint("registry.after-retire");
      return isRetired;
    },
    dropFromPool({ name, run }) {
      failpoint("registry.before-drop-pool");
      const sql = `DELETE FROM pool WHERE name = ? AND run = iif(? = '', ${RETIRED}, ?) RETURNING name`;
      const isDropped = db.write(() => db.get(sql, name, run, run) !== undefined);
      failpoint("registry.after-drop-pool");
      return isDropped;
    },
    addToPool(repo) {
      return db.write(() => {
        if (db.get("SELECT 1 FROM projects WHERE repo = ?", repo) === undefined) return undefined;
        const free = newIn(db, repo);
        if (free !== undefined) db.run("INSERT INTO pool VALUES (?, ?, ?, '')", free.name, repo, free.n);
        return free;
      });
    },
  };
}

/** Inside of a transaction. False where the pool is exhausted. A repository that nobody has named becomes a project. */
export function reserve(db: Database, run: string, repo: string): boolean {
  if (db.get(OF_RUN, run) !== undefined) return true;
  if (db.get("SELECT 1 FROM projects WHERE repo = ?", repo) === undefined)
    db.run(PUT_PROJECT, repo, freeName(db, repo), "", POOL_SIZE, "");
  const place = vacancy(db, repo);
  if (place === undefined) return false;
  db.run("INSERT OR REPLACE INTO pool VALUES (?, ?, ?, ?)", place.name, repo, place.n, run);
  return true;
}

function vacancy(db: Database, repo: string): PoolRow | undefined {
  const { size, name, rows } = poolAt(db, repo);
  if (rows.filter(({ run }) => run !== "").length >= size) return undefined;
  return rows.find(({ run, isRetired }) => run === "" && !isRetired) ?? newBeside(rows, { repo, size, name });
}

function newIn(db: Database, repo: string): PoolRow | undefined {
  const { size, name, rows } = poolAt(db, repo);
  return newBeside(rows, { repo, size, name });
}

/** All that decides about a place, in two reads: every run that begins asks. */
function poolAt(db: Database, repo: string): { size: number; name: string; rows: PoolRow[] } {
  const project = db.get("SELECT name, pool_size FROM projects WHERE repo = ?", repo);
  return {
    size: project === undefined ? POOL_SIZE : number(project["pool_size"]),
    name: project === undefined ? "" : text(project["name"]),
    rows: db.all("SELECT * FROM pool WHERE repo = ? ORDER BY n", repo).map(poolRow),
  };
}

/** One that is being removed takes no room, however long that takes; its number is not given again before it is gone. */
function newBeside(
  rows: readonly PoolRow[],
  { repo, size, name }: { readonly repo: string; readonly size: number; readonly name: string },
): PoolRow | undefined {
  if (rows.filter(({ isRetired }) => !isRetired).length >= size) return undefined;
  const taken = new Set(rows.map((row) => row.n));
  let n = 1;
  while (taken.has(n)) n += 1;
  return { name: `${name}--${n}`, repo, n, run: "", isRetired: false };
}

/** The folder's name, as far as it can be part of a path. */
function freeName(db: Database, repo: string): string {
  const plain = projectNameOf(repo);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? plain : `${plain}-${count}`;
    if (db.get("SELECT 1 FROM projects WHERE name = ?", name) === undefined) return name;
  }
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
    poolSize: number(row["pool_size"]),
    remote: text(row["remote"]),
  };
}

function poolRow(row: Row): PoolRow {
  const [name, run] = [text(row["name"]), text(row["run"])];
  const isRetired = run === `pool-${name}`;
  return { name, repo: text(row["repo"]), n: number(row["n"]), run: isRetired ? "" : run, isRetired };
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

function poolInUse(name: string): UserError {
  return new UserError("pool-in-use", `the project still has the worktree ${name}`, {
    next: "signalbox workspace gc",
    exit: CONFLICT,
  });
}
