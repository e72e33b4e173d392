/** What a run waits for: one sentence that every screen prints. */

import { foreignFor } from "../../../core/gates/accepted-artifacts.ts";
import { isHeld } from "../../../engine/halted.ts";
import { inLine, whyInLine, whyQueued } from "../../../engine/queue/position.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import { causeOf } from "../decision/cause.ts";
import { askingTask, tasksOf, type Asking } from "../work/children.ts";
import { sayHeldUp } from "../decision/foreign-edits.ts";
import { sayLanded } from "../decision/merged-elsewhere.ts";
import { waysOf } from "../moves.ts";
import { questionOf } from "../decision/question.ts";
import { awaitedIn, shortWaitOf } from "../lists/summary.ts";
import type { AgentView, CheckView, WaitView } from "../run-view.ts";
import { isForPerson, parkOf, sayParked } from "./parked.ts";
import { attentionOf, deadlockOf, isStranded, owedBy, sayCrashed, troubleOf } from "./trouble.ts";
import { capitalised, firstLine, sentence, toYou, sayActor } from "../words.ts";
import { maxOf } from "../../../core/gates/gate.ts";
import type { Incoming } from "../../../core/model/event.ts";
import { artifactsIn } from "../../../core/model/status.ts";
import type { Move } from "../../../core/model/workflow.ts";
import { jobId } from "../../../engine/agents/job-id.ts";
import { lastSaidIn } from "../../story/agent-log.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import { reviewsOf } from "../decision/findings.ts";
import { isSameAttempt } from "../../../core/model/run.ts";

type Live = { readonly agents: readonly AgentView[]; readonly checks: readonly CheckView[] };

export async function waitsOf(seen: Seen, live: Live): Promise<WaitView> {
  const wait = await waitIn(seen, live);
  const landed = sayLanded(seen);
  const said = landed === "" ? wait.sentence : `${wait.sentence} ${sentence(capitalised(landed))}`;
  const { short } = await shortWaitOf(seen, wait.kind === "attention" ? wait.sentence : "");
  return { since: await sinceOf(seen), short, ...wait, sentence: said };
}

type Wait = Pick<WaitView, "kind" | "sentence"> & Partial<Pick<WaitView, "since">>;

async function waitIn(seen: Seen, live: Live): Promise<Wait> {
  const { row, store } = seen;
  const trouble = await troubleOf(store, row);
  if (isFinished(row)) {
    return trouble === ""
      ? { kind: "over", sentence: sayOver(seen), since: row.updatedAt }
      : { kind: "attention", sentence: sentence(`Needs attention: ${trouble}`) };
  }
  if (trouble !== "") {
    const foreign = row.attention === "" ? "" : await sayHeldUp(seen);
    return { kind: "attention", sentence: sentence(`Needs attention: ${foreign || trouble}`) };
  }
  if (row.halted) return { kind: "stopped", sentence: await sayStopped(seen, live) };
  const question = await questionOf(seen);
  if (question !== undefined)
    return {
      kind: "person",
      sentence: sentence(firstLine(question.question, SENTENCE_MAX)),
      since: question.openedAt,
    };
  if (isStranded(seen)) return { kind: "crashed", sentence: sayCrash(seen, live.agents) };
  return (
    (await queueOf(seen)) ??
    (await parkIn(seen, live)) ??
    (row.status === "waiting" ? await decisionOf(seen) : await workOf(seen, live))
  );
}

const SENTENCE_MAX = 200;

/** When the run came into its state. */
export async function sinceOf({ store, run }: Pick<Seen, "store" | "run">): Promise<string> {
  const near = await store.events(run.id, Math.max(1, run.seq - BACK));
  const moved = near.findLast(({ event }) => event.type === "moved");
  const found = moved ?? (await store.events(run.id, 1)).findLast(({ event }) => event.type === "moved");
  return found?.at ?? run.updatedAt;
}

const BACK = 60;

function sayOver({ row, workflow, run }: Seen): string {
  const title = workflow.definition.states[run.state]?.title ?? "";
  const how =
    { done: "Done", cancelled: "Cancelled", failed: "Failed" }[row.status] ?? capitalised(row.status);
  return sentence(title === "" ? how : `${how}: ${title}`);
}

async function sayStopped({ store, run }: Seen, { agents }: Live): Promise<string> {
  const busy = busyIn(agents);
  const ending =
    busy.length > 0 && (await isHeld(store, run.id)) ? ` when ${busy.join(" and ")} has ended` : "";
  return `Stopped by a person${ending}. Resume it with: signalbox resume ${run.id}`;
}

