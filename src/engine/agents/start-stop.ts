/** Agents are started and stopped. */

import { isUp } from "../../core/step/act.ts";
import { slotKey, isSameAttempt } from "../../core/model/run.ts";
import { requireUnaltered } from "./parent-texts.ts";
import { recalled, withEarlier } from "../effects/earlier-attempts.ts";
import type { Works } from "../box.ts";
import { workspaceFor } from "./judge-checkout.ts";
import type { Of } from "../effects/deed.ts";
import { jobId } from "./job-id.ts";
import { isFinal } from "../checks/check.ts";
import type { Kept } from "../ports/journal.ts";
import { isJudge } from "./judge.ts";
import { promptText, variablesOf } from "./launch.ts";
import { withFaults } from "./rejected-output.ts";
import { placeOf } from "../submit/place.ts";
import type { Process } from "../ports/process.ts";
import type { AgentRow, JobRow, RunAttempt } from "../ports/registry.ts";
import { projectAfter } from "../submit/project.ts";
import { noteNew } from "../notes.ts";
import { leaveTerminal } from "./seat.ts";
import { requireSlot } from "../queue/slots.ts";
import { unparkedHarness } from "../queue/harness.ts";
import { submit } from "../submit/submit.ts";
import { reportTurn } from "../supervise/turn-report.ts";
import { startTurn } from "./turn.ts";
import { agentOver, endOf, turnOver } from "./turn-end.ts";
import { contextFiles, missingFiles, refusedFiles, withContext, withWords } from "./prompt-context.ts";
import { Later, needsPerson } from "../supervise/later.ts";

export async function startAgent({ works, kept, deed, key, tries }: Of<"start-agent">): Promise<string> {
  const { role, slot, attempt } = deed;
  const { row, run } = kept;
  const present = run.agents[slotKey(role, slot)];
  if (present === undefined || present.attempt !== attempt || !isUp(present))
    return "the run has gone on without it";
  const of = { run: row.id, role, slot, attempt };
  const isBegun = (await works.store.job(jobId(of, 1))) !== undefined;
  if (!isBegun) await unparkedHarness(works, kept, of);
  const isReader = isJudge(await works.workflow(row.definition), role);
  if (isReader) {
    await requireHandover(works, row.id, { role, tree: present.tree });
    await endWriters(works, row.id, tries);
  }
  if (!isBegun) await requireSlot(works, row.repo, of);
  const name = jobId(of, 1).slice(row.id.length + 1, -2);
  const known = await works.store.agent(of);
  if (known === undefined || (known.status !== "ended" && known.turn <= 1)) {
    const workflow = await works.workflow(row.definition);
    const place = await placeOf(works, { run, workflow, id: row.id });
    const readings = await works.artifacts.read(place);
    const look = { role, readings, leads: (all: readonly string[]) => works.artifacts.leads(place, all) };
    const files = contextFiles(workflow, run, look);
    const refused = refusedFiles(workflow, run, look);
    if ((known?.turn ?? 0) === 0) {
      requireContext(role, missingFiles(workflow, run, look));
      await requireUnaltered(works, kept, { role, files });
    }
    const { agent, durable } =
      known === undefined ? newAgent(works, { of, name, entry: run.entry }) : { agent: known };
    if (agent.turn === 0)
      await noteNew(
        works,
        { run: row.id },
        refused.map((each) => `${each}: it is not handed to agents`),
      );
    const text = await firstPrompt({ works, kept, deed, key }, { agent, files, refused });
    await startTurn(works, kept, { agent, turn: 1, text, ...(durable === undefined ? {} : { durable }) });
  }
  const started = await submit(works, {
    run: row.id,
    by: { type: "engine" },
    key: `started:${role}:${slot}:${attempt}`,
    facts: {},
    event: ({ at }) => ({ type: "agent-started", at, role, slot, attempt }),
  });
  await projectAfter(works, started, row.id);
  return `${role} ${attempt} runs`;
}

/** An effect that needs attention does not hold up those after it; the verdict of a judge must be about work that was handed over. */
async function requireHandover(
  { store }: Works,
  run: string,
  { role, tree }: { readonly role: string; readonly tree: string },
): Promise<void> {
  const isFailed = (await store.deeds(run)).some(
    ({ deed, status }) => deed.type === "snapshot" && deed.tree === tree && status === "attention",
  );
  if (!isFailed) return;
  const message = `${role} is not started, because the work could not be handed over`;
  throw needsPerson(message, `signalbox show ${run} says why`);
}

/** An agent that cannot read what its work is about would only guess. A person can restore the file. */
function requireContext(role: string, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const [is, it] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  const message = `${role} must read ${missing.join(" and ")} first, which ${is} not there`;
  throw needsPerson(message, `put ${it} there`);
}

type Reads = {
  readonly agent: AgentRow;
  readonly files: readonly string[];
  readonly refused: readonly string[];
};

