/** `signalbox resume`: whatever holds a run up and is not a decision, is tried again. */

import { failpoint } from "../../adapters/failpoint.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { sayDeadlock } from "../../engine/deadlocks.ts";
import { descendantsOf } from "../../engine/descendants.ts";
import { talkOf } from "../acted.ts";
import { acting, runOf, seeThrough, type Acting } from "../../app/context.ts";
import { backIn, goBack } from "../../app/act/restart-stage.ts";
import { isFinished, type Seen } from "../../app/runs/find.ts";
import { EXIT_OK, EXIT_WAITING } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { rememberNames } from "../../app/runs/environment.ts";
import { requireKept, seenOf } from "../../app/runs/load.ts";
import { sayTyped } from "../../app/view/choices.ts";
import { choicesOfPerson, nextForPerson } from "../../app/view/moves.ts";
import { deadlockOf } from "../../app/view/trouble.ts";
import { columns } from "../render/table.ts";
import { crashedIn, readFiles, respawnRole } from "../../app/act/respawn.ts";

/** What `--json` gives. */
export type ResumeData = {
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

export const command: Command = {
  usage: "[RUN] [--from-phase PHASE | --retry-failed | --restart-stage | --restart-previous]",
  about:
    "Goes on with a run that was stopped, tries again what went wrong, and starts agents again that have crashed. Only people can do this.\nWith an option it begins again somewhere, where the workflow asks for that: by the answer to its question, or by a move to where it is asked.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {
    "from-phase": { takes: "PHASE", about: "begin again with this phase" },
    "retry-failed": { about: "begin the phase again that it is in" },
    "restart-stage": { about: "begin the stage again that it is in" },
    "restart-previous": { about: "begin again with the stage before" },
  },
  examples: [
    "signalbox resume k3d9",
    "signalbox resume k3d9 --from-phase 2.1",
    "signalbox resume k3d9 --restart-stage",
  ],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const back = backIn(given);
      const id = runOf(on, given.words[0]);
      // While it is halted nobody starts anything where it was.
      const answered = back === undefined ? "" : await goBack(on, id, back);
      return answerOf(on, await resume(on, id, answered));
    }),
};

async function resume(on: Acting, id: string, answered: string): Promise<ResumeData> {
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

function answerOf(on: Acting, data: ResumeData): Answer {
  const { run: id, state, unhalted, retried, respawned, answered } = data;
  const did = [
    ...(answered === "" ? [] : [`the answer is ${answered}`]),
    ...(unhalted ? ["it goes on"] : []),
    ...(retried.length === 0 ? [] : [`tried again: ${retried.join(", ")}`]),
    ...(respawned.length === 0 ? [] : [`started again: ${respawned.join(", ")}`]),
  ];
  const seen = seenOf(on, id);
  const deadlock = deadlockOf(seen);
  if (deadlock !== undefined) return notResumed(seen, data, sayDeadlock(deadlock));
  const message = `${id} in ${state}: ${did.length === 0 ? "nothing held it up" : did.join("; ")}`;
  const next = nextForPerson(seen);
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf([], next),
  };
}

/** Resuming changes nothing where only a person can move the run. */
function notResumed(seen: Seen, data: ResumeData, reason: string): Answer {
  const message = `${data.run} needs a person: ${reason}`;
  const choices = choicesOfPerson(seen);
  const typed = columns(choices.map((choice) => [`  ${sayTyped(choice)}`, choice.means]));
  return {
    exit: EXIT_WAITING,
    code: "needs-attention",
    message,
    data: () => data,
    text: () => `${message}\n${typed}`,
    next: nextForPerson(seen),
  };
}
