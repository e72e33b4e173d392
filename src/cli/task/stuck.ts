/** `signalbox task stuck`: whoever works on a task cannot go on without a person. */

import { call } from "../../app/client.ts";
import { answerOf } from "../acted.ts";
import type { Answer, Command } from "../command.ts";
import { OF_PROJECT } from "./options.ts";

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
  answer: async ({ words: [run], options: { project, note, key } }, door): Promise<Answer> =>
    answerOf(await call(door, "update", { run, project, status: "stuck", note, key })),
};
