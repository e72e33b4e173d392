/** Agents, jobs, workspaces, and what is known of files and repositories: the engine's notes about the world. */

import { dirname } from "node:path";
import type { AgentRow, JobRow, Registry, WorkspaceRow } from "../../../engine/ports/registry.ts";
import { failpoint } from "../../failpoint.ts";
import type { Database, Row } from "../database.ts";
import { QUEUED } from "./outbox.ts";
import { holderOf, LEAVE_PLACE, takePlace } from "./place.ts";
import { isReadings, number, parsed, text, word } from "../row.ts";

const PUT_AGENT = "INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PUT_JOB = "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PUT_WORKSPACE = "INSERT OR REPLACE INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

export function registryOf(db: Database): Registry {
  const [ofAgents, ofJobs] = [agents(db), jobs(db)];
  return {
    ...ofAgents,
    ...ofJobs,
    ...workspaces(db),
    ...files(db),
    ...people(db),
    // A power cut ends its process, too, and then it is begun again.
    putTurn: (job, agent) =>
      db.writeSoon(() => {
        ofJobs.putJob(job);
        ofAgents.putAgent(agent);
      }),
  };
}

type Agents = Pick<
  Registry,
  "agents" | "agent" | "putAgent" | "byToken" | "idleMoved" | "liveTurns" | "comingTurns"
>;

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
    agents: (filter) => db.all(...selected("agents", filter)).map(agentRow),
    agent({ run, role, slot, attempt }) {
      const sql = "SELECT * FROM agents WHERE run = ? AND role = ? AND slot = ? AND attempt = ?";
      const row = db.get(sql, run, role, slot, attempt);
      return row === undefined ? undefined : agentRow(row);
    },
    putAgent({ run, role, slot, attempt, token, dir, turn, status, entry, startedAt }) {
      failpoint("registry.before-agent");
      const put = (): number =>
        db.run(PUT_AGENT, run, role, slot, attempt, token, dir, turn, status, entry, startedAt);
      // One that has had no turn yet can be made again; of one that has ended, the run knows.
      if (turn === 0 || status === "ended") db.writeSoon(put);
      else db.write(put);
      failpoint("registry.after-agent");
    },
    byToken(hash) {
      const row = hash === "" ? undefined : db.get("SELECT * FROM agents WHERE token = ?", hash);
      return row === undefined ? undefined : agentRow(row);
    },
    idleMoved: () =>
      db
        .all(`SELECT agents.*, runs.repo ${IDLE_MOVED}`)
        .map((row) => ({ ...agentRow(row), repo: text(row["repo"]) })),
    liveTurns: (repo) =>
      db.all(LIVE_TURNS, repo).map((row) => {
        const { run, role, slot, attempt, seat } = jobRow(row);
        const [definition, state] = [text(row["definition"]), text(row["state"])];
        return { run, role, slot, attempt, seat, definition, state, isQueued: row["queued"] === 1 };
      }),
    comingTurns: (repo) =>
      db.all(COMING_TURNS, repo, repo).map((row) => ({
        run: text(row["run"]),
        role: text(row["role"]),
        slot: text(row["slot"]),
        attempt: number(row["attempt"]),
      })),
  };
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

