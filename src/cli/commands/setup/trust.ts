/** `signalbox trust`: a person looks at what a repository would run, and allows exactly that. */

import { call } from "../../../app/client.ts";
import { badUsage } from "../../../app/failure.ts";
import { answerOf, sayNext } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { showPlan } from "../../plan.ts";

export const command: Command = {
  usage: "[--show | --revoke]",
  about:
    "Shows what the .signalbox folder of this repository would run, and allows exactly that content. A later change must be trusted again.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: {
    show: { about: "only show it; exit 7 while it is not trusted" },
    revoke: { about: "take trust back" },
  },
  examples: ["signalbox trust --show", "signalbox trust"],
  async answer({ options }, door): Promise<Answer> {
    const [isShow, revoke] = [options["show"] !== undefined, options["revoke"] !== undefined];
    if (isShow && revoke) throw badUsage("--show and --revoke do not go together", "signalbox trust --help");
    const outcome = isShow ? await call(door, "trust-plan", {}) : await call(door, "trust", { revoke });
    const { message, next, data } = outcome;
    return {
      ...answerOf(outcome, () => showPlan(data.runs, data, door.paint)),
      talk: `${message}\n${sayNext(next)}`,
    };
  },
};
