/**
 * What follows a turn: its agent goes on, waits, has ended, or is started again.
 */

import { isUp } from "../../core/step/act.ts";
import type { Incoming, Reading } from "../../core/model/event.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { outcomeOfEnd } from "../../core/step/events/end.ts";
import { isExpected } from "../../core/step/move-at-end.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import { dropRequests } from "../supervise/dropped-requests.ts";
import { madeBy, noteLeft } from "./given-texts.ts";
import { closeCheckout, workspaceFor } from "./judge-checkout.ts";
import { isJudge } from "./judge.ts";
import { promptText, variablesOf } from "./launch.ts";
import type { Kept } from "../ports/journal.ts";
import type { Process } from "../ports/process.ts";
import type { AgentRow, JobRow } from "../ports/registry.ts";
import { noteAll, noteNew } from "../notes.ts";
import { project } from "../submit/project.ts";
import { showTexts } from "../submit/show-texts.ts";
import { submit } from "../submit/submit.ts";
import { turnOf } from "./job-id.ts";
import { policyAfter, type Policy } from "../queue/after-turn.ts";
import { failuresBefore } from "../queue/failures-before.ts";
import { harnessOfTurn } from "../queue/harness.ts";
import { REMINDER, reminderFor, sayMissing } from "../queue/reminder.ts";
import { beginPark, Parked, sayPark } from "../queue/parks.ts";
import type { Request } from "../submit/write.ts";
import { isContinuable, nextTurn, startTurn, waitingFor } from "./turn.ts";
import { reportTurn } from "../supervise/turn-report.ts";
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
  await reportTurn(works, job, process);
  if (agent.turn > turnOf(job)) {
    // Whoever saw the end of this turn began the next one, and died before saying so.
    await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
    return;
  }
  const workflow = await works.workflow(kept.row.definition);
  const present = kept.run.agents[slotKey(job.role, job.slot)];
  const isCurrent = present !== undefined && present.attempt === job.attempt && isUp(present);
  const isPersistent = workflow.definition.roles[job.role]?.session === "persistent";
  const policy = isCurrent ? await policyOf(works, kept, { job, agent, process }) : NOTHING;
  // Also after a turn that brought everything: the next one would fail.
  if (policy.type === "park") await beginPark(works, kept, policy.park);
  // Who stays in a terminal has no reason to leave it: its end is never the end of a turn only.
  if (isCurrent && isPersistent && job.seat !== "resident") {
    if (!isJudge(workflow, job.role)) await noteLeft(works, kept, agent);
    const messages = await waitingFor(works, agent);
    if (messages.length > 0) {
      if (!(await begun(() => nextTurn(works, kept, { agent, messages }))))
        await store.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: SUSPENDED } }]);
      await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
      return;
    }
    if (!isExpected(workflow, kept.run, job.role)) {
      await store.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: kept.run.entry } }]);
      await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
      return;
    }
  }
  const end = {
    cause: causeOf(job, process),
    code: process.type === "ended" ? process.code : undefined,
  };
  try {
    await agentOver(works, agent, policy.type === "over" ? end : { ...end, examine: requireDone });
  } catch (error) {
    if (!(error instanceof NotDone)) throw error;
    if (await goesOn(works, kept, { job, agent, policy, left: error.run })) return;
    await agentOver(works, agent, end);
  }
  await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
}

/** The turn did not bring what the run waits for. The run is as the agent left it. */
class NotDone extends Error {
  override readonly name = "NotDone";
  readonly run: Run;

  constructor(run: Run) {
    super("the turn did not bring what its run waits for");
    this.run = run;
  }
}

function requireDone(event: Incoming, workflow: Workflow, run: Run): void {
  if (event.type !== "agent-ended" || event.cause !== "exited") return;
  const outcome = outcomeOfEnd(workflow, run, event);
  if (!outcome.isDone) throw new NotDone(outcome.run);
}

type Ended = { readonly job: JobRow; readonly agent: AgentRow };