function jobs(db: Database): Pick<Registry, "jobs" | "job" | "haltedJobs" | "putJob"> {
  return {
    haltedJobs: () =>
      db
        .all(
          `SELECT jobs.* FROM jobs JOIN runs ON runs.id = jobs.run
           WHERE jobs.status = 'live' AND jobs.kind = 'turn' AND runs.halted = 1`,
        )
        .map(jobRow),
    jobs: (filter) => db.all(...selected("jobs", filter)).map(jobRow),
    job(id) {
      const row = db.get("SELECT * FROM jobs WHERE id = ?", id);
      return row === undefined ? undefined : jobRow(row);
    },
    putJob(row) {
      failpoint("registry.before-job");
      const put = (): number => db.run(PUT_JOB, ...JOB_FIELDS.map((name) => row[name]));
      // What follows from its end was written before: whoever finds it alive again finds that, too.
      if (row.status === "over") db.writeSoon(put);
      else db.write(put);
      failpoint("registry.after-job");
    },
  };
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
  "workspace" | "workspaceAt" | "putWorkspace" | "workspaces" | "placeHolder" | "takePlace" | "leavePlace"
>;

function workspaces(db: Database): Workspaces {
  return {
    workspace(run) {
      const row = db.get("SELECT * FROM workspaces WHERE run = ?", run);
      return row === undefined ? undefined : workspaceRow(row);
    },
    workspaceAt(path) {
      for (let at = path; ; at = dirname(at)) {
        const row = db.get(
          "SELECT * FROM workspaces WHERE path = ? AND path <> repo AND status = 'bound'",
          at,
        );
        if (row !== undefined) return workspaceRow(row);
        if (dirname(at) === at) return undefined;
      }
    },
    putWorkspace({ run, repo, path, branch, base, status, salvage, kept }) {
      failpoint("registry.before-workspace");
      db.write(() => db.run(PUT_WORKSPACE, run, repo, path, branch, base, status, salvage, kept));
      failpoint("registry.after-workspace");
    },
    workspaces: () =>
      db
        .all("SELECT * FROM workspaces WHERE status <> 'released' AND path <> repo ORDER BY run")
        .map(workspaceRow),
    placeHolder: (repo, besides) => holderOf(db, repo, besides),
    takePlace: (run, repo) => db.write(() => takePlace(db, run, repo)),
    leavePlace(run, of) {
      failpoint("registry.before-leave-place");
      db.write(() => db.run(LEAVE_PLACE, run, of));
      failpoint("registry.after-leave-place");
    },
  };
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

type Files = Pick<Registry, "readings" | "keepReadings" | "projection" | "keepProjection">;

function files(db: Database): Files {
  return {
    readings(definition, file, digest) {
      const sql = "SELECT json FROM readings WHERE definition = ? AND file = ? AND digest = ?";
      const row = db.get(sql, definition, file, digest);
      return row === undefined ? undefined : parsed(text(row["json"]), isReadings);
    },
    keepReadings(...[definition, file, digest, readings]) {
      const json = JSON.stringify(readings);
      db.writeSoon(() =>
        db.run("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", definition, file, digest, json),
      );
    },
    projection(run, file) {
      const row = db.get("SELECT fields FROM projections WHERE run = ? AND file = ?", run, file);
      return row === undefined ? undefined : text(row["fields"]);
    },
    keepProjection(run, file, fields) {
      db.writeSoon(() => db.run("INSERT OR REPLACE INTO projections VALUES (?, ?, ?)", run, file, fields));
    },
  };
}

type People = Pick<Registry, "trusted" | "trust" | "humanKeys" | "keepHumanKey">;

function people(db: Database): People {
  return {
    trusted(repo) {
      const row = db.get("SELECT digest, at, signature FROM trust WHERE repo = ?", repo);
      if (row === undefined) return undefined;
      return { digest: text(row["digest"]), at: text(row["at"]), signature: text(row["signature"]) };
    },
    trust(repo, { digest, at, signature }) {
      failpoint("registry.before-trust");
      const sql = "INSERT OR REPLACE INTO trust (repo, digest, at, signature) VALUES (?, ?, ?, ?)";
      db.write(() => db.run(sql, repo, digest, at, signature));
      failpoint("registry.after-trust");
    },
    humanKeys: () =>
      db.all("SELECT fingerprint, at, how FROM human_keys ORDER BY n").map((row) => ({
        fingerprint: text(row["fingerprint"]),
        at: text(row["at"]),
        how: word(row["how"], ["first", "named", "lost"]),
      })),
    keepHumanKey({ fingerprint, at, how }) {
      failpoint("registry.before-human-key");
      const sql = "INSERT INTO human_keys (fingerprint, at, how) VALUES (?, ?, ?)";
      db.write(() => db.run(sql, fingerprint, at, how));
      failpoint("registry.after-human-key");
    },
  };
}
