/**
 * `signalbox complete`: hands over.
 *
 * Where that leads is in the workflow: the move that is tried for a role when its agent ends, or the verdict that the role owes.
 */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [--note TEXT] [--key KEY]",
  about:
    "Hands over: asks for the one move forward that your role can ask for from here, such as from working to agent-review.\nA reviewer hands in its verdict, and the engine decides where that leads.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: ["signalbox complete"],
  answer: async ({ words: [run], options: { project, note, key } }, door): Promise<Answer> =>
    answerOf(await call(door, "complete", { run, project, note, key })),
};
