/** `signalbox stop`: halts a run where it is. Its agents are ended by the supervisor, and nothing is done until it is resumed. */

import { failpoint } from "../../adapters/failpoint.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { finished } from "../../core/refuse.ts";
import { descendantsOf } from "../../engine/descendants.ts";
import { talkOf } from "../acted.ts";
import { acting, runOf, seeThrough } from "../acting.ts";
import { isFinished } from "../box.ts";
import { EXIT_OK, type Answer, type Command } from "../command.ts";
import { requireKept } from "../kept.ts";
import { refusal } from "../refused.ts";

/** What `--json` gives. */
export type StopData = {
  readonly run: string;
  readonly state: string;
  readonly halted: boolean;
  /** Whether this call changed that. */
  readonly changed: boolean;
};

export const command: Command = {
  usage: "[RUN]",
  about:
    "Halts a run where it is, with the runs that were made of its tasks: agents are ended, and nothing is done until `signalbox resume`. Only people can do this.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox stop k3d9"],
  answer: ({ words: [word] }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const { name } = requirePerson(on.who);
      const id = runOf(on, word);
      const { row, run } = requireKept(on, id);
      if (isFinished(row)) throw refusal(finished(run));
      const { store, clock } = on.box;
      failpoint("stop.before-halt");
      for (const each of [id, ...descendantsOf(store, id)]) store.halt(each, true);
      failpoint("stop.after-halt");
      const at = new Date(clock.now()).toISOString();
      if (!row.halted) store.note({ run: id, at, kind: "halted", text: `${name} halted the run` });
      await seeThrough(on, id);
      const data: StopData = { run: id, state: row.state, halted: true, changed: !row.halted };
      const message = row.halted ? `${id} is halted already` : `${id} is halted in ${row.state}`;
      const next = `signalbox resume ${id}`;
      return {
        exit: EXIT_OK,
        code: "ok",
        message,
        data: () => data,
        text: () => `${message}\n`,
        next,
        talk: talkOf([], next),
      };
    }),
};
