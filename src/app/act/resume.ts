/** Tries again whatever holds a run up and is not a decision. */

import { failpoint } from "../../adapters/failpoint.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { sayDeadlock } from "../../engine/supervise/deadlocks.ts";
import { descendantsOf } from "../../engine/tasks/descendants.ts";
import { runOf, seeThrough, type Acting } from "../context.ts";
import { EXIT_OK, EXIT_WAITING } from "../exit-codes.ts";
import type { InputOf } from "../schemas.ts";
import type { Outcome } from "../outcome.ts";
import { rememberNames } from "../runs/environment.ts";
import { isFinished } from "../runs/find.ts";
import { requireKept, seenOf } from "../runs/load.ts";
import { actionsOf, nextForPerson, sayCommand } from "../view/actions.ts";
import { deadlockOf } from "../view/status/trouble.ts";
import { crashedIn, readFiles, respawnRole } from "./respawn.ts";
import { goBack } from "./restart-stage.ts";

/** What was done about it. */
export type Resumed = {
  readonly run: string;
  readonly state: string;
  /** Whether it was halted. */
  readonly unhalted: boolean;
  /** Deeds that are tried again, its turn in the queue, and reading its files. */
  readonly retried: readonly string[];
  /** Roles whose agent is started again. */
  readonly respawned: readonly string[];
  /** What was answered to have it begin again somewhere; empty where that was not asked for. */
  readonly answered: string;
};

export async function resume(on: Acting, { run: word, back }: InputOf<"resume">): Promise<Outcome<Resumed>> {
  const id = await runOf(on, word);
  // While it is halted nobody starts anything where it was.
  const answered = back === undefined ? "" : await goBack(on, id, back);
  return outcomeOf(on, await resumeRun(on, id, answered));
}

/** `answered` is the answer that has begun it again somewhere; then nobody else is started. */
export async function resumeRun(on: Acting, id: string, answered = ""): Promise<Resumed> {
  const { store, clock } = on.box;
  const { row } = await requireKept(on, id);
  const { name } = requirePerson(on.who);
  if (row.halted) {
    failpoint("resume.before-go-on");
    const at = new Date(clock.now()).toISOString();
    const family = [id, ...(await descendantsOf(store, id))];
    await store.commit([
      ...family.map((run) => ({ type: "halt", run, halted: false }) as const),
      { type: "note", note: { run: id, at, kind: "resumed", text: `${name} resumed the run` } },
    ]);
    failpoint("resume.after-go-on");
  }
  await refreshNames(on, row.repo);
  const deeds = (await store.deeds(id)).flatMap(({ status, deed }) =>
    status === "attention" ? [deed.type] : [],
  );
  const isRefused = (await store.line()).some(({ run, refusal }) => run === id && refusal !== undefined);
  const turn = isRefused ? ["its turn in the queue"] : [];
  await store.commit([
    { type: "retry", run: id },
    { type: "readmit", run: id },
  ]);
  // Nothing else reads files again that a person has restored.
  const isMoved = (await deadlockOf(await seenOf(on, id))) !== undefined && (await readFiles(on, id));
  const retried = [...deeds, ...turn, ...(isMoved ? ["reading its files"] : [])];
  // Whoever begins again somewhere has called the agents that it takes.
  const respawned = isFinished(row) || answered !== "" ? [] : await respawnCrashed(on, id);
  // Where it goes on from: whoever is woken now may be quicker than we are.
  const { state } = (await requireKept(on, id)).row;
  await seeThrough(on, id);
  return { run: id, state, unhalted: row.halted, retried, respawned, answered };
}

/** The settings may have been what held it up. What is still wrong with them is told by whoever needs them. */
async function refreshNames({ box, home, door }: Acting, repo: string): Promise<void> {
  const { surveySettings } = await import("../../adapters/config/read.ts");
  const { settings } = await surveySettings({ repo, env: door.env, store: box.store });
  rememberNames(home, settings);
}

async function respawnCrashed(on: Acting, id: string): Promise<readonly string[]> {
  const roles = await crashedIn(on, id);
  for (const role of roles) await respawnRole(on, { run: id, role });
  return roles;
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
      command: sayCommand(action),
      means: action.sentence,
    })),
  };
}
