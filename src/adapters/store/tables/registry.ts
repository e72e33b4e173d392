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
import { upsert, type Ask, type Row, type Sql, type Work } from "../sql.ts";
import { agentOf, QUEUED } from "./outbox.ts";
import { isHeldIn } from "./parks.ts";
import { holderOf } from "./place.ts";
import { isReadings, number, parsed, text, word } from "../row.ts";

const PUT_AGENT = upsert(
  "agents",
  ["run", "role", "slot", "attempt"],
  ["token", "dir", "turn", "status", "entry", "started_at"],
);
const PUT_JOB = upsert(
  "jobs",
  ["id"],
  [
    "run",
    "kind",
    "role",
    "slot",
    "attempt",
    "artifact",
    "tree",
    "dir",
    "started_at",
    "ends_by",
    "stall_ms",
    "killed",
    "status",
    "seat",
  ],
);
const PUT_WORKSPACE = upsert(
  "workspaces",
  ["run"],
  ["repo", "path", "branch", "base", "status", "salvage", "kept"],
);
const PUT_READINGS = upsert("readings", ["definition", "file", "digest"], ["json"]);
const PUT_PROJECTION = upsert("projections", ["run", "file"], ["fields"]);
const PUT_TRUST = upsert("trust", ["repo"], ["digest", "at", "signature"]);

export function registryOf(ask: Ask): Registry {
  return { ...agents(ask), ...jobs(ask), ...workspaces(ask), ...files(ask), ...people(ask) };
}

type Agents = Pick<Registry, "agents" | "agent" | "byToken" | "idleMoved" | "liveTurns" | "comingTurns">;

/**
 * What is to be done for the run comes first: it may be what the agent is to be told. Asked at every turn of the supervisor, these go by
 * the small indexes of what is open: SQLite never changes the order of a cross join, and knows such an index by its own words only.
 */
const IDLE_MOVED = `FROM agents CROSS JOIN runs
  WHERE runs.id = agents.run AND agents.status IN ('running', 'idle') AND agents.status = 'idle' AND runs.entry > agents.entry AND runs.halted = 0 AND runs.attention = ''
  AND NOT EXISTS (SELECT 1 FROM deeds WHERE deeds.run = agents.run AND deeds.status IN ('pending', 'claimed')
    AND NOT (deeds.due_at = ${QUEUED} AND ${isHeldIn(agentOf("deeds"))}))
  AND NOT ${isHeldIn({ run: "agents.run", role: "agents.role", slot: "agents.slot", attempt: "agents.attempt" })}`;
const LIVE_TURNS = `SELECT jobs.*, runs.definition, runs.state, EXISTS (
    SELECT 1 FROM deeds AS d WHERE d.run = jobs.run AND d.status IN ('pending', 'claimed') AND d.type = 'tell-agent' AND d.due_at = ${QUEUED}
    AND json_extract(d.json, '$.role') = jobs.role AND CAST(json_extract(d.json, '$.attempt') AS INTEGER) = jobs.attempt
  ) AS queued
  FROM jobs JOIN runs ON runs.id = jobs.run WHERE jobs.status = 'live' AND jobs.kind = 'turn' AND runs.repo = ? ORDER BY jobs.id`;
const COMING_TURNS = `SELECT d.run, json_extract(d.json, '$.role') AS role, coalesce(json_extract(d.json, '$.slot'), '') AS slot,
  CAST(json_extract(d.json, '$.attempt') AS INTEGER) AS attempt FROM deeds AS d CROSS JOIN runs
  WHERE runs.id = d.run AND d.status IN ('pending', 'claimed') AND d.type IN ('start-agent', 'tell-agent') AND runs.halted = 0 AND runs.repo = ?
  AND NOT ${isHeldIn(agentOf("d"))} UNION SELECT agents.run, role, slot, attempt ${IDLE_MOVED} AND runs.repo = ? ORDER BY run, role, slot, attempt`;

