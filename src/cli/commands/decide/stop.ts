/** `signalbox stop`: halts a run. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "[RUN] [--now]",
  about:
    "Halts a run, with the runs that were made of its tasks: nothing is done until `signalbox resume`. Only people can do this.\nIn a stage of a workflow, whoever is at work comes to an end first, and nothing more is begun; everywhere else agents are ended.\nIn a workspace, RUN may be left out.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: { now: { about: "end agents that are at work in a stage, too" } },
  examples: ["signalbox stop k3d9", "signalbox stop k3d9 --now"],
  answer: async ({ words: [run], options }, door): Promise<Answer> =>
    answerOf(await call(door, "stop", { run, now: options["now"] !== undefined })),
};
