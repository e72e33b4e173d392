/** Tries again everything that holds a run up and is not a decision. */

import { failpoint } from "../../../adapters/failpoint.ts";
import { requirePerson } from "../../../adapters/person/who.ts";
import { sayDeadlock } from "../../../engine/supervise/deadlocks.ts";
import type { Park } from "../../../engine/ports/parks.ts";
import { harnessIn } from "../../../engine/queue/parks.ts";
import { descendantsOf } from "../../../engine/tasks/descendants.ts";
import { nameInNote, runOf, seeThrough, type Acting, type Done } from "../../context.ts";
import { EXIT_OK, EXIT_WAITING, EXIT_NOT_YOURS } from "../../exit-codes.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { rememberNames } from "../../runs/environment.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import { requireKept, seenOf } from "../../runs/load.ts";
import { actionsOf, nextForPerson } from "../../view/actions.ts";
import { sayTyped } from "../../view/decision/choices.ts";
import { deadlockOf, isUntrusted } from "../../view/status/trouble.ts";
import { crashedIn, readFiles, respawnRole } from "./respawn.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { positionOf, waysBack, type WayBack } from "../../../core/explain/ways-back.ts";
import { scheduleOf } from "../../../core/model/compile.ts";
import { finished } from "../../../core/step/refuse.ts";
import { answerWith } from "../question/answer-with.ts";
import { moveTo } from "../move.ts";
import { refusal } from "../../refusal.ts";

export type Resumed = DataOf<"resume">;

export async function resume(on: Acting, { run: word, back }: InputOf<"resume">): Promise<Outcome<Resumed>> {
  const id = await runOf(on, word);
  // While it is halted nothing is started where it was.
  const answered = back === undefined ? "" : await goBack(on, id, back);
  return outcomeOf(on, await resumeRun(on, id, { answered }));
}

/** `answered` is the answer that has restarted it in a phase; then no other agent is started. A key makes it one act, see `resumedBefore`. */
export async function resumeRun(
  on: Acting,
  id: string,
  { answered = "", key }: { readonly answered?: string; readonly key?: string | undefined } = {},
): Promise<Resumed> {
  const { store, clock } = on.box;
  const { row } = await requireKept(on, id);
  const name = await nameInNote(on, id);
  if (!row.halted && isUntrusted(row.attention)) await requireTrusted(on, row.repo);
  const note = {
    type: "note",
    note: {
      run: id,
      at: new Date(clock.now()).toISOString(),
      kind: RESUMED,
      text: `${name} resumed the run${key === undefined ? "" : sayKey(key)}`,
    },
  } as const;
  if (row.halted) {
    failpoint("resume.before-go-on");
    const family = [id, ...(await descendantsOf(store, id))];
    await store.commit([...family.map((run) => ({ type: "halt", run, halted: false }) as const), note]);
    failpoint("resume.after-go-on");
  }
  await refreshNames(on, row.repo);
  const deeds = (await store.deeds(id)).flatMap(({ status, deed }) =>
    status === "attention" ? [deed.type] : [],
  );
  const isRefused = (await store.line()).some((place) => place.run === id && place.refusal !== undefined);
  const parks = await parksOf(on, id);
  const turn = [...(isRefused ? ["its turn in the queue"] : []), ...parks.map(sayLifted)];
  // Such as work that could not be read: the supervisor tries it again without a deed.
  const shown = row.attention !== "" && deeds.length + turn.length === 0 ? ["what needed attention"] : [];
  await store.commit([
    { type: "retry", run: id },
    { type: "readmit", run: id },
    ...parks.map((park) => ({ type: "lift", key: park.key, at: park.at }) as const),
    ...(key !== undefined && !row.halted && deeds.length + turn.length > 0 ? [note] : []),
  ]);
  // Nothing else reads files again that a person has restored.
  const isMoved = (await deadlockOf(await seenOf(on, id))) !== undefined && (await readFiles(on, id));
  if (isMoved && key !== undefined && !row.halted && deeds.length + turn.length === 0)
    await store.commit([note]);
  const retried = [...deeds, ...turn, ...shown, ...(isMoved ? ["reading its files"] : [])];
  // A restart in a phase has called the agents that it needs.
  const respawned = isFinished(row) || answered !== "" ? [] : await respawnCrashed(on, id, key);
  // Read before the supervisor wakes, which may move the run at once.
  const { state } = (await requireKept(on, id)).row;
  await seeThrough(on, id);
  return { run: id, state, unhalted: row.halted, retried, respawned, answered };
}

/** What holds up the run or a task of it. A park that is lifted is lifted for all runs that it holds. */
async function parksOf({ box: { store } }: Acting, id: string): Promise<readonly Park[]> {
  const held = await store.heldTurns();
  if (held.length === 0) return [];
  const family = new Set([id, ...(await descendantsOf(store, id))]);
  const keys = new Set(held.flatMap(({ run, key }) => (family.has(run) ? [key] : [])));
  return (await store.parks()).filter(({ key }) => keys.has(key));
}

function sayLifted(park: Park): string {
  return harnessIn(park) === "" ? `what was parked (${park.class})` : `${harnessIn(park)}, for all its runs`;
}

/** It would fail again at once, and for the same reason. */
async function requireTrusted({ box: { store }, door: { env } }: Acting, repo: string): Promise<void> {
  const { requireTrust } = await import("../../../adapters/trust/trust.ts");
  await requireTrust({ store, env }, repo);
}

/** The settings may have been what held it up. The commands that need them report what is still wrong. */
async function refreshNames({ box, home, door }: Acting, repo: string): Promise<void> {
  const { surveySettings } = await import("../../../adapters/config/read.ts");
  const { settings } = await surveySettings({ repo, env: door.env, store: box.store });
  rememberNames(home, settings);
}