function agents(ask: Ask): Agents {
  return {
    agents: ask(function* (db, filter) {
      return (yield* db.all(...selected("agents", filter))).map(agentRow);
    }),
    agent: ask(function* (db, { run, role, slot, attempt }) {
      const sql = "SELECT * FROM agents WHERE run = ? AND role = ? AND slot = ? AND attempt = ?";
      const row = yield* db.get(sql, run, role, slot, attempt);
      return row === undefined ? undefined : agentRow(row);
    }),
    byToken: ask(function* (db, hash) {
      const row = hash === "" ? undefined : yield* db.get("SELECT * FROM agents WHERE token = ?", hash);
      return row === undefined ? undefined : agentRow(row);
    }),
    idleMoved: ask(function* (db) {
      const rows = yield* db.all(
        `SELECT agents.*, runs.repo ${IDLE_MOVED} ORDER BY agents.run, role, slot, attempt`,
      );
      return rows.map((row) => ({ ...agentRow(row), repo: text(row["repo"]) }));
    }),
    liveTurns: ask(function* (db, repo) {
      return (yield* db.all(LIVE_TURNS, repo)).map((row) => {
        const { run, role, slot, attempt, seat } = jobRow(row);
        const [definition, state] = [text(row["definition"]), text(row["state"])];
        return { run, role, slot, attempt, seat, definition, state, isQueued: row["queued"] === 1 };
      });
    }),
    comingTurns: ask(function* (db, repo) {
      return (yield* db.all(COMING_TURNS, repo, repo)).map((row) => ({
        run: text(row["run"]),
        role: text(row["role"]),
        slot: text(row["slot"]),
        attempt: number(row["attempt"]),
      }));
    }),
  };
}

