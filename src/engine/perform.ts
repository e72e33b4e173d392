/**
 * One deed is done. It may have been begun before, by somebody who died over it: everything here looks first, or cannot
 * happen twice.
 */

import { isUp } from "../core/act.ts";
import { slotKey } from "../core/run.ts";
import type { Works } from "./box.ts";
import { endChecks, startCheck } from "./check.ts";
import type { Deed } from "./deed.ts";
import { jobId } from "./job-id.ts";
import { promptText, variablesOf } from "./launch.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import type { Kept } from "./ports/journal.ts";
import type { DeedRow } from "./ports/outbox.ts";
import type { AgentRow } from "./ports/registry.ts";
import { noteAll, project } from "./project.ts";
import { submit } from "./submit.ts";
import { agentOver, nextTurn, startTurn, turnDirs } from "./turn.ts";
import { withContext, withWords } from "./words.ts";
import { endWriters } from "./writers.ts";

type Of<T extends Deed["type"]> = {
  /** How often it was claimed. More than once: whoever claimed it before may have done it. */
  readonly tries: number;
  readonly works: Works;
  readonly kept: Kept;
  readonly deed: Extract<Deed, { type: T }>;
  readonly key: string;
};

/** Gives what was done, in words. Throws when it could not be done now; an error with `next` is a person's to mend. */
export async function perform(works: Works, { deed, run, key, tries }: DeedRow): Promise<string> {
  const kept = works.store.load(run);
  if (kept === undefined) throw new Error(`there is no run ${run}`);
  const on = { works, kept, key, tries };
  switch (deed.type) {
    case "prepare-resource":
      return prepare({ ...on, deed });
    case "snapshot":
      return snapshot({ ...on, deed });
    case "start-agent":
      return startAgent({ ...on, deed });
    case "stop-agent":
      return stopAgent({ ...on, deed });
    case "tell-agent":
      return tellAgent({ ...on, deed });
    case "run-check":
      return startCheck(works, kept, { artifact: deed.artifact, key });
    case "archive-artifacts":
      return archive({ ...on, deed });
    case "release-resource":
      return release({ ...on, deed });
    case "ask-person":
      return askPerson({ ...on, deed });
    case "start-next":
      return "nothing is queued";
    case "start-tasks":
      throw unknownDeed("a graph of tasks");
    case "perform":
      throw unknownDeed(`"${deed.name}"`);
  }
}

async function prepare({ works, kept }: Of<"prepare-resource">): Promise<string> {
  const { row, run } = kept;
  if (boundWorkspace(works, row.id) !== undefined) return "there is a workspace already";
  const workflow = works.workflow(row.definition);
  if (workflow.definition.states[run.state]?.final !== undefined) return "the run is over";
  const wanted = run.params["branch"];
  const branch = typeof wanted === "string" && wanted !== "" ? wanted : `signalbox/${row.id}`;
  const artifacts = artifactPaths(workflow, run);
  const made = await works.workspaces.prepare({
    run: row.id,
    repo: row.repo,
    branch,
    base: row.base,
    artifacts,
  });
  noteAll(
    works,
    row.id,
    await works.artifacts.carry(placeOf(works, { run, workflow, id: row.id }), made.path),
  );
  works.store.putWorkspace({ run: row.id, repo: row.repo, ...made, status: "bound", salvage: "", kept: "" });
  await project(works, row.id);
  return made.path;
}

async function snapshot({ works, kept, deed }: Of<"snapshot">): Promise<string> {
  const workspace = boundWorkspace(works, kept.row.id);
  if (workspace === undefined) return "there is no workspace any more";
  const message = `${kept.row.workflow} ${kept.row.id}: ${deed.state}`;
  const { tree, seq } = deed;
  return works.workspaces.snapshot({ path: workspace.path, run: kept.row.id, seq, tree, message });
}

async function startAgent({ works, kept, deed, key, tries }: Of<"start-agent">): Promise<string> {
  const { role, slot, attempt } = deed;
  const { row, run } = kept;
  const present = run.agents[slotKey(role, slot)];
  if (present === undefined || present.attempt !== attempt || !isUp(present))
    return "the run has gone on without it";
  if (works.workflow(row.definition).definition.roles[role]?.access === "read")
    await endWriters(works, row.id, tries);
  const of = { run: row.id, role, slot, attempt };
  const name = jobId(of, 1).slice(row.id.length + 1, -2);
  const agent = works.store.agent(of) ?? newAgent(works, { of, name, entry: run.entry });
  if (agent.turn === 0) works.store.putAgent(agent);
  if (agent.status !== "ended" && agent.turn <= 1) {
    const workflow = works.workflow(row.definition);
    const workspace = boundWorkspace(works, row.id)?.path ?? "";
    const session = works.desk.session(agent.dir);
    const variables = variablesOf({ workflow, run, workspace, agent: { slot, attempt, session } });
    const prompt = withContext(workflow, run, { role, text: promptText(workflow, deed.prompt, variables) });
    await startTurn(works, kept, {
      agent,
      turn: 1,
      text: withWords(works, key, prompt),
    });
  }
  await submit(works, {
    run: row.id,
    by: { type: "engine" },
    key: `started:${role}:${slot}:${attempt}`,
    facts: {},
    event: ({ at }) => ({ type: "agent-started", at, role, slot, attempt }),
  });
  await project(works, row.id);
  return `${role} ${attempt} runs`;
}

