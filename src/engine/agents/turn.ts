/**
 * A turn of an agent: one process, started once.
 *
 * A role with a fresh session has one turn. A persistent role without a terminal has one after the other in the same attempt:
 * between them it is idle, which is no death. One that stays in a terminal has one turn until it ends or is halted.
 */

import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Role } from "../../core/model/workflow.ts";
import type { Message, Works } from "../box.ts";
import { harnessOf, unparkedHarness } from "../queue/harness.ts";
import { callOf } from "./call.ts";
import { callIn } from "../cells/cell.ts";
import { environment, limitsOf } from "./launch.ts";
import { noteGiven } from "./given-texts.ts";
import { openCheckout, setUpCheckout } from "./judge-checkout.ts";
import { writeInput } from "./input-file.ts";
import { isTurnOf, jobId, turnOf } from "./job-id.ts";
import { isInPlace } from "../submit/place.ts";
import { checkoutOf } from "./judge.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow, JobRow, WorkspaceRow } from "../ports/registry.ts";
import {
  ANEW_FILE,
  DRIVER_FILE,
  SETTINGS_FILE,
  type Turn as Call,
  type TurnSettings,
} from "../ports/drivers.ts";
import type { Harness } from "../ports/settings.ts";
import { bringUpToDate } from "../submit/project.ts";
import { noteProgram, pathFor, pinnedSettings, requireProgram } from "../pins/pinned-settings.ts";
import { isContinued, seatFor, windowFor, type Seat } from "./seat.ts";
import { requireSlot } from "../queue/slots.ts";
import { titleOf } from "../workspaces/terminal-title.ts";
import { isSameAttempt } from "../../core/model/run.ts";
import { needsPerson } from "../supervise/later.ts";

type StartedTurn = {
  readonly agent: AgentRow;
  readonly turn: number;
  readonly text: string;
  /** What it is about, where it is about messages. */
  readonly messages?: readonly Message[];
  /** Of an agent that nobody knows of yet: until then its folder may be lost. */
  readonly durable?: Promise<void>;
};

const PROMPT = "prompt.md";

/** Starts a turn of an agent as soon as one more may work. Safe to repeat: what was claimed is not started again. */
export async function startTurn(works: Works, kept: Kept, on: StartedTurn): Promise<void> {
  const { agent, turn } = on;
  const { store, clock, processes, desk } = works;
  const { row, run } = kept;
  const id = jobId(agent, turn);
  if ((await store.job(id)) === undefined) {
    await unparkedHarness(works, kept, agent);
    await requireSlot(works, row.repo, agent);
  }
  const workflow = await works.workflow(row.definition);
  const role = workflow.definition.roles[agent.role];
  const workspace = await works.store.boundWorkspace(row.id);
  if (role === undefined || workspace === undefined)
    throw new Error(`there is no workspace for ${agent.role}`);
  const isJudge = role.access === "read";
  const cwd = isJudge ? checkoutOf(agent) : workspace.path;
  const settings = await pinnedSettings(works, kept);
  const harness = harnessOf(settings, String(valueOf(run, role.harness)));
  const seat = (await seatOf(works, id)) ?? seatFor(works, { role, harness, settings });
  const driver = works.drivers.of(harness.driver);
  // That of a person's own checkout is not an agent's to write in.
  const git = isInPlace(workspace) && !isJudge ? "" : `${cwd}/.git`;
  const call = await callOf(works, { ...on, role, run, harness, seat, workspace: cwd, git, settings });
  const whole = on.messages === undefined ? on.text : await withTask(works, agent, on.text);
  const trouble = await troubleIn(works, { workspace, role, id });
  const anew = [...trouble, whole].join("\n\n");
  const text = isContinued(call) ? [...trouble, on.text].join("\n\n") : anew;
  const program = startedBy(driver.argv({ ...call, prompt: "", isConfined: false }));
  const path = await pathFor(works, { run: row.id, program, path: settings.path });
  if (path === undefined) throw noProgram(program, harness.name);
  const pinned = { run: row.id, harness, program, path, pin: settings.pin };
  await requireProgram(works, pinned);
  const env: Record<string, string> = {
    ...environment(works, { ...settings, path }, harness),
    SIGNALBOX_RUN: row.id,
    SIGNALBOX_TOKEN: tokenOf(works, agent),
  };
  // Before anything is on record as running: it may take minutes, and is then tried again.
  if (isJudge && (await store.job(id)) === undefined) await setUpCheckout(works, kept, on);
  const dir = (await store.job(id))?.dir ?? (await newTurn(works, { ...on, text }, call));
  const prompt = desk.write(dir, PROMPT, text);
  if (anew !== text) desk.write(dir, ANEW_FILE, anew);
  // Written before the process: whatever happens from here on, somebody looks after it.
  const known = await store.job(id);
  const running: AgentRow = { ...agent, turn, status: "running" };
  if (known !== undefined && known.seat !== seat)
    await store.commit([{ type: "put-job", job: { ...known, seat } }]);
  if (known === undefined) {
    // Agents of other runs were started meanwhile. Nothing comes between this look and what is written next.
    await requireSlot(works, row.repo, agent);
    const now = clock.now();
    const { limitMs, stallMs } = limitsOf(run, role, {
      minutes: harness.minutes ?? settings.minutes,
      stallMinutes: harness.stallMinutes ?? settings.stallMinutes,
    });
    const job: JobRow = {
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
    };
    await store.commit([
      { type: "put-job", job },
      { type: "put-agent", agent: running },
    ]);
  } else if (known.status === "live") await store.commit([{ type: "put-agent", agent: running }]);
  await bringUpToDate(works, row.id);
  // What somebody has begun has read it: it is not changed under its hands.
  if (processes.probe(dir).type === "absent") {
    await writeInput(works, kept, running);
    await (isJudge ? openCheckout(works, kept, running) : noteGiven(works, kept, running));
  }
  await processes.launch({
    id,
    dir,
    ...(await callIn(works, {
      kept,
      settings,
      agent,
      call: { ...call, prompt },
      program,
      dir,
      env,
      workspace,
    })),
    cwd,
    env: { ...env, SIGNALBOX_PROMPT: prompt },
    stdin: harness.stdin && seat !== "resident" ? prompt : "",
    ...windowFor(seat, { agent, role, title: await titleOf(works, row, workspace) }),
  });
  await noteProgram(works, pinned);
}

