/** `signalbox next`: what you can do now, and the one command to type. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { sayNextSteps } from "../../render/next.ts";

export const command: Command = {
  usage: "[RUN] [--all]",
  about:
    "Says what you can do with a run now, and the one command to type. `--all` also lists other moves, those that are closed, and what is still to be written. An agent sees what its own role may do.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: { all: { about: "every move, open or not" } },
  examples: ["signalbox next", "signalbox next abcd --all"],
  async answer({ words: [run], options }, door): Promise<Answer> {
    const outcome = await call(door, "next", { run });
    const { data, next } = outcome;
    const all = options["all"] !== undefined;
    return { ...answerOf(outcome, () => sayNextSteps(data, { ...door, all, next })), talk: "" };
  },
};
