/** What is known about the processes of a run. It comes from looking, never from a guess: what cannot be known is unknown. */

import { slotKey, type Attempt, isSameAttempt } from "../../../core/model/run.ts";
import { jobId } from "../../../engine/agents/job-id.ts";
import type { Process, Processes } from "../../../engine/ports/process.ts";
import type { AgentRow, JobRow } from "../../../engine/ports/registry.ts";
import type { Seen } from "../../runs/find.ts";
import { lastSaidIn } from "../../story/agent-log.ts";
import { exitCodeIn } from "../../story/log.ts";
import { sayTold, toldTo } from "../../story/told.ts";
import type { AgentView, CheckView } from "../run-view.ts";
import { sayAge } from "../words.ts";

export type Probe = Processes["probe"];

export type { AgentView, CheckView };

export async function agentsOf({ store, run }: Seen, probeIn: Probe, every: boolean): Promise<AgentView[]> {
  const rows = await store.agents({ run: run.id });
  const messages = await store.messages(run.id);
  const look = async (
    of: Attempt & { readonly status: string },
    row: AgentRow | undefined,
  ): Promise<AgentView> => {
    // Where a turn's folder is, only its job tells.
    const job = row === undefined ? undefined : await store.job(jobId(row, row.turn));
    const told = row?.status === "ended" ? null : toldTo(messages, of);
    return { ...viewOf({ ...of, row, job }, probeIn), told };
  };
  const present = await Promise.all(
    Object.values(run.agents).map((agent) =>
      look(
        agent,
        rows.find((each) => isSameAttempt(each, agent)),
      ),
    ),
  );
  if (!every) return present;
  const earlier = rows.filter((row) => {
    const now = run.agents[slotKey(row.role, row.slot)];
    return now === undefined || now.attempt !== row.attempt;
  });
  return [
    ...present,
    ...(await Promise.all(earlier.map((row) => look({ ...row, status: "superseded" }, row)))),
  ];
}

export async function checksOf({ store, run }: Seen, probe: Probe): Promise<CheckView[]> {
  return (await store.jobs({ run: run.id, status: "live" }))
    .filter(({ kind }) => kind === "check")
    .map((job) => {
      const { process, pid } = looked(() => probe(job.dir));
      return { artifact: job.artifact, process, pid, since: timeOf(job.startedAt) };
    });
}

function viewOf(
  of: Attempt & {
    readonly status: string;
    readonly row: AgentRow | undefined;
    readonly job: JobRow | undefined;
  },
  probe: Probe,
): Omit<AgentView, "told"> {
  const { role, slot, attempt, status, row, job } = of;
  const base = { role, slot, attempt, status, seat: job?.seat ?? "", output: "" };
  const unknown = { pid: null, exit: null, outputAt: null };
  if (row === undefined || row.turn === 0)
    return { ...base, ...unknown, process: "not-started", turn: 0, since: "" };
  const seen = { ...base, turn: row.turn, since: timeOf(row.startedAt) };
  if (row.status === "running")
    return withOutput(
      { ...seen, ...looked(() => (job === undefined ? { type: "absent" } : probe(job.dir))) },
      job,
    );
  // Between its turns an agent has no process; its last turn has an exit code.
  const exit = job === undefined ? null : exitCodeIn(job.dir);
  return withOutput({ ...seen, ...unknown, process: row.status, exit }, job);
}

/** The last line of an agent that crashed or failed says more than its exit code. */
function withOutput(agent: Omit<AgentView, "told">, job: JobRow | undefined): Omit<AgentView, "told"> {
  const isFailed = agent.status === "crashed" || (agent.exit !== null && agent.exit !== 0);
  return isFailed && job !== undefined ? { ...agent, output: lastSaidIn(job.dir) } : agent;
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
  const failed = agent.exit === null || agent.exit === 0 ? "" : `exit code ${agent.exit}`;
  const output = agent.output === "" ? "" : `; last output: ${agent.output}`;
  if (agent.status === "crashed") return `crashed${failed === "" ? "" : ` with ${failed}`}${output}`;
  const stopping = agent.status === "stopping" ? ", being stopped" : "";
  switch (agent.process) {
    case "running":
      return `${sayRunning(agent, now)}${stopping}`;
    case "starting":
      return `starting${stopping}`;
    case "idle":
      return failed === "" ? "idle between its turns" : `idle: its last turn failed with ${failed}${output}`;
    case "ended":
      return `ended${agent.exit === null ? "" : ` with exit code ${agent.exit}`}${output}`;
    case "gone":
      return "gone without an exit code; the supervisor records that next";
    case "gone-with-the-machine":
      return "gone with a restart of the machine; the supervisor records that next";
    case "not-started":
      return "not started yet";
  }
  return "unknown";
}

function sayRunning({ since, outputAt, told, seat, pid }: AgentView, now: number): string {
  const age = since === "" ? "" : `, for ${sayAge(since, now)}`;
  const output = outputAt === null ? "" : `, last output ${sayAge(outputAt, now)} ago`;
  const said = sayTold(told, now);
  const where = seat === "resident" ? " in its terminal" : "";
  return `running${where} (pid ${pid ?? "unknown"}${age}${output})${said === "" ? "" : `; ${said}`}`;
}