export function putAgent(db: Sql, row: AgentRow): void {
  const { run, role, slot, attempt, token, dir, turn, status, entry, startedAt } = row;
  db.put(PUT_AGENT, run, role, slot, attempt, token, dir, turn, status, entry, startedAt);
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

function jobs(ask: Ask): Pick<Registry, "jobs" | "job" | "haltedJobs"> {
  return {
    haltedJobs: ask(function* (db) {
      const sql = `SELECT jobs.* FROM jobs JOIN runs ON runs.id = jobs.run
        WHERE jobs.status = 'live' AND jobs.kind = 'turn' AND runs.halted = 1 ORDER BY jobs.id`;
      return (yield* db.all(sql)).map(jobRow);
    }),
    jobs: ask(function* (db, filter) {
      return (yield* db.all(...selected("jobs", filter))).map(jobRow);
    }),
    job: ask(function* (db, id) {
      const row = yield* db.get("SELECT * FROM jobs WHERE id = ?", id);
      return row === undefined ? undefined : jobRow(row);
    }),
  };
}

export function putJob(db: Sql, row: JobRow): void {
  db.put(PUT_JOB, ...JOB_FIELDS.map((name) => row[name]));
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

type Workspaces = Pick<
  Registry,
  "workspace" | "boundWorkspace" | "workspaceAt" | "workspaces" | "placeHolder"
>;

/** Columns of what `boundTo` joins to a run: its own workspace, and the run that it was made for. */
export const BOUND = `own.run AS own_run, own.repo AS own_repo, own.path AS own_path, own.branch AS own_branch, own.base AS own_base,
  own.status AS own_status, own.salvage AS own_salvage, own.kept AS own_kept, made.parent AS made_for`;

export function boundTo(id: string): string {
  return `LEFT JOIN workspaces AS own ON own.run = ${id} LEFT JOIN children AS made ON made.run = ${id} AND made.run <> ''`;
}

const BOUND_WORKSPACE = `SELECT ${BOUND} FROM (SELECT ? AS id) AS asked ${boundTo("asked.id")}`;

function* boundWorkspace(db: Sql, run: string): Work<WorkspaceRow | undefined> {
  return yield* boundIn(db, (yield* db.get(BOUND_WORKSPACE, run)) ?? {});
}

/** The workspace that a run works in, from a row with the columns of `BOUND`. */
export function* boundIn(db: Sql, row: Row): Work<WorkspaceRow | undefined> {
  if (typeof row["own_run"] === "string")
    return row["own_status"] === "bound" ? workspaceRow(row, "own_") : undefined;
  return typeof row["made_for"] === "string" ? yield* boundWorkspace(db, row["made_for"]) : undefined;
}

function workspaces(ask: Ask): Workspaces {
  return {
    workspace: ask(function* (db, run) {
      const row = yield* db.get("SELECT * FROM workspaces WHERE run = ?", run);
      return row === undefined ? undefined : workspaceRow(row);
    }),
    boundWorkspace: ask(boundWorkspace),
    workspaceAt: ask(function* (db, path) {
      const sql = "SELECT * FROM workspaces WHERE path = ? AND path <> repo AND status = 'bound'";
      for (let at = path; ; at = dirname(at)) {
        const row = yield* db.get(sql, at);
        if (row !== undefined) return workspaceRow(row);
        if (dirname(at) === at) return undefined;
      }
    }),
    workspaces: ask(function* (db) {
      const sql = "SELECT * FROM workspaces WHERE status <> 'released' AND path <> repo ORDER BY run";
      return (yield* db.all(sql)).map((row) => workspaceRow(row));
    }),
    placeHolder: ask(holderOf),
  };
}

export function putWorkspace(db: Sql, row: WorkspaceRow): void {
  const { run, repo, path, branch, base, status, salvage, kept } = row;
  db.put(PUT_WORKSPACE, run, repo, path, branch, base, status, salvage, kept);
}

function workspaceRow(row: Row, prefix = ""): WorkspaceRow {
  const column = (name: keyof WorkspaceRow): string => text(row[prefix + name]);
  return {
    run: column("run"),
    repo: column("repo"),
    path: column("path"),
    branch: column("branch"),
    base: column("base"),
    status: word(column("status"), ["reserved", "bound", "released"]),
    salvage: column("salvage"),
    kept: column("kept"),
  };
}

function files(ask: Ask): Pick<Registry, "readings" | "projection" | "projectionsLike"> {
  return {
    readings: ask(function* (db, { definition, file, digest }) {
      const sql = "SELECT json FROM readings WHERE definition = ? AND file = ? AND digest = ?";
      const row = yield* db.get(sql, definition, file, digest);
      return row === undefined ? undefined : parsed(text(row["json"]), isReadings);
    }),
    projection: ask(function* (db, run, file) {
      const row = yield* db.get("SELECT fields FROM projections WHERE run = ? AND file = ?", run, file);
      return row === undefined ? undefined : text(row["fields"]);
    }),
    projectionsLike: ask(function* (db, run, prefix) {
      const sql = "SELECT file, fields FROM projections WHERE run = ? AND substr(file, 1, ?) = ?";
      const rows = yield* db.all(sql, run, prefix.length, prefix);
      return new Map(rows.map((row) => [text(row["file"]), text(row["fields"])]));
    }),
  };
}

export function putReadings(
  db: Sql,
  { definition, file, digest }: ReadingsKey,
  readings: readonly Reading[],
): void {
  const json = JSON.stringify(readings);
  db.put(PUT_READINGS, definition, file, digest, json);
}

type ProjectedFile = { readonly run: string; readonly file: string; readonly fields: string };

export function putProjection(db: Sql, { run, file, fields }: ProjectedFile): void {
  db.put(PUT_PROJECTION, run, file, fields);
}

function people(ask: Ask): Pick<Registry, "trusted" | "humanKeys"> {
  return {
    trusted: ask(function* (db, repo) {
      const row = yield* db.get("SELECT digest, at, signature FROM trust WHERE repo = ?", repo);
      if (row === undefined) return undefined;
      return { digest: text(row["digest"]), at: text(row["at"]), signature: text(row["signature"]) };
    }),
    humanKeys: ask(function* (db) {
      return (yield* db.all("SELECT fingerprint, at, how FROM human_keys ORDER BY n")).map((row) => ({
        fingerprint: text(row["fingerprint"]),
        at: text(row["at"]),
        how: word(row["how"], ["first", "named", "lost"]),
      }));
    }),
  };
}

export function putTrust(db: Sql, repo: string, { digest, at, signature }: TrustRow): void {
  db.put(PUT_TRUST, repo, digest, at, signature);
}

export function putHumanKey(db: Sql, { fingerprint, at, how }: HumanKeyRow): void {
  db.put("INSERT INTO human_keys (fingerprint, at, how) VALUES (?, ?, ?)", fingerprint, at, how);
}