/** Its folder is a new one: what somebody has laid down for it beforehand is not used. */
function newAgent(
  works: Works,
  on: {
    readonly of: Pick<AgentRow, "run" | "role" | "slot" | "attempt">;
    readonly name: string;
    readonly entry: number;
  },
): AgentRow {
  const { of, name, entry } = on;
  const dir = works.desk.make(works.folders(of.run).agents, name);
  const token = works.desk.issue(dir);
  return { ...of, token, dir, turn: 0, status: "idle", entry, startedAt: works.clock.now() };
}

async function stopAgent({ works, kept, deed }: Of<"stop-agent">): Promise<string> {
  const { role, slot, attempt } = deed;
  const { store, processes } = works;
  const of = { run: kept.row.id, role, slot, attempt };
  const jobs = store.jobs({ run: of.run, status: "live" });
  const own = jobs.filter(
    (job) => job.kind === "turn" && job.role === role && job.slot === slot && job.attempt === attempt,
  );
  for (const job of own) {
    store.putJob({ ...job, killed: "killed" });
    await processes.kill(job);
  }
  const agent = store.agent(of) ?? {
    ...of,
    token: "",
    dir: "",
    turn: 0,
    status: "ended",
    entry: 0,
    startedAt: 0,
  };
  await agentOver(works, agent, { cause: own.length > 0 ? "killed" : "exited" });
  for (const job of own) store.putJob({ ...job, killed: "killed", status: "over" });
  return own.length > 0 ? `${role} ${attempt} was ended` : `${role} ${attempt} had ended`;
}

/** Without a terminal a message is a file, and the next turn is about it: it can be looked for, so it is never in doubt. */
async function tellAgent({ works, kept, deed, key }: Of<"tell-agent">): Promise<string> {
  const { role, attempt, message } = deed;
  const { row, run } = kept;
  const agent = works.store.agent({ run: row.id, role, slot: "", attempt });
  const present = run.agents[role];
  if (agent === undefined || present === undefined || present.attempt !== attempt || !isUp(present))
    return "the agent has ended meanwhile";
  const workflow = works.workflow(row.definition);
  const workspace = boundWorkspace(works, row.id)?.path ?? "";
  const session = works.desk.session(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { slot: "", attempt, session } });
  const text = withWords(works, key, promptText(workflow, message, variables));
  works.desk.leave(agent.dir, key.replaceAll(":", "."), text);
  if (agent.status !== "idle") return `${role} gets it when its turn is over`;
  const messages = works.desk.waiting(agent.dir, turnDirs(works, agent));
  if (messages.length > 0) await nextTurn(works, kept, { agent, messages });
  return `${role} was told`;
}

async function archive({ works, kept, deed }: Of<"archive-artifacts">): Promise<string> {
  const { row, run } = kept;
  const into = `${works.folders(row.id).archive}/attempt-${deed.entry}`;
  const place = placeOf(works, { run, workflow: works.workflow(row.definition), id: row.id });
  noteAll(works, row.id, await works.artifacts.archive(place, { artifacts: deed.artifacts, into }));
  return into;
}

async function release({ works, kept, deed }: Of<"release-resource">): Promise<string> {
  const { row, run } = kept;
  const bound = boundWorkspace(works, row.id);
  if (deed.resource !== "workspace" || bound === undefined) return "it was released already";
  const place = placeOf(works, { run, workflow: works.workflow(row.definition), id: row.id });
  const { files, kept: keep } = works.folders(row.id);
  await endChecks(works, row.id);
  noteAll(works, row.id, await works.artifacts.carry(place, files));
  const { path, repo } = bound;
  const left = await works.workspaces.release({ run: row.id, repo, path, keep });
  works.store.putWorkspace({ ...bound, ...left, status: "released" });
  await project(works, row.id);
  return left.salvage === ""
    ? "nothing was left uncommitted"
    : `what was not committed is kept as ${left.salvage}`;
}

/** Whether a bell has rung, nobody can tell: it does not ring twice. The question itself stands in the inbox. */
async function askPerson({ works, kept, deed, tries }: Of<"ask-person">): Promise<string> {
  if (tries > 1) return `${deed.id} may have been announced before; it is not announced again`;
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const { notify } = await works.settings(row.repo);
  const nobody = { slot: "", attempt: 0, session: "" };
  const workspace = boundWorkspace(works, row.id)?.path ?? "";
  const variables = variablesOf({ workflow, run, workspace, agent: nobody });
  const question = promptText(workflow, workflow.definition.asks[deed.ask]?.question ?? "", variables);
  await works.notifier.ask({ command: notify, run: row.id, id: deed.id, question });
  return `${deed.id} was asked`;
}

function unknownDeed(what: string): Error {
  return Object.assign(new Error(`this version cannot carry out ${what}`), {
    next: "use a workflow without it",
  });
}
