/** `signalbox task request-changes`: a person sends a task back to its worker. The same as `signalbox send-back`, for tasks. */

import type { Answer, Command } from "../command.ts";
import { verbAnswer } from "../verb.ts";
import { OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage: "[TASK] [TEXT | -] [--key KEY]",
  about:
    "Sends a task that is in reviewing or stuck back to its worker. TEXT, or what stands on the standard input with -, is put into the section\nFix Instructions of TASK.md, and the worker is told. Without TEXT your editor is opened at a terminal. It opens a new cycle of reviews. Only people can do this.",
  words: { min: 0, max: 2 },
  options: {
    ...OF_PROJECT,
    key: { takes: "KEY", about: "the same key twice asks once, and gives the same answer" },
  },
  examples: [
    'signalbox task request-changes k3d9 "Also handle leap years"',
    "signalbox task request-changes k3d9 - < notes.md",
  ],
  answer: (given, door): Promise<Answer> => verbAnswer("send-back", given, { ...door, isForTasks: true }),
};