async function firstPrompt(
  on: Pick<Of<"start-agent">, "works" | "kept" | "deed" | "key">,
  { agent, files, refused }: Reads,
): Promise<string> {
  const { works, kept, deed, key } = on;
  const { row, run } = kept;
  const { role, slot, attempt } = deed;
  const workflow = await works.workflow(row.definition);
  const workspace = await workspaceFor(works, kept, agent);
  const session = works.desk.session(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { role, slot, attempt, session } });
  const text = withContext(promptText(workflow, deed.prompt, variables), files, refused);
  const { earlier } = workflow.definition.roles[role] ?? {};
  const prompt = withEarlier(text, await recalled(works, kept, earlier));
  return withWords(works, key, await withFaults(works, { kept, key, author: { role, slot } }, prompt));
}

/** Its folder is a new one: files that were prepared under its name are not used. It is in the store from its first turn on. */
function newAgent(
  works: Works,
  on: {
    readonly of: RunAttempt;
    readonly name: string;
    readonly entry: number;
  },
): { readonly agent: AgentRow; readonly durable: Promise<void> } {
  const { of, name, entry } = on;
  const { desk } = works;
  const { dir, durable } = desk.furnish(works.folders(of.run).agents, name, { token: desk.newToken() });
  const token = desk.token(dir).hash;
  const agent: AgentRow = {
    ...of,
    token,
    dir,
    turn: 0,
    status: "idle",
    entry,
    startedAt: works.clock.now(),
  };
  return { agent, durable };
}

/** How often, and how long each time, the supervisor waits for a turn to end by itself before it ends it. */
const FINISHING_MS = 50;
const JUDGE_TRIES = 100;
const WRITER_TRIES = 400;

export async function stopAgent({ works, kept, deed, tries }: Of<"stop-agent">): Promise<string> {
  const { role, slot, attempt } = deed;
  const { store, processes } = works;
  const of = { run: kept.row.id, role, slot, attempt };
  const jobs = await store.jobs({ run: of.run, status: "live" });
  const own = jobs.filter((job) => job.kind === "turn" && isSameAttempt(job, deed));
  if (tries < JUDGE_TRIES && (await mayFinish(works, kept, own)))
    throw new Later(`${role} ${attempt} finishes its turn`, FINISHING_MS);
  // Many agents are stopped because of their last submission.
  let before: Process | undefined;
  for (const job of own) {
    await store.commit([{ type: "put-job", job: { ...job, killed: "killed" } }]);
    before = await processes.kill(job);
    await reportTurn(works, before.type === "ended" ? job : { ...job, killed: "killed" }, before);
  }
  const agent = (await store.agent(of)) ?? {
    ...of,
    token: "",
    dir: "",
    turn: 0,
    status: "ended",
    entry: 0,
    startedAt: 0,
  };
  const cause = own.length > 0 ? "killed" : "exited";
  await agentOver(works, agent, before?.type === "ended" ? endOf(before) : { cause });
  for (const job of own)
    await store.commit([{ type: "put-job", job: { ...job, killed: "killed", status: "over" } }]);
  await leaveTerminal(works, of.run);
  return own.length > 0 ? `${role} ${attempt} was ended` : `${role} ${attempt} had ended`;
}

/**
 * A judge is stopped by its own verdict, in the middle of a turn. What its program prints at the end, such as its last words and what
 * it used, is worth a moment: a judge changes nothing outside of its checkout. A run that is over or halted does not wait.
 */
async function mayFinish(works: Works, kept: Kept, jobs: readonly JobRow[]): Promise<boolean> {
  const isAtWork = jobs.some(
    ({ seat, killed, dir }) =>
      seat !== "resident" && killed === "" && works.processes.probe(dir).type === "alive",
  );
  if (!isAtWork || kept.row.halted || (await isFinal(works, kept))) return false;
  const workflow = await works.workflow(kept.row.definition);
  return jobs.every(({ role }) => isJudge(workflow, role));
}

/**
 * A judge starts only after the turns of persistent writers: its verdict is bound to one tree, and work that goes on would make it stale.
 * An agent that stays in a terminal delays no judge, because it waits there for messages. An agent with one turn is stopped by the definition.
 */
async function endWriters(works: Works, run: string, tries: number): Promise<void> {
  const { store, processes } = works;
  const kept = await store.load(run);
  if (kept === undefined) return;
  const { roles } = (await works.workflow(kept.row.definition)).definition;
  const writing = (await store.jobs({ run, status: "live" })).filter(({ kind, role, seat }) => {
    const declared = roles[role];
    if (kind !== "turn" || seat === "resident") return false;
    return declared?.access === "write" && declared.session === "persistent";
  });
  if (writing.length === 0) return;
  if (tries < WRITER_TRIES)
    throw new Later(`${writing.map(({ role }) => role).join(", ")} must end its turn first`, FINISHING_MS);
  for (const job of writing) {
    const killed = { ...job, killed: "killed" } as const;
    await store.commit([{ type: "put-job", job: killed }]);
    await processes.kill(job);
    await turnOver(works, killed, processes.probe(job.dir));
  }
}
