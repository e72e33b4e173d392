/** Whatever holds a run up and is not a decision is tried again. */

import { failpoint } from "../../adapters/failpoint.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { descendantsOf } from "../../engine/descendants.ts";
import { seeThrough, type Acting } from "../context.ts";
import { rememberNames } from "../runs/environment.ts";
import { isFinished } from "../runs/find.ts";
import { requireKept, seenOf } from "../runs/load.ts";
import { deadlockOf } from "../view/trouble.ts";
import { crashedIn, readFiles, respawnRole } from "./respawn.ts";

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

/** `answered` is the answer that has begun it again somewhere; then nobody else is started. */
export async function resumeRun(on: Acting, id: string, answered = ""): Promise<Resumed> {
  const { store, clock } = on.box;
  const { row } = requireKept(on, id);
  const { name } = requirePerson(on.who);
  if (row.halted) {
    failpoint("resume.before-go-on");
    for (const each of [id, ...descendantsOf(store, id)]) store.halt(each, false);
    failpoint("resume.after-go-on");
    const at = new Date(clock.now()).toISOString();
    store.note({ run: id, at, kind: "resumed", text: `${name} resumed the run` });
  }
  await refreshNames(on, row.repo);
  const deeds = store.retry(id).map((key) => describe(on, id, key));
  const turn = store.readmit(id) ? ["its turn in the queue"] : [];
  // Nothing else reads files again that a person has restored.
  const isMoved = deadlockOf(seenOf(on, id)) !== undefined && (await readFiles(on, id));
  const retried = [...deeds, ...turn, ...(isMoved ? ["reading its files"] : [])];
  // Whoever begins again somewhere has called the agents that it takes.
  const respawned = isFinished(row) || answered !== "" ? [] : await respawnCrashed(on, id);
  // Where it goes on from: whoever is woken now may be quicker than we are.
  const { state } = requireKept(on, id).row;
  await seeThrough(on, id);
  return { run: id, state, unhalted: row.halted, retried, respawned, answered };
}

/** The settings may have been what held it up. What is still wrong with them is told by whoever needs them. */
async function refreshNames({ box, home, door }: Acting, repo: string): Promise<void> {
  const { surveySettings } = await import("../../adapters/config/read.ts");
  const { settings } = await surveySettings({ repo, env: door.env, store: box.store });
  rememberNames(home, settings);
}

function describe({ box }: Acting, run: string, key: string): string {
  return box.store.deeds(run).find((row) => row.key === key)?.deed.type ?? key;
}

async function respawnCrashed(on: Acting, id: string): Promise<readonly string[]> {
  const roles = await crashedIn(on, id);
  for (const role of roles) await respawnRole(on, { run: id, role });
  return roles;
}
