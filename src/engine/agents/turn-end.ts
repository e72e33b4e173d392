/**
 * What follows a turn: its agent goes on, waits, has ended, or is started again.
 */

import { isUp } from "../../core/step/act.ts";
import type { Incoming, ProgramFailure, Reading } from "../../core/model/event.ts";
import { isExpected } from "../../core/step/move-at-end.ts";
import { slotKey } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import { madeBy, noteLeft } from "./given-texts.ts";
import { closeCheckout, workspaceFor } from "./judge-checkout.ts";
import { isJudge } from "./judge.ts";
import { promptText, variablesOf } from "./launch.ts";
import type { Kept } from "../ports/journal.ts";
import type { Process } from "../ports/process.ts";
import type { AgentRow, JobRow } from "../ports/registry.ts";
import { noteAll } from "../notes.ts";
import { project } from "../submit/project.ts";
import { showTexts } from "../submit/show-texts.ts";
import { submit } from "../submit/submit.ts";
import { turnOf } from "./job-id.ts";
import { Parked } from "../queue/parks.ts";
import { nextTurn, startTurn, waitingFor } from "./turn.ts";
import { Later } from "../supervise/later.ts";

type Cause = Extract<Incoming, { type: "agent-ended" }>["cause"];
/** Without a code where no process of the agent was left to end. */
type End = { readonly cause: Cause; readonly code?: number | undefined };

/** A turn that was decided on, by somebody who died before it was started. */
export async function restartTurn(works: Works, job: JobRow): Promise<void> {
  const agent = await works.store.agent(job);
  const kept = await works.store.load(job.run);
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

/** A turn is over, or lost: the agent goes on, waits, or has ended. */
export async function turnOver(works: Works, job: JobRow, process: Process): Promise<void> {
  const { store } = works;
  const agent = await store.agent(job);
  const kept = await store.load(job.run);
  if (agent === undefined || kept === undefined) throw new Error(`nobody knows the agent of job ${job.id}`);
  if (agent.turn > turnOf(job)) {
    // Whoever saw the end of this turn began the next one, and died before saying so.
    await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
    return;
  }
  const workflow = await works.workflow(kept.row.definition);
  const present = kept.run.agents[slotKey(job.role, job.slot)];
  const isCurrent = present !== undefined && present.attempt === job.attempt && isUp(present);
  const isPersistent = workflow.definition.roles[job.role]?.session === "persistent";
  // Who stays in a terminal has no reason to leave it: its end is never the end of a turn only.
  if (isCurrent && isPersistent && job.seat !== "resident") {
    if (!isJudge(workflow, job.role)) await noteLeft(works, kept, agent);
    const messages = await waitingFor(works, agent);
    if (messages.length > 0) {
      try {
        await nextTurn(works, kept, { agent, messages });
      } catch (error) {
        if (!(error instanceof Parked)) throw error;
        await store.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: SUSPENDED } }]);
      }
      await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
      return;
    }
    if (!isExpected(workflow, kept.run, job.role)) {
      await store.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: kept.run.entry } }]);
      await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
      return;
    }
  }
  const failure = isCurrent ? heldUpBy(works, job, process) : undefined;
  if (failure !== undefined) {
    await holdUp(works, kept, { job, agent, failure });
    return;
  }
  await agentOver(works, agent, {
    cause: causeOf(job, process),
    code: process.type === "ended" ? process.code : undefined,
  });
  await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
}

/** What a person does about it. Another try before that would fail in the same way, and is worth no crash. */
const REMEDY: Readonly<Partial<Record<ProgramFailure["class"], string>>> = {
  quota: "wait until it is renewed",
  login: "log in again",
  configuration: "correct the settings",
};

function heldUpBy({ drivers }: Works, { killed, dir }: JobRow, process: Process): ProgramFailure | undefined {
  if (killed !== "" || process.type !== "ended" || process.code === 0) return undefined;
  const failure = drivers.failure(dir);
  return failure !== undefined && REMEDY[failure.class] !== undefined ? failure : undefined;
}

/** The agent goes on with another turn of the same attempt, when a person has the run tried again. The attention keeps it waiting until then. */
async function holdUp(
  works: Works,
  kept: Kept,
  of: { readonly job: JobRow; readonly agent: AgentRow; readonly failure: ProgramFailure },
): Promise<void> {
  const { job, agent, failure } = of;
  const { store } = works;
  const { run, role } = job;
  const why = `the ${role} cannot go on: ${failure.message}`;
  const attention = `${why}; ${REMEDY[failure.class] ?? ""}, then: signalbox retry ${run}`;
  await noteAll(works, { run, kind: failure.class }, [why]);
  await store.commit([{ type: "attend", run, attention, shown: "" }]);
  if (!isJudge(await works.workflow(kept.row.definition), role)) await noteLeft(works, kept, agent);
  await store.commit([
    { type: "put-agent", agent: { ...agent, status: "idle", entry: SUSPENDED } },
    { type: "put-job", job: { ...job, status: "over" } },
  ]);
}