/** Whether another turn of the agent goes on with the conversation of the last one. */
export async function isContinuable(
  works: Works,
  harness: Harness,
  { agent, seat }: { readonly agent: AgentRow; readonly seat: Seat },
): Promise<boolean> {
  const conversation = works.drivers.conversation(harness.driver, await turnDirs(works, agent));
  return isContinued({ harness, seat, isFirst: false, conversation });
}

/** A program without a command of its own for later turns begins a new conversation: it is given the task again. */
async function withTask({ store, desk }: Works, agent: AgentRow, message: string): Promise<string> {
  const first = await store.job(jobId(agent, 1));
  const task = first === undefined ? undefined : desk.read(first.dir, PROMPT);
  if (task === undefined) return message;
  return `${task.trimEnd()}\n\n## Continue here\n\n${LATER_TURN}\n\n${message}`;
}

const LATER_TURN =
  "This is a later turn on the task above. What you did before is in the workspace; this conversation does not contain it. Act on this message:";

/** What an earlier process left of git in the workspace, before the first process of a turn begins there. */
async function troubleIn(
  { store, workspaces }: Works,
  of: { readonly workspace: WorkspaceRow; readonly role: Role; readonly id: string },
): Promise<readonly string[]> {
  const { workspace, role, id } = of;
  if (role.access !== "write" || isInPlace(workspace) || (await store.job(id)) !== undefined) return [];
  return workspaces.usable(workspace.path);
}

/** Of a turn that somebody has begun: it stays where it is. One that nobody has begun may sit elsewhere than was thought. */
async function seatOf({ store, processes }: Works, id: string): Promise<Seat | undefined> {
  const job = await store.job(id);
  return job === undefined || processes.probe(job.dir).type === "absent" ? undefined : job.seat;
}

/** A folder that only a job's row makes the turn's: until then nobody has begun it. */
async function newTurn(
  { desk }: Works,
  { agent, turn, text, messages = [], ...on }: StartedTurn,
  { seat, harness, model }: Pick<Call, "seat" | "harness" | "model">,
): Promise<string> {
  // What a program that stays draws on its terminal is not for a driver.
  const driver = seat === "resident" ? "command" : harness.driver;
  const settings: TurnSettings = { harness: harness.name, model };
  const { dir, durable } = desk.furnish(agent.dir, `turn-${turn}`, {
    [PROMPT]: text,
    [SETTINGS_FILE]: JSON.stringify(settings),
    ...(driver === "command" ? {} : { [DRIVER_FILE]: driver }),
  });
  await Promise.all([on.durable, durable]);
  if (messages.length > 0) desk.take(dir, messages);
  return dir;
}

function tokenOf({ desk }: Works, agent: AgentRow): string {
  const { token, hash } = desk.token(agent.dir);
  if (hash !== agent.token)
    throw new Error(`the token in ${agent.dir} is not the one that ${agent.role} was given`);
  return token;
}

/** Messages that no turn of the agent was about, and that nobody has typed into its terminal. */
export async function waitingFor(works: Works, agent: AgentRow): Promise<readonly Message[]> {
  const own = (await works.store.messages(agent.run)).filter((row) => isSameAttempt(row, agent));
  const typed = new Set(own.map(({ key }) => `${messageName(key)}.md`));
  return works.desk.waiting(agent.dir, await turnDirs(works, agent)).filter(({ name }) => !typed.has(name));
}

/** What the file of a message is called, by the deed that ordered it. */
export function messageName(key: string): string {
  return key.replaceAll(":", ".");
}

/** Folders of the turns that the agent has begun, in order. */
async function turnDirs({ store }: Works, agent: AgentRow): Promise<readonly string[]> {
  return (await store.jobs({ run: agent.run }))
    .filter((job) => isTurnOf(job.id, agent) && turnOf(job) <= agent.turn)
    .toSorted((a, b) => turnOf(a) - turnOf(b))
    .map(({ dir }) => dir);
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

/** The bridge is ours, and always there; the program that it starts is the person's. */
function startedBy(argv: readonly string[]): string {
  return argv[argv[0] === OURS ? argv.indexOf("--") + 1 : 0] ?? "";
}

const OURS = "signalbox";

function noProgram(program: string, harness: string): Error {
  const isPath = program.includes("/");
  const why = isPath ? "is not there, or may not be executed" : "is not on the PATH";
  const next = `${isPath ? "chmod +x" : "install"} ${program}, or choose another harness`;
  return needsPerson(`the harness ${harness} needs ${program}, which ${why}`, next);
}
