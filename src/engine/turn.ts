/**
 * A turn of an agent: one process, started once.
 *
 * A role with a fresh session has one turn. A persistent role without a terminal has one after the other in the same attempt:
 * between them it is idle, which is no death.
 */

import { endKey } from "../core/compile.ts";
import { isUp } from "../core/act.ts";
import { valueOf } from "../core/standing.ts";
import { slotKey } from "../core/run.ts";
import type { Incoming } from "../core/event.ts";
import type { Works } from "./box.ts";
import { commandOf, environment, limitsOf, promptText, variablesOf } from "./launch.ts";
import { boundWorkspace } from "./place.ts";
import type { AgentRow, JobRow, Kept, Process } from "./ports.ts";
import { project } from "./project.ts";
import { submit } from "./submit.ts";

type Cause = Extract<Incoming, { type: "agent-ended" }>["cause"];

/** Starts the turn after the agent's last one. Safe to repeat: what was claimed is not started again. */
export async function startTurn(
  works: Works,
  kept: Kept,
  of: { readonly agent: AgentRow; readonly text: string; readonly turn: number },
): Promise<void> {
  const { store, clock, processes, desk } = works;
  const { row, run } = kept;
  const { agent, text, turn } = of;
  const workflow = works.workflow(row.definition);
  const role = workflow.definition.roles[agent.role];
  const workspace = boundWorkspace(works, row.id);
  if (role === undefined || workspace === undefined)
    throw new Error(`there is no workspace for ${agent.role}`);
  const settings = await works.settings(row.repo);
  const name = String(valueOf(run, role.harness));
  const harness = settings.harness(name);
  if (harness === undefined) throw noHarness(name, settings.harnesses);
  const id = jobId(agent, turn);
  const dir = `${agent.dir}/turn-${turn}`;
  const prompt = desk.write(dir, "prompt.md", text);
  const session = works.sessionOf(agent.dir);
  const values = {
    model: String(valueOf(run, role.model)),
    prompt,
    session,
    run: row.id,
    role: agent.role,
    workspace: workspace.path,
  };
  const now = clock.now();
  const { limitMs, stallMs } = limitsOf(run, role, {
    minutes: harness.minutes ?? settings.minutes,
    stallMinutes: harness.stallMinutes ?? settings.stallMinutes,
  });
  // Written before the process: whatever happens from here on, somebody looks after it.
  if (store.job(id) === undefined) {
    store.putJob({
      id,
      run: row.id,
      kind: "turn",
      role: agent.role,
      slot: agent.slot,
      attempt: agent.attempt,
      artifact: "",
      tree: run.tree,
      dir,
      startedAt: now,
      endsBy: limitMs === 0 ? 0 : now + limitMs,
      stallMs,
      killed: "",
      status: "live",
    });
    store.putAgent({ ...agent, turn, status: "running", startedAt: now });
  }
  await processes.launch({
    id,
    dir,
    argv: commandOf(turn === 1 ? harness.command : (harness.again ?? harness.command), values),
    cwd: workspace.path,
    env: {
      ...environment(works, settings, harness),
      SIGNALBOX_RUN: row.id,
      SIGNALBOX_TOKEN: desk.token(agent.dir).token,
      SIGNALBOX_PROMPT: prompt,
    },
    stdin: harness.stdin ? prompt : "",
  });
}

export function jobId(agent: Pick<AgentRow, "run" | "role" | "slot" | "attempt">, turn: number): string {
  const slot = agent.slot === "" ? "" : `.${encodeURIComponent(agent.slot)}`;
  return `${agent.run}.${agent.role}${slot}.${agent.attempt}.${turn}`;
}

