/** What is known about the processes of a run. It comes from looking, never from a guess: what cannot be known is unknown. */

import { slotKey } from "../../core/run.ts";
import { jobId } from "../../engine/job-id.ts";
import type { Process, Processes } from "../../engine/ports/process.ts";
import type { AgentRow, JobRow } from "../../engine/ports/registry.ts";
import type { Seen } from "../runs/find.ts";
import { sayAge } from "./words.ts";
import { sayTold, toldTo, type Told } from "../story/told.ts";

export type Probe = Processes["probe"];

export type AgentView = {
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
  /** As the run sees it: `called`, `alive`, `stopping`, `crashed`, or `superseded` for an earlier attempt. */
  readonly status: string;
  /** `running`, `starting`, `idle`, `ended`, `gone`, `not-started`, `unknown`. */
  readonly process: string;
  readonly pid: number | null;
  readonly turn: number;
  readonly since: string;
  readonly exit: number | null;
  /** Milliseconds since 1970 of its last output; null where that is not known. */
  readonly outputAt: number | null;
  /** Whether its process has a terminal: *window* for this turn, *resident* for as long as it lives. */
  readonly seat: JobRow["seat"];
  /** What it was last told in its terminal; null where it was told nothing. */
  readonly told: Told | null;
};

export type CheckView = {
  readonly artifact: string;
  readonly process: string;
  readonly pid: number | null;
  readonly since: string;
};

export function agentsOf({ store, run }: Seen, probeIn: Probe, every: boolean): AgentView[] {
  const rows = store.agents({ run: run.id });
  const messages = store.messages(run.id);
  const look = (of: Key & { readonly status: string }, row: AgentRow | undefined): AgentView => {
    // Where a turn's folder is, only its job tells.
    const job = row === undefined ? undefined : store.job(jobId(row, row.turn));
    const told = row?.status === "ended" ? null : toldTo(messages, of);
    return { ...viewOf({ ...of, row, job }, probeIn), told };
  };
  const present = Object.values(run.agents).map((agent) =>
    look(
      agent,
      rows.find((each) => isSame(each, agent)),
    ),
  );
  if (!every) return present;
  const earlier = rows.filter((row) => {
    const now = run.agents[slotKey(row.role, row.slot)];
    return now === undefined || now.attempt !== row.attempt;
  });
  return [...present, ...earlier.map((row) => look({ ...row, status: "superseded" }, row))];
}

export function checksOf({ store, run }: Seen, probe: Probe): CheckView[] {
  return store
    .jobs({ run: run.id, status: "live" })
    .filter(({ kind }) => kind === "check")
    .map((job) => {
      const { process, pid } = looked(() => probe(job.dir));
      return { artifact: job.artifact, process, pid, since: timeOf(job.startedAt) };
    });
}

/** The number of a turn is the last part of its job's name. */
export function turnOf({ id }: Pick<JobRow, "id">): number {
  return Number(id.split(".").at(-1));
}

type Key = Pick<AgentRow, "role" | "slot" | "attempt">;

function isSame(a: Key, b: Key): boolean {
  return a.role === b.role && a.slot === b.slot && a.attempt === b.attempt;
}

function viewOf(
  of: Key & {
    readonly status: string;
    readonly row: AgentRow | undefined;
    readonly job: JobRow | undefined;
  },
  probe: Probe,
): Omit<AgentView, "told"> {
  const { role, slot, attempt, status, row, job } = of;
  const base = { role, slot, attempt, status, seat: job?.seat ?? "" };
  // A row is made before its first turn is tried.
  if (row === undefined || row.turn === 0)
    return { ...base, process: "not-started", pid: null, turn: 0, since: "", exit: null, outputAt: null };
  const seen = { ...base, turn: row.turn, since: timeOf(row.startedAt) };
  // Between its turns an agent has no process.
  if (row.status !== "running")
    return { ...seen, process: row.status, pid: null, exit: null, outputAt: null };
  return { ...seen, ...looked(() => (job === undefined ? { type: "absent" } : probe(job.dir))) };
}

type Looked = Pick<AgentView, "process" | "pid" | "exit" | "outputAt">;

function looked(probe: () => Process): Looked {
  const none = { pid: null, exit: null, outputAt: null };
  let found: Process;
  try {
    found = probe();
  } catch {
    // A folder that cannot be read says nothing about the process.
    return { ...none, process: "unknown" };
  }
  switch (found.type) {
    case "absent":
      return { ...none, process: "not-started" };
    case "starting":
      return { ...none, process: "starting" };
    case "alive":
      return { ...none, process: "running", pid: found.pid, outputAt: found.outputAt };
    case "ended":
      return { ...none, process: "ended", exit: found.code };
    case "lost":
      return { ...none, process: found.infrastructure ? "gone-with-the-machine" : "gone" };
  }
}

function timeOf(ms: number): string {
  return ms > 0 ? new Date(ms).toISOString() : "";
}

export function sayAgent(agent: AgentView, now: number): string {
  if (agent.status === "crashed") return "crashed: it waits for a person";
  const since = agent.since === "" ? "" : `, for ${sayAge(agent.since, now)}`;
  const stopping = agent.status === "stopping" ? ", is being stopped" : "";
  switch (agent.process) {
    case "running": {
      const output = agent.outputAt === null ? "" : `, last output ${sayAge(agent.outputAt, now)} ago`;
      const told = sayTold(agent.told, now);
      const where = agent.seat === "resident" ? " in its terminal" : "";
      return `running${where} (pid ${agent.pid ?? "unknown"}${since}${output})${stopping}${told === "" ? "" : `; ${told}`}`;
    }
    case "starting":
      return `starting${stopping}`;
    case "idle":
      return "idle: its turn is over, and it will be told when it goes on";
    case "ended":
      return `ended${agent.exit === null ? "" : ` with exit code ${agent.exit}`}`;
    case "gone":
      return "gone without an exit code; the next look of the supervisor takes that in";
    case "gone-with-the-machine":
      return "gone with a restart of the machine; the next look of the supervisor takes that in";
    case "not-started":
      return "not started yet";
  }
  return "unknown";
}
