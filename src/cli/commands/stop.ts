/**
 * `signalbox stop`: halts a run. Nothing is done for it until it is resumed.
 *
 * In a stage, whoever is at work there comes to an end first: what a phase has cost so far would be lost. Everywhere else, and with
 * --now, agents are ended by the supervisor.
 */

import { failpoint } from "../../adapters/failpoint.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { finished } from "../../core/refuse.ts";
import { descendantsOf } from "../../engine/descendants.ts";
import type { Store } from "../../engine/ports/store.ts";
import { talkOf } from "../acted.ts";
import { acting, runOf, seeThrough } from "../../app/context.ts";
import { isFinished } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { refusal } from "../../app/refusal.ts";

/** What `--json` gives. */
export type StopData = {
  readonly run: string;
  readonly state: string;
  readonly halted: boolean;
  /** Whether this call changed that. */
  readonly changed: boolean;
  /** Whose end is waited for; nobody's where everything is ended. */
  readonly waitsFor: readonly string[];
};

export const command: Command = {
  usage: "[RUN] [--now]",
  about:
    "Halts a run, with the runs that were made of its tasks: nothing is done until `signalbox resume`. Only people can do this.\nIn a stage of a workflow, whoever is at work comes to an end first, and nothing more is begun; everywhere else agents are ended.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: { now: { about: "end agents that are at work in a stage, too" } },
  examples: ["signalbox stop k3d9", "signalbox stop k3d9 --now"],
  answer: ({ words: [word], options }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const { name } = requirePerson(on.who);
      const id = runOf(on, word);
      const { row, run } = requireKept(on, id);
      if (isFinished(row)) throw refusal(finished(run));
      const { store, clock } = on.box;
      const { states } = on.box.workflow(row.definition).definition;
      const isHeld = options["now"] === undefined && states[run.state]?.stage !== undefined;
      const isEnded = row.halted && !store.isHeld(id);
      const changed = !row.halted || (!isHeld && !isEnded);
      const mark = isHeld && !isEnded ? "held" : true;
      failpoint("stop.before-halt");
      for (const each of [id, ...descendantsOf(store, id)]) store.halt(each, mark);
      failpoint("stop.after-halt");
      const at = new Date(clock.now()).toISOString();
      const text = `${name} halted the run${mark === "held" ? ", after what is at work" : ""}`;
      if (changed) store.note({ run: id, at, kind: "halted", text });
      await seeThrough(on, id);
      const waitsFor = store.isHeld(id) ? atWork(store, id) : [];
      return answerOf({ run: id, state: row.state, halted: true, changed, waitsFor });
    }),
};

/** Roles, and checks by their artifact, of the run and of those made of it. */
function atWork(store: Store, id: string): string[] {
  const jobs = [id, ...descendantsOf(store, id)].flatMap((run) => store.jobs({ run, status: "live" }));
  return [...new Set(jobs.map(({ role, artifact }) => (role === "" ? artifact : role)))];
}

function answerOf(data: StopData): Answer {
  const { run, state, changed, waitsFor } = data;
  const when = waitsFor.length === 0 ? "" : `, when this is done: ${waitsFor.join(", ")}`;
  const message = changed ? `${run} is halted in ${state}${when}` : `${run} is halted already${when}`;
  const next = `signalbox resume ${run}`;
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