/** A turn is over, or lost: the agent goes on, waits, or has ended. */
export async function turnOver(works: Works, job: JobRow, process: Process): Promise<void> {
  const { store, desk } = works;
  const agent = store.agent(job);
  const kept = store.load(job.run);
  if (agent === undefined || kept === undefined) throw new Error(`nobody knows the agent of job ${job.id}`);
  const workflow = works.workflow(kept.row.definition);
  const present = kept.run.agents[slotKey(job.role, job.slot)];
  const isCurrent = present !== undefined && present.attempt === job.attempt && isUp(present);
  if (isCurrent && workflow.definition.roles[job.role]?.session === "persistent") {
    const messages = desk.waiting(agent.dir);
    if (messages.length > 0) {
      await nextTurn(works, kept, { agent, messages });
      store.putJob({ ...job, status: "over" });
      return;
    }
    if (!isExpected(works, kept, job.role)) {
      store.putAgent({ ...agent, status: "idle", entry: kept.run.entry });
      store.putJob({ ...job, status: "over" });
      return;
    }
  }
  await agentOver(works, agent, {
    cause: causeOf(job, process),
    code: process.type === "ended" ? process.code : undefined,
  });
  store.putJob({ ...job, status: "over" });
}

/** Tells the run that an agent is no more, with everything that it left. */
export async function agentOver(
  works: Works,
  agent: AgentRow,
  end: { readonly cause: Cause; readonly code?: number | undefined },
): Promise<void> {
  const { run, role, slot, attempt } = agent;
  const { cause, code } = end;
  await submit(works, {
    run,
    by: { type: "engine" },
    key: `ended:${role}:${slot}:${attempt}`,
    event: ({ at, readings, tree, reserved }) => ({
      type: "agent-ended",
      at,
      role,
      slot,
      attempt,
      cause,
      ...(code === undefined ? {} : { code }),
      ...(readings === undefined ? {} : { readings }),
      ...(tree === undefined ? {} : { tree }),
      ...(reserved === undefined ? {} : { reserved }),
    }),
  });
  works.store.putAgent({ ...agent, status: "ended" });
  await project(works, run);
}

/** The agent has messages: they are what its next turn is about. */
export async function nextTurn(
  works: Works,
  kept: Kept,
  of: {
    readonly agent: AgentRow;
    readonly messages: readonly { readonly name: string; readonly text: string }[];
  },
): Promise<void> {
  const { agent, messages } = of;
  await startTurn(works, kept, {
    agent,
    turn: agent.turn + 1,
    text: messages.map(({ text }) => text).join("\n\n"),
  });
  works.desk.take(
    agent.dir,
    messages.map(({ name }) => name),
  );
}

/** Idle, and its run is now somewhere where it is expected: it goes on. */
export async function wakeIdle(works: Works, agent: AgentRow): Promise<void> {
  const kept = works.store.load(agent.run);
  if (kept === undefined) return;
  const { run, row } = kept;
  const present = run.agents[slotKey(agent.role, agent.slot)];
  const isCurrent = present !== undefined && present.attempt === agent.attempt && isUp(present);
  if (!isCurrent || !isExpected(works, kept, agent.role)) {
    works.store.putAgent({ ...agent, entry: run.entry });
    return;
  }
  const workflow = works.workflow(row.definition);
  const { slot, attempt } = agent;
  const workspace = boundWorkspace(works, row.id)?.path ?? "";
  const session = works.sessionOf(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { slot, attempt, session } });
  const prompt = workflow.definition.roles[agent.role]?.again ?? agent.role;
  await startTurn(works, kept, {
    agent,
    turn: agent.turn + 1,
    text: promptText(workflow, prompt, variables),
  });
}

/** Whether the run waits for this role: its death here would lead somewhere or be counted. */
function isExpected(works: Works, { row, run }: Kept, role: string): boolean {
  const rule = works.workflow(row.definition).ends[endKey(role, run.state)];
  return rule !== undefined && (rule.try !== undefined || rule.count !== undefined);
}

function causeOf(job: JobRow, process: Process): Cause {
  if (job.killed !== "") return job.killed;
  if (process.type === "ended") return "exited";
  return process.type === "lost" && process.infrastructure ? "infrastructure" : "killed";
}

function noHarness(name: string, known: readonly string[]): Error {
  const message = `there is no harness "${name}"; there are ${known.join(", ")}`;
  return Object.assign(new Error(message), { next: `add ${name} to harnesses in .signalbox/config.yaml` });
}
