/** Agents, jobs, workspaces, and what is known of files and repositories: the engine's notes about the world. */

import { dirname } from "node:path";
import type { Reading } from "../../../core/model/event.ts";
import type {
  AgentRow,
  HumanKeyRow,
  JobRow,
  ReadingsKey,
  Registry,
  TrustRow,
  WorkspaceRow,
} from "../../../engine/ports/registry.ts";
import { promised, type Database, type Row } from "../database.ts";
import { QUEUED } from "./outbox.ts";
import { holderOf } from "./place.ts";
import { isReadings, number, parsed, text, word } from "../row.ts";

const PUT_AGENT = "INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PUT_JOB = "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PUT_WORKSPACE = "INSERT OR REPLACE INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

export function registryOf(db: Database): Registry {
  return { ...agents(db), ...jobs(db), ...workspaces(db), ...files(db), ...people(db) };
}

type Agents = Pick<Registry, "agents" | "agent" | "byToken" | "idleMoved" | "liveTurns" | "comingTurns">;

/**
 * What is to be done for the run comes first: it may be what the agent is to be told. Asked at every turn of the supervisor, these go by
 * the small indexes of what is open: SQLite never changes the order of a cross join, and knows such an index by its own words only.
 */
const IDLE_MOVED = `FROM agents CROSS JOIN runs ON runs.id = agents.run
  WHERE agents.status IN ('running', 'idle') AND agents.status = 'idle' AND runs.entry > agents.entry AND runs.halted = 0 AND runs.attention = ''
  AND NOT EXISTS (SELECT 1 FROM deeds WHERE deeds.run = agents.run AND deeds.status IN ('pending', 'claimed'))`;
const LIVE_TURNS = `SELECT jobs.*, runs.definition, runs.state, EXISTS (
    SELECT 1 FROM deeds AS d WHERE d.run = jobs.run AND d.status IN ('pending', 'claimed') AND d.type = 'tell-agent' AND d.due_at = ${QUEUED}
    AND json_extract(d.json, '$.role') = jobs.role AND json_extract(d.json, '$.attempt') = jobs.attempt
  ) AS queued
  FROM jobs JOIN runs ON runs.id = jobs.run WHERE jobs.status = 'live' AND jobs.kind = 'turn' AND runs.repo = ?`;
const COMING_TURNS = `SELECT d.run, json_extract(d.json, '$.role') AS role, coalesce(json_extract(d.json, '$.slot'), '') AS slot,
  json_extract(d.json, '$.attempt') AS attempt FROM deeds AS d CROSS JOIN runs ON runs.id = d.run
  WHERE d.status IN ('pending', 'claimed') AND d.type IN ('start-agent', 'tell-agent') AND runs.halted = 0 AND runs.repo = ?
  UNION SELECT agents.run, role, slot, attempt ${IDLE_MOVED} AND runs.repo = ?`;

function agents(db: Database): Agents {
  return {
    agents: promised((filter) => db.all(...selected("agents", filter)).map(agentRow)),
    agent: promised(({ run, role, slot, attempt }) => {
      const sql = "SELECT * FROM agents WHERE run = ? AND role = ? AND slot = ? AND attempt = ?";
      const row = db.get(sql, run, role, slot, attempt);
      return row === undefined ? undefined : agentRow(row);
    }),
    byToken: promised((hash) => {
      const row = hash === "" ? undefined : db.get("SELECT * FROM agents WHERE token = ?", hash);
      return row === undefined ? undefined : agentRow(row);
    }),
    idleMoved: promised(() =>
      db
        .all(`SELECT agents.*, runs.repo ${IDLE_MOVED}`)
        .map((row) => ({ ...agentRow(row), repo: text(row["repo"]) })),
    ),
    liveTurns: promised((repo) =>
      db.all(LIVE_TURNS, repo).map((row) => {
        const { run, role, slot, attempt, seat } = jobRow(row);
        const [definition, state] = [text(row["definition"]), text(row["state"])];
        return { run, role, slot, attempt, seat, definition, state, isQueued: row["queued"] === 1 };
      }),
    ),
    comingTurns: promised((repo) =>
      db.all(COMING_TURNS, repo, repo).map((row) => ({
        run: text(row["run"]),
        role: text(row["role"]),
        slot: text(row["slot"]),
        attempt: number(row["attempt"]),
      })),
    ),
  };
}

export function putAgent(db: Database, row: AgentRow): void {
  const { run, role, slot, attempt, token, dir, turn, status, entry, startedAt } = row;
  db.run(PUT_AGENT, run, role, slot, attempt, token, dir, turn, status, entry, startedAt);
}

function agentRow(row: Row): AgentRow {
  return {
    run: text(row["run"]),
    role: text(row["role"]),
    slot: text(row["slot"]),
    attempt: number(row["attempt"]),
    token: text(row["token"]),
    dir: text(row["dir"]),
    turn: number(row["turn"]),
    status: word(row["status"], ["running", "idle", "ended"]),
    entry: number(row["entry"]),
    startedAt: number(row["started_at"]),
  };
}

/** In the order of the table's columns. */
const JOB_FIELDS = [
  "id",
  "run",
  "kind",
  "role",
  "slot",
  "attempt",
  "artifact",
  "tree",
  "dir",
  "startedAt",
  "endsBy",
  "stallMs",
  "killed",
  "status",
  "seat",
] as const satisfies readonly (keyof JobRow)[];