/** What is known of the end of an agent that a person has to start again. */
function sayCrash(seen: Seen, agents: readonly AgentView[]): string {
  // One that was not started has no end of its own.
  const crashed = agents.filter(
    ({ status, role }) => status === "crashed" && foreignFor(seen.workflow, seen.run, role).length === 0,
  );
  const how = crashed.map(({ exit }) => (exit === null ? "" : `exit code ${exit}`)).find(Boolean) ?? "";
  const output = crashed.map((agent) => agent.output).find(Boolean) ?? "";
  const said = [
    sentence(`${sayCrashed(seen)}${how === "" ? "" : `: ${how}`}`),
    ...(output === "" ? [] : [`Its last output: ${firstLine(output, OUTPUT_MAX)}`]),
  ];
  return said.join(" ");
}

const OUTPUT_MAX = 100;

/** A run in the queue, or an agent for which there is no slot. Undefined where neither keeps it. */
async function queueOf({ store, run }: Seen): Promise<Wait | undefined> {
  const queued = await whyInLine(store, run.id);
  if (queued.length > 0) {
    const isOwn = !(await inLine(store)).has(run.id);
    const said = queued.map((each) => (/^\d/.test(each) ? `queued: ${each}` : each)).join("; ");
    return { kind: isOwn ? "person" : "queue", sentence: sentence(capitalised(said)) };
  }
  if ((await store.queued()).some((row) => row.run === run.id))
    return { kind: "queue", sentence: "Queued: it is about to start." };
  const slot = await whyQueued(store, run.id);
  return slot.length === 0
    ? undefined
    : { kind: "queue", sentence: sentence(capitalised(`queued: ${slot.join("; ")}`)) };
}

/** Undefined also where another agent of the run is at work. */
async function parkIn({ store, run }: Seen, { agents, checks }: Live): Promise<Wait | undefined> {
  const park = busyIn(agents).length + checks.length > 0 ? undefined : await parkOf(store, run.id);
  if (park === undefined) return undefined;
  return { kind: isForPerson(park) ? "attention" : "parked", sentence: sayParked(park, run.id) };
}

/** A person's move: what the state is about, and what led there. */
async function decisionOf(seen: Seen): Promise<Wait> {
  const { workflow, run } = seen;
  const title = toYou(workflow.definition.states[run.state]?.title || `Waits for you in ${run.state}`);
  const reason = await reasonFor(seen);
  return { kind: "person", sentence: sentence(reason === "" ? title : `${title}: ${reason}`) };
}

async function workOf(seen: Seen, { agents, checks }: Live): Promise<Wait> {
  const { store, run } = seen;
  const deadlock = await deadlockOf(seen);
  if (deadlock !== undefined)
    return { kind: "attention", sentence: sentence(`Needs attention: ${await attentionOf(seen)}`) };
  const asking = await askingTask(seen);
  if (asking !== undefined) return { kind: "person", sentence: await sayAsking(asking) };
  const awaited = awaitedIn(seen.workflow.definition, seen);
  const busy = busyIn(agents.filter(({ role }) => awaited.includes(role)));
  if (checks.length > 0)
    return {
      kind: "check",
      sentence: sentence(`Running: ${checks.map(({ artifact }) => `check ${artifact}`).join(", ")}`),
    };
  const left = (await tasksOf(seen)).filter(({ status }) =>
    ["open", "running", "waiting"].includes(status),
  ).length;
  if (left > 0) return { kind: "child", sentence: `Waits for ${left === 1 ? "one task" : `${left} tasks`}.` };
  if (busy.length > 0)
    return {
      kind: "agent",
      sentence: `Waits for ${busy.map((role) => `the ${role}`).join(" and ")}.`,
    };
  const due = (await store.deeds(run.id)).filter(
    ({ status }) => status === "pending" || status === "claimed",
  );
  if (due.length > 0)
    return {
      kind: "agent",
      sentence: `Waits for the supervisor: ${[...new Set(due.map(({ deed }) => deed.type.replaceAll("-", " ")))].join(", ")}.`,
    };
  const [first] = await waysOf(seen);
  return {
    kind: "agent",
    sentence: sentence(`Waits until ${first?.smallest ?? "nothing: no move leads on"}`),
  };
}

/** With what its agent wants to know. */
async function sayAsking({ task, seen }: Asking): Promise<string> {
  const [, said = ""] = await causeOf(seen);
  const title = seen.workflow.definition.states[seen.run.state]?.title ?? "";
  const what = [title, said.replace(/^summary: /, "")].filter((words) => words !== "").join(": ");
  return `Task ${task} asks${what === "" ? "" : `: ${firstLine(what, SENTENCE_MAX)}`} (signalbox show ${seen.run.id})`;
}

