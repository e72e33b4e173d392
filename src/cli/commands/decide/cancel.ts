/** `signalbox cancel`: the move that ends a run early, whatever the workflow calls the state it leads to. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "[RUN] [--note TEXT] [--key KEY]",
  about:
    "Ends a run early: its agents are stopped, its branch stays, and what was not committed is kept. Only people can do this.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice cancels once, and gives the same answer" },
  },
  examples: ["signalbox cancel k3d9"],
  answer: async ({ words: [run], options: { note, key } }, door): Promise<Answer> =>
    answerOf(await call(door, "cancel", { run, note, key })),
};
