/**
 * A turn of an agent: one process, started once.
 *
 * A role with a fresh session has one turn. A persistent role without a terminal has one after the other in the same attempt:
 * between them it is idle, which is no death. One that stays in a terminal has one turn until it ends or is halted.
 */

import { endKey } from "../core/compile.ts";
import { isUp } from "../core/act.ts";
import { valueOf } from "../core/standing.ts";
import { slotKey } from "../core/run.ts";
import type { Incoming, Reading } from "../core/event.ts";
import { fillArgv } from "../format/argv.ts";
import type { Message, Works } from "./box.ts";
import { noteDoubt } from "./doubt.ts";
import { environment, limitsOf, promptText, variablesOf } from "./launch.ts";
import { isTurnOf, jobId } from "./job-id.ts";
import { boundWorkspace } from "./place.ts";
import type { Kept } from "./ports/journal.ts";
import type { Process } from "./ports/process.ts";
import type { AgentRow, JobRow } from "./ports/registry.ts";
import type { Harness, Settings } from "./ports/settings.ts";
import { bringUpToDate, project } from "./project.ts";
import { commandFor, seatFor, windowFor, type Seat } from "./seat.ts";
import { submit } from "./submit.ts";
import { titleOf } from "./title.ts";

type Cause = Extract<Incoming, { type: "agent-ended" }>["cause"];

type Turn = {
  readonly agent: AgentRow;
  readonly turn: number;
  readonly text: string;
  /** What it is about, where it is about messages. */
  readonly messages?: readonly Message[];
};

/** Starts a turn of an agent. Safe to repeat: what was claimed is not started again. */
export async function startTurn(works: Works, kept: Kept, on: Turn): Promise<void> {
  const { agent, turn } = on;
  const { store, clock, processes, desk } = works;
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const role = workflow.definition.roles[agent.role];
  const workspace = boundWorkspace(works, row.id);
  if (role === undefined || workspace === undefined)
    throw new Error(`there is no workspace for ${agent.role}`);
  const settings = await works.settings(row.repo);
  const harness = harnessOf(settings, String(valueOf(run, role.harness)));
  const id = jobId(agent, turn);
  const seat = seatOf(works, id) ?? seatFor(works, { role, harness, settings });
  const env: Record<string, string> = {
    ...environment(works, settings, harness),
    SIGNALBOX_RUN: row.id,
    SIGNALBOX_TOKEN: tokenOf(works, agent),
  };
  const argvWith = (prompt: string): readonly string[] =>
    fillArgv(commandFor(harness, seat, turn), {
      model: String(valueOf(run, role.model)),
      prompt,
      session: desk.session(agent.dir),
      run: row.id,
      role: agent.role,
      workspace: workspace.path,
    });
  const [program = ""] = argvWith("");
  if (!works.finds(program, env["PATH"] ?? "")) throw noProgram(program, harness.name);
  const dir = store.job(id)?.dir ?? newTurn(works, on);
  const prompt = desk.write(dir, "prompt.md", on.text);
  // Written before the process: whatever happens from here on, somebody looks after it.
  const known = store.job(id);
  if (known !== undefined && known.seat !== seat) store.putJob({ ...known, seat });
  if (known === undefined) {
    const now = clock.now();
    const { limitMs, stallMs } = limitsOf(run, role, {
      minutes: harness.minutes ?? settings.minutes,
      stallMinutes: harness.stallMinutes ?? settings.stallMinutes,
    });
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
      seat,
    });
  }
  await bringUpToDate(works, row.id);
  if (store.job(id)?.status === "live") store.putAgent({ ...agent, turn, status: "running" });
  await processes.launch({
    id,
    dir,
    argv: argvWith(prompt),
    cwd: workspace.path,
    env: { ...env, SIGNALBOX_PROMPT: prompt },
    stdin: harness.stdin && seat !== "resident" ? prompt : "",
    ...windowFor(seat, { agent, role, title: titleOf(works, row, workspace) }),
  });
}