/** Each role once. Earlier attempts are listed, and no run waits for them. */
function busyIn(agents: readonly AgentView[]): readonly string[] {
  const busy = agents.filter(
    ({ status, process }) => status !== "stopping" && status !== "superseded" && process !== "idle",
  );
  return [...new Set(busy.map(({ role }) => role))].map((role) => {
    const times = busy.filter((agent) => agent.role === role).length;
    return times === 1 ? role : `${times} ${role}s`;
  });
}

/** Why a run is where it is: what led to its last move, in one sentence. Nothing is decided by it. */

const WORDS_MAX = 120;

/** Empty where the last move says nothing but that somebody asked for it. */
async function reasonFor(seen: Seen): Promise<string> {
  const { move, before } = await lastMoveOf(seen);
  if (move === undefined) return "";
  if (!move.by.includes("engine")) return sayAsker(before);
  const ended = deathIn(before);
  return ended === undefined ? sayConditions(seen, move) : sayDeath(seen, { ended, from: move.from });
}

/** The move that led to the present state, and what happened before it. */
async function lastMoveOf({
  store,
  workflow,
  run,
}: Seen): Promise<{ readonly move: Move | undefined; readonly before: readonly Recorded[] }> {
  const events = await store.events(run.id, Math.max(1, run.seq - BACK));
  const at = events.findLastIndex(({ event }) => event.type === "moved");
  const moved = events[at]?.event;
  const move = moved?.type === "moved" ? workflow.definition.moves[moved.rule] : undefined;
  return { move, before: events.slice(0, at) };
}

/** The end of an agent led to the present state: what it printed may say why. */
export async function isAfterDeath(seen: Seen): Promise<boolean> {
  const { move, before } = await lastMoveOf(seen);
  return move?.by.includes("engine") === true && deathIn(before) !== undefined;
}

/** An agent or a person that asked for the move may have said why. */
function sayAsker(events: readonly Recorded[]): string {
  const asked = events.findLast(({ event }) => event.type === "move-asked");
  if (asked?.event.type !== "move-asked") return "";
  const note = firstLine(asked.event.note ?? "", WORDS_MAX);
  return note === "" ? "" : `${sayActor(asked.by)} says "${note}"`;
}

type Ended = Extract<Incoming, { type: "agent-ended" }>;

/** The end of an agent, and the state that the run was in. */
type CountedDeath = { readonly ended: Ended; readonly from: string };

/** The agent whose end was counted right before. */
function deathIn(events: readonly Recorded[]): Ended | undefined {
  const from = events.findLastIndex(({ event }) => event.type === "agent-ended");
  const ended = events[from]?.event;
  if (ended?.type !== "agent-ended") return undefined;
  const isCounted = events.slice(from + 1).some(({ event }) => event.type === "counted");
  const isOther = events.slice(from + 1).some(({ event }) => event.type === "submitted");
  return isCounted && !isOther ? ended : undefined;
}

/** The words of the attempt that ended: another attempt may have been started since. */
async function sayDeath({ store, workflow, run }: Seen, { ended, from }: CountedDeath): Promise<string> {
  const { role, cause, code } = ended;
  const row = (await store.agents({ run: run.id })).find((each) => isSameAttempt(each, ended));
  const job = row === undefined ? undefined : await store.job(jobId(row, row.turn));
  const output = job === undefined ? "" : firstLine(lastSaidIn(job.dir), WORDS_MAX);
  const last = output === "" ? "" : `; its last output: ${output}`;
  const how = code === undefined ? cause : `exit code ${code}`;
  const owed = owedBy({ workflow, run }, role, from);
  const without = owed.length === 0 ? "" : ` without submitting ${owed.join(" or ")}`;
  return `the ${role} stopped too often${without} (${how}${last})`;
}

/** Reviews that asked for changes, and counters that are used up. */
async function sayConditions(seen: Seen, { when }: Move): Promise<string> {
  const { workflow, run } = seen;
  const spent = when.flatMap((condition) =>
    condition.type === "counter" && condition.is === "spent" ? [condition.counter] : [],
  );
  const names = new Set(artifactsIn({ need: [], when }));
  const finding = (await reviewsOf(seen)).find(({ artifact }) => names.has(artifact));
  const rounds = spent.map((name) => `${maxOf(workflow, run, name)} of ${maxOf(workflow, run, name)}`);
  if (finding === undefined) return spent.map((name) => `${name} is used up`).join(", ");
  const words = firstLine((finding.text[0] ?? "").replace(/^\s*[-*] /, ""), WORDS_MAX);
  if (finding.verdict !== "needs_fix") return "";
  const said = words === "" ? "" : `: "${words}"`;
  return rounds.length === 0
    ? `the ${finding.by} asked for changes${said}`
    : `${rounds[0] ?? ""} reviews failed${said}`;
}