/** Tells the run that an agent is no more, with everything that it left. */
export async function agentOver(works: Works, agent: AgentRow, end: End): Promise<void> {
  const { run, role, slot, attempt } = agent;
  const { cause, code } = end;
  await submit(works, {
    run,
    by: { type: "engine" },
    author: { type: "agent", role, slot, attempt },
    key: `ended:${role}:${slot}:${attempt}`,
    event: async ({ at, readings, tree, reserved, kept }) => ({
      type: "agent-ended",
      at,
      role,
      slot,
      attempt,
      cause: cause === "exited" && (await isOutdated(works, kept, { agent, tree })) ? "outdated" : cause,
      ...(code === undefined ? {} : { code }),
      ...(readings === undefined ? {} : { readings: leftBy(await madeBy(works, agent, readings), end) }),
      ...(tree === undefined ? {} : { tree }),
      ...(reserved === undefined ? {} : { reserved }),
    }),
  });
  const kept = await works.store.load(run);
  if (kept !== undefined) await showTexts(works, kept);
  await closeCheckout(works, agent);
  await works.store.commit([
    { type: "put-agent", agent: { ...agent, status: "ended" } },
    { type: "release", agent: { run, role, slot, attempt } },
  ]);
  await project(works, run);
}

/** Whether the work that a judge was given has changed, so that no verdict of it can count: that is not the fault of the judge. */
async function isOutdated(
  works: Works,
  { row, run }: Kept,
  { agent, tree = "" }: { readonly agent: AgentRow; readonly tree: string | undefined },
): Promise<boolean> {
  const { role, slot, attempt } = agent;
  const workflow = await works.workflow(row.definition);
  const given = run.agents[slotKey(role, slot)];
  if (given === undefined || given.attempt !== attempt || !isUp(given)) return false;
  const isAboutWork = Object.values(workflow.definition.artifacts).some(
    ({ by, bind }) => by.includes(role) && bind.includes("tree"),
  );
  return isJudge(workflow, role) && isAboutWork && given.tree !== "" && tree !== "" && given.tree !== tree;
}

/** A verdict that its judge did not submit counts only if the program reports success: a failed program may not have finished it. */
function leftBy(readings: readonly Reading[], { cause, code }: End): readonly Reading[] {
  const isNormal = cause === "exited" && (code ?? 0) === 0;
  return isNormal ? readings : readings.filter(({ verdict }) => verdict === undefined);
}

/** A person has halted the run: the agent's turn ends without a word about it, and it has another one when the run goes on. */
export async function suspend(works: Works, { id }: JobRow): Promise<void> {
  const { store, processes } = works;
  const job = await store.job(id);
  const agent = job === undefined ? undefined : await store.agent(job);
  if (job === undefined || job.status === "over" || agent === undefined) return;
  if ((await store.marks(job.run))?.halted !== true) return;
  await store.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: SUSPENDED } }]);
  await store.commit([{ type: "put-job", job: { ...job, killed: "halted" } }]);
  await processes.kill(job);
  const kept = await store.load(job.run);
  if (kept !== undefined && !isJudge(await works.workflow(kept.row.definition), job.role))
    await noteLeft(works, kept, agent);
  await store.commit([{ type: "put-job", job: { ...job, killed: "halted", status: "over" } }]);
}

/** In place of the entry at which an agent became idle: whatever its run does, it goes on. */
const SUSPENDED = -1;

/** Idle, and its run is now somewhere where it is expected: it goes on. */
export async function wakeIdle(works: Works, agent: AgentRow): Promise<void> {
  const kept = await works.store.load(agent.run);
  if (kept === undefined) return;
  const { run, row } = kept;
  const present = run.agents[slotKey(agent.role, agent.slot)];
  const isCurrent = present !== undefined && present.attempt === agent.attempt && isUp(present);
  // Without a first turn it was never started: that is for whoever starts it.
  const workflow = await works.workflow(row.definition);
  const isDue = agent.entry === SUSPENDED || isExpected(workflow, run, agent.role);
  if (!isCurrent || agent.turn === 0 || !isDue) {
    await works.store.commit([{ type: "put-agent", agent: { ...agent, entry: run.entry } }]);
    return;
  }
  const { role, slot, attempt } = agent;
  const workspace = await workspaceFor(works, kept, agent);
  const session = works.desk.session(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { role, slot, attempt, session } });
  const prompt = workflow.definition.roles[agent.role]?.again ?? agent.role;
  const messages = await waitingFor(works, agent);
  try {
    if (messages.length > 0) await nextTurn(works, kept, { agent, messages });
    else {
      const text = promptText(workflow, prompt, variables);
      await startTurn(works, kept, { agent, turn: agent.turn + 1, text });
    }
  } catch (error) {
    // Another agent was started meanwhile, or a park holds this one: it is found again when that is over.
    if (!(error instanceof Later)) throw error;
  }
}

const SIGNALLED = 128;

/** Of a program that has ended by itself. */
export function endOf({ code }: { readonly code: number }): {
  readonly cause: "killed" | "exited";
  readonly code: number;
} {
  return { cause: code > SIGNALLED ? "killed" : "exited", code };
}

function causeOf(job: JobRow, process: Process): Cause {
  if (job.killed !== "" && job.killed !== "halted") return job.killed;
  // The shell tells a death by signal as a number above this.
  if (process.type === "ended") return endOf(process).cause;
  return process.type === "lost" && process.infrastructure ? "infrastructure" : "killed";
}