/** Of a turn that somebody has begun: it stays where it is. One that nobody has begun may sit elsewhere than was thought. */
function seatOf({ store, processes }: Works, id: string): Seat | undefined {
  const job = store.job(id);
  return job === undefined || processes.probe(job.dir).type === "absent" ? undefined : job.seat;
}

/** A folder that only a job's row makes the turn's: until then nobody has begun it. */
function newTurn({ desk }: Works, { agent, turn, messages = [] }: Turn): string {
  const dir = desk.make(agent.dir, `turn-${turn}`);
  if (messages.length > 0) desk.take(dir, messages);
  return dir;
}

function tokenOf({ desk }: Works, agent: AgentRow): string {
  const { token, hash } = desk.token(agent.dir);
  if (hash !== agent.token)
    throw new Error(`the token in ${agent.dir} is not the one that ${agent.role} was given`);
  return token;
}

/** A turn that was decided on, by somebody who died before it was started. */
export async function restartTurn(works: Works, job: JobRow): Promise<void> {
  const agent = works.store.agent(job);
  const kept = works.store.load(job.run);
  const turn = turnOf(job);
  const text = works.desk.read(job.dir, "prompt.md");
  if (agent === undefined || kept === undefined) return;
  if (text === undefined) {
    // It was written before the job was: somebody has taken the folder away, and whatever ran there says nothing any more.
    await works.processes.kill(job);
    await turnOver(works, job, { type: "lost", infrastructure: false });
    return;
  }
  await startTurn(works, kept, { agent, turn, text });
}

/** Messages that no turn of the agent was about, and that nobody has typed into its terminal. */
export function waitingFor(works: Works, agent: AgentRow): readonly Message[] {
  const { run, role, slot, attempt } = agent;
  const rows = works.store.messages(run);
  const own = rows.filter((row) => row.role === role && row.slot === slot && row.attempt === attempt);
  const typed = new Set(own.map(({ key }) => `${messageName(key)}.md`));
  return works.desk.waiting(agent.dir, turnDirs(works, agent)).filter(({ name }) => !typed.has(name));
}

/** What the file of a message is called, by the deed that ordered it. */
export function messageName(key: string): string {
  return key.replaceAll(":", ".");
}

/** Folders of the turns that the agent has begun. */
function turnDirs({ store }: Works, agent: AgentRow): readonly string[] {
  return store
    .jobs({ run: agent.run })
    .filter((job) => isTurnOf(job.id, agent) && turnOf(job) <= agent.turn)
    .map(({ dir }) => dir);
}

function turnOf(job: JobRow): number {
  return Number(job.id.split(".").at(-1));
}

/** A turn is over, or lost: the agent goes on, waits, or has ended. */
export async function turnOver(works: Works, job: JobRow, process: Process): Promise<void> {
  const { store } = works;
  const agent = store.agent(job);
  const kept = store.load(job.run);
  if (agent === undefined || kept === undefined) throw new Error(`nobody knows the agent of job ${job.id}`);
  if (agent.turn > turnOf(job)) {
    // Whoever saw the end of this turn began the next one, and died before saying so.
    store.putJob({ ...job, status: "over" });
    return;
  }
  const workflow = works.workflow(kept.row.definition);
  const present = kept.run.agents[slotKey(job.role, job.slot)];
  const isCurrent = present !== undefined && present.attempt === job.attempt && isUp(present);
  const isPersistent = workflow.definition.roles[job.role]?.session === "persistent";
  // Who stays in a terminal has no reason to leave it: its end is never the end of a turn only.
  if (isCurrent && isPersistent && job.seat !== "resident") {
    const messages = waitingFor(works, agent);
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
  const submission = await submit(works, {
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
      ...(readings === undefined ? {} : { readings: leftBy(readings, cause) }),
      ...(tree === undefined ? {} : { tree }),
      ...(reserved === undefined ? {} : { reserved }),
    }),
  });
  noteDoubt(works, agent, submission);
  works.store.putAgent({ ...agent, status: "ended" });
  await project(works, run);
}