async function policyOf(
  works: Works,
  kept: Kept,
  of: Ended & { readonly process: Process },
): Promise<Policy> {
  const { job, agent, process } = of;
  const failure = works.drivers.failure(job.dir);
  const harness = await harnessOfTurn(works, kept, job);
  return policyAfter(
    {
      agent,
      killed: job.killed,
      process,
      failure,
      before: await failuresBefore(works.store, job, turnOf(job)),
      harness: harness.name,
      logIn: works.drivers.of(harness.driver).logIn,
      isContinued:
        job.seat !== "resident" && (await isContinuable(works, harness, { agent, seat: job.seat })),
      isReminder: works.desk.read(job.dir, "prompt.md")?.includes(REMINDER) === true,
    },
    works.clock.now(),
  );
}

/** Where the turn did not bring what the run waits for, its agent goes on without a crash. False where it has ended. */
async function goesOn(
  works: Works,
  kept: Kept,
  on: Ended & { readonly policy: Policy; readonly left: Run },
): Promise<boolean> {
  const { job, agent, policy, left } = on;
  const { store } = works;
  const { run, role } = job;
  const workflow = await works.workflow(kept.row.definition);
  if (policy.type === "over") return false;
  const isOver = { type: "put-job", job: { ...job, status: "over" } } as const;
  const isIdle = { type: "put-agent", agent: { ...agent, status: "idle", entry: SUSPENDED } } as const;
  if (!isJudge(workflow, role)) await noteLeft(works, kept, agent);
  switch (policy.type) {
    case "remind": {
      const text = reminderFor(workflow, left, agent);
      if (text === undefined) return false;
      const missing = sayMissing(workflow, left, agent);
      await noteNew(works, { run, kind: "reminder" }, [
        `the ${role} ended turn ${agent.turn} without ${missing}, and was asked for it once`,
      ]);
      const isBegun = await begun(() =>
        startTurn(works, kept, { agent, turn: agent.turn + 1, text, messages: [] }),
      );
      await store.commit(isBegun ? [isOver] : [isIdle, isOver]);
      return true;
    }
    case "park":
      await noteAll(works, { run, kind: "parked" }, [`the ${role} cannot go on: ${sayPark(policy.park)}`]);
      await store.commit([isIdle, isOver]);
      // Lifted meanwhile, it holds nobody.
      await store.commit([
        { type: "hold", turn: { run, role, slot: agent.slot, attempt: agent.attempt, key: policy.park.key } },
      ]);
      return true;
    case "attention": {
      const why = `the ${role} cannot go on: ${policy.message}`;
      await noteAll(works, { run, kind: "attention" }, [why]);
      const attention = `${why}; ${policy.remedy}, then: signalbox retry ${run}`;
      await store.commit([{ type: "attend", run, attention, shown: "" }, isIdle, isOver]);
      return true;
    }
  }
}

/** False where a park keeps the turn from beginning. */
async function begun(begin: () => Promise<void>): Promise<boolean> {
  try {
    await begin();
    return true;
  } catch (error) {
    if (error instanceof Parked) return false;
    throw error;
  }
}

/** Tells the run that an agent is no more, with everything that it left. */
export async function agentOver(
  works: Works,
  agent: AgentRow,
  end: End & Pick<Request, "examine">,
): Promise<void> {
  const { run, role, slot, attempt } = agent;
  const { cause, code, examine } = end;
  await submit(works, {
    run,
    by: { type: "engine" },
    author: { type: "agent", role, slot, attempt },
    key: `ended:${role}:${slot}:${attempt}`,
    ...(examine === undefined ? {} : { examine }),
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
  await reportTurn(works, { ...job, killed: "halted" });
  await dropRequests(works, job);
  const kept = await store.load(job.run);
  if (kept !== undefined && !isJudge(await works.workflow(kept.row.definition), job.role))
    await noteLeft(works, kept, agent);
  await store.commit([{ type: "put-job", job: { ...job, killed: "halted", status: "over" } }]);
}

const NOTHING: Policy = { type: "over" };

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
      // A prompt for later turns does not contain the task.
      const on = prompt === agent.role ? {} : { messages };
      await startTurn(works, kept, { agent, turn: agent.turn + 1, text, ...on });
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
