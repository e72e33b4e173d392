/** `signalbox task stuck`: whoever works on a task cannot go on without a person. */

import { acted } from "../acted.ts";
import { acting } from "../../app/context.ts";
import type { Answer, Command } from "../command.ts";
import { moveTo } from "../../app/act/move.ts";
import { OF_PROJECT, taskOf } from "./which.ts";

export const command: Command = {
  usage: "[TASK] [--note TEXT] [--key KEY]",
  about: "Asks for the move to stuck: exactly `signalbox task update --status stuck`.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: ['signalbox task stuck --note "the API needs a key that nobody has"'],
  answer: ({ words: [word], options: { project, note, key } }, door): Promise<Answer> =>
    acting(door, async (on) =>
      acted(await moveTo(on, { run: taskOf(on, word, project), to: "stuck", note, key })),
    ),
};