/** A verdict that nobody handed in counts only as the last word of somebody who came to an end by itself. */
function leftBy(readings: readonly Reading[], cause: Cause): readonly Reading[] {
  return cause === "exited" ? readings : readings.filter(({ verdict }) => verdict === undefined);
}

/** The agent has messages: they are what its next turn is about. */
export async function nextTurn(
  works: Works,
  kept: Kept,
  of: { readonly agent: AgentRow; readonly messages: readonly Message[] },
): Promise<void> {
  const { agent, messages } = of;
  const turn = agent.turn + 1;
  const text = messages.map((message) => message.text).join("\n\n");
  await startTurn(works, kept, { agent, turn, text, messages });
}

/** A person has halted the run: the agent's turn ends without a word about it, and it has another one when the run goes on. */
export async function suspend(works: Works, { id }: JobRow): Promise<void> {
  const { store, processes } = works;
  const job = store.job(id);
  const agent = job === undefined ? undefined : store.agent(job);
  if (job === undefined || job.status === "over" || agent === undefined || !store.isHalted(job.run)) return;
  store.putAgent({ ...agent, status: "idle", entry: SUSPENDED });
  store.putJob({ ...job, killed: "halted" });
  await processes.kill(job);
  store.putJob({ ...job, killed: "halted", status: "over" });
}

/** In place of the entry at which an agent became idle: whatever its run does, it goes on. */
const SUSPENDED = -1;

/** Idle, and its run is now somewhere where it is expected: it goes on. */
export async function wakeIdle(works: Works, agent: AgentRow): Promise<void> {
  const kept = works.store.load(agent.run);
  if (kept === undefined) return;
  const { run, row } = kept;
  const present = run.agents[slotKey(agent.role, agent.slot)];
  const isCurrent = present !== undefined && present.attempt === agent.attempt && isUp(present);
  // Without a first turn it was never started: that is for whoever starts it.
  const isDue = agent.entry === SUSPENDED || isExpected(works, kept, agent.role);
  if (!isCurrent || agent.turn === 0 || !isDue) {
    works.store.putAgent({ ...agent, entry: run.entry });
    return;
  }
  const workflow = works.workflow(row.definition);
  const { role, slot, attempt } = agent;
  const workspace = boundWorkspace(works, row.id);
  const session = works.desk.session(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { role, slot, attempt, session } });
  const prompt = workflow.definition.roles[agent.role]?.again ?? agent.role;
  await startTurn(works, kept, {
    agent,
    turn: agent.turn + 1,
    text: promptText(workflow, prompt, variables),
  });
}

/** Whether the run waits for this role: its death here would lead somewhere or be counted. */
export function isExpected(works: Pick<Works, "workflow">, { row, run }: Kept, role: string): boolean {
  const rule = works.workflow(row.definition).ends[endKey(role, run.state)];
  return rule !== undefined && (rule.try !== undefined || rule.count !== undefined);
}

const SIGNALLED = 128;

function causeOf(job: JobRow, process: Process): Cause {
  if (job.killed !== "" && job.killed !== "halted") return job.killed;
  // The shell tells a death by signal as a number above this.
  if (process.type === "ended") return process.code > SIGNALLED ? "killed" : "exited";
  return process.type === "lost" && process.infrastructure ? "infrastructure" : "killed";
}

function harnessOf(settings: Settings, name: string): Harness {
  const harness = settings.harness(name);
  if (harness !== undefined) return harness;
  const message = `there is no harness "${name}"; there are ${settings.harnesses.join(", ")}`;
  throw Object.assign(new Error(message), { next: `add ${name} to harnesses in .signalbox/config.yaml` });
}

function noProgram(program: string, harness: string): Error {
  const message = `the harness ${harness} needs ${program}, which is not on the PATH`;
  return Object.assign(new Error(message), { next: `install ${program}, or choose another harness` });
}