function jobs(db: Database): Pick<Registry, "jobs" | "job" | "haltedJobs"> {
  return {
    haltedJobs: promised(() =>
      db
        .all(
          `SELECT jobs.* FROM jobs JOIN runs ON runs.id = jobs.run
           WHERE jobs.status = 'live' AND jobs.kind = 'turn' AND runs.halted = 1`,
        )
        .map(jobRow),
    ),
    jobs: promised((filter) => db.all(...selected("jobs", filter)).map(jobRow)),
    job: promised((id) => {
      const row = db.get("SELECT * FROM jobs WHERE id = ?", id);
      return row === undefined ? undefined : jobRow(row);
    }),
  };
}

export function putJob(db: Database, row: JobRow): void {
  db.run(PUT_JOB, ...JOB_FIELDS.map((name) => row[name]));
}

function jobRow(row: Row): JobRow {
  return {
    id: text(row["id"]),
    run: text(row["run"]),
    kind: word(row["kind"], ["turn", "check"]),
    role: text(row["role"]),
    slot: text(row["slot"]),
    attempt: number(row["attempt"]),
    artifact: text(row["artifact"]),
    tree: text(row["tree"]),
    dir: text(row["dir"]),
    startedAt: number(row["started_at"]),
    endsBy: number(row["ends_by"]),
    stallMs: number(row["stall_ms"]),
    killed: word(row["killed"], ["", "killed", "timed-out", "stalled", "halted"]),
    status: word(row["status"], ["live", "over"]),
    seat: word(row["seat"], ["", "window", "resident"]),
  };
}

/** The status stands in the text, so that SQLite can use the small index of live ones. */
function selected(
  table: "agents" | "jobs",
  { run, status }: { readonly run?: string; readonly status?: AgentRow["status"] | JobRow["status"] },
): readonly [string, ...string[]] {
  const terms = [
    ...(run === undefined ? [] : ["run = ?"]),
    ...(status === undefined ? [] : [`status = '${status}'`]),
  ];
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  return [`SELECT * FROM ${table} ${where} ORDER BY started_at, run`, ...(run === undefined ? [] : [run])];
}

type Workspaces = Pick<Registry, "workspace" | "workspaceAt" | "workspaces" | "placeHolder">;

function workspaces(db: Database): Workspaces {
  return {
    workspace: promised((run) => {
      const row = db.get("SELECT * FROM workspaces WHERE run = ?", run);
      return row === undefined ? undefined : workspaceRow(row);
    }),
    workspaceAt: promised((path) => {
      for (let at = path; ; at = dirname(at)) {
        const row = db.get(
          "SELECT * FROM workspaces WHERE path = ? AND path <> repo AND status = 'bound'",
          at,
        );
        if (row !== undefined) return workspaceRow(row);
        if (dirname(at) === at) return undefined;
      }
    }),
    workspaces: promised(() =>
      db
        .all("SELECT * FROM workspaces WHERE status <> 'released' AND path <> repo ORDER BY run")
        .map(workspaceRow),
    ),
    placeHolder: promised((repo, besides) => holderOf(db, repo, besides)),
  };
}

export function putWorkspace(db: Database, row: WorkspaceRow): void {
  const { run, repo, path, branch, base, status, salvage, kept } = row;
  db.run(PUT_WORKSPACE, run, repo, path, branch, base, status, salvage, kept);
}

function workspaceRow(row: Row): WorkspaceRow {
  return {
    run: text(row["run"]),
    repo: text(row["repo"]),
    path: text(row["path"]),
    branch: text(row["branch"]),
    base: text(row["base"]),
    status: word(row["status"], ["reserved", "bound", "released"]),
    salvage: text(row["salvage"]),
    kept: text(row["kept"]),
  };
}

function files(db: Database): Pick<Registry, "readings" | "projection"> {
  return {
    readings: promised(({ definition, file, digest }) => {
      const sql = "SELECT json FROM readings WHERE definition = ? AND file = ? AND digest = ?";
      const row = db.get(sql, definition, file, digest);
      return row === undefined ? undefined : parsed(text(row["json"]), isReadings);
    }),
    projection: promised((run, file) => {
      const row = db.get("SELECT fields FROM projections WHERE run = ? AND file = ?", run, file);
      return row === undefined ? undefined : text(row["fields"]);
    }),
  };
}

export function putReadings(
  db: Database,
  { definition, file, digest }: ReadingsKey,
  readings: readonly Reading[],
): void {
  const json = JSON.stringify(readings);
  db.run("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", definition, file, digest, json);
}

type ProjectedFile = { readonly run: string; readonly file: string; readonly fields: string };

export function putProjection(db: Database, { run, file, fields }: ProjectedFile): void {
  db.run("INSERT OR REPLACE INTO projections VALUES (?, ?, ?)", run, file, fields);
}

function people(db: Database): Pick<Registry, "trusted" | "humanKeys"> {
  return {
    trusted: promised((repo) => {
      const row = db.get("SELECT digest, at, signature FROM trust WHERE repo = ?", repo);
      if (row === undefined) return undefined;
      return { digest: text(row["digest"]), at: text(row["at"]), signature: text(row["signature"]) };
    }),
    humanKeys: promised(() =>
      db.all("SELECT fingerprint, at, how FROM human_keys ORDER BY n").map((row) => ({
        fingerprint: text(row["fingerprint"]),
        at: text(row["at"]),
        how: word(row["how"], ["first", "named", "lost"]),
      })),
    ),
  };
}

export function putTrust(db: Database, repo: string, { digest, at, signature }: TrustRow): void {
  const sql = "INSERT OR REPLACE INTO trust (repo, digest, at, signature) VALUES (?, ?, ?, ?)";
  db.run(sql, repo, digest, at, signature);
}

export function putHumanKey(db: Database, { fingerprint, at, how }: HumanKeyRow): void {
  db.run("INSERT INTO human_keys (fingerprint, at, how) VALUES (?, ?, ?)", fingerprint, at, how);
}