async function respawnCrashed(on: Acting, id: string, key: string | undefined): Promise<readonly string[]> {
  const roles = await crashedIn(on, id);
  for (const [index, role] of roles.entries())
    await respawnRole(on, { run: id, role, key: index === 0 ? key : undefined });
  return roles;
}

const RESUMED = "resumed";

/** What this key did, where it only resumed the run: only events keep their key. */
export async function resumedBefore(
  { box }: Acting,
  { run: { id, state, seq } }: Pick<Seen, "run">,
  key: string | undefined,
): Promise<Done | undefined> {
  if (key === undefined) return undefined;
  const notes = await box.store.notes(id);
  const isKnown = notes.some(({ kind, text }) => kind === RESUMED && text.endsWith(sayKey(key)));
  return isKnown ? { run: id, from: state, to: state, seq, told: [], accepted: undefined } : undefined;
}

function sayKey(key: string): string {
  return ` (key ${JSON.stringify(key)})`;
}

async function outcomeOf(on: Acting, data: Resumed): Promise<Outcome<Resumed>> {
  const { run: id, state, unhalted, retried, respawned, answered } = data;
  const did = [
    ...(answered === "" ? [] : [`the answer is ${answered}`]),
    ...(unhalted ? ["it goes on"] : []),
    ...(retried.length === 0 ? [] : [`tried again: ${retried.join(", ")}`]),
    ...(respawned.length === 0 ? [] : [`started again: ${respawned.join(", ")}`]),
  ];
  const seen = await seenOf(on, id);
  const next = await nextForPerson(seen);
  const deadlock = await deadlockOf(seen);
  if (deadlock === undefined) {
    const nothing = "it was not stopped, and nothing failed";
    const message = `${id} in ${state}: ${did.length === 0 ? nothing : did.join("; ")}`;
    return { exit: EXIT_OK, code: "ok", message, data, next, notes: [] };
  }
  // Resuming changes nothing where only a person can move the run.
  return {
    exit: EXIT_WAITING,
    code: "needs-attention",
    message: `${id} needs a person: ${sayDeadlock(deadlock)}`,
    data,
    next,
    notes: [],
    choices: (await actionsOf(seen)).actions.map((action) => ({
      command: sayTyped(action),
      means: action.sentence,
    })),
  };
}

/** What can be asked for, each with the answer of its own that some questions have. */
const BACK = {
  "from-phase": "",
  "retry-failed": "retry",
  "restart-stage": "restart",
  "restart-previous": "restart-previous",
} as const;

type Back = { readonly how: keyof typeof BACK; readonly phase: string };

/**
 * Restarts the run in a phase: by the answer to its question, or by a move to where that is asked, and the answer there. Returns the answer.
 * Both are ordinary acts. If the process dies in between, the run waits with its question, and the same command completes the restart.
 */
async function goBack(on: Acting, id: string, back: Back): Promise<string> {
  const seen = await seenOf(on, id);
  const { run, workflow, row } = seen;
  if (isFinished(row)) throw refusal(finished(run));
  const own = BACK[back.how];
  const asked = workflow.definition.asks[run.question?.ask ?? ""]?.options ?? {};
  if (own !== "" && Object.hasOwn(asked, own)) return giveAnswer(on, seen, own);
  const phase = back.how === "from-phase" ? back.phase : phaseFor(seen, back);
  // Other answers of the same question are decisions, and not ways back.
  const phases = phasesIn(seen);
  if (phases.has(phase) && Object.hasOwn(asked, phase)) return giveAnswer(on, seen, phase);
  const ways = waysBack(workflow, run, {
    by: requirePerson(on.who).actor,
    at: new Date(on.box.clock.now()).toISOString(),
  });
  const options = ways.filter(({ option }) => phases.has(option));
  const through = options.find(({ option }) => option === phase)?.through;
  if (through === undefined) throw noWay(seen, phase, options);
  await moveTo(on, { run: id, to: through, from: run.state, note: `to begin again in ${phase}` });
  failpoint("resume.between-move-and-answer");
  return giveAnswer(on, await seenOf(on, id), phase);
}

function phaseFor(seen: Seen, { how }: Back): string {
  const position = positionOf(seen.workflow, seen.run);
  if (position === undefined) throw nowhere(seen, `is in no stage, so --${how} means nothing for it`);
  if (how !== "restart-previous") return how === "retry-failed" ? position.phase : position.first;
  if (position.previous !== "") return position.previous;
  throw nowhere(seen, `is in ${position.stage}, and no stage comes before that`);
}

function phasesIn({ workflow: { definition } }: Seen): ReadonlySet<string> {
  return new Set(scheduleOf(definition).map(({ phase }) => phase.id));
}

async function giveAnswer(on: Acting, seen: Seen, value: string): Promise<string> {
  await answerWith(on, { seen, value });
  return value;
}

function noWay({ run }: Seen, phase: string, ways: readonly WayBack[]): UserError {
  const options = ways.map(({ option }) => option);
  const list = options.length === 0 ? "no way leads back from there" : `there are ${options.join(", ")}`;
  return new UserError("not-in-map", `run ${run.id} in ${run.state} cannot go to "${phase}"; ${list}`, {
    next: options.length === 0 ? `signalbox why ${run.id}` : `signalbox resume ${run.id} --from-phase PHASE`,
    exit: EXIT_NOT_YOURS,
  });
}

function nowhere({ run }: Seen, what: string): UserError {
  return new UserError("not-in-map", `run ${run.id} ${what}`, {
    next: `signalbox why ${run.id}`,
    exit: EXIT_NOT_YOURS,
  });
}
