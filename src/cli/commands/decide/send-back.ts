/** `signalbox send-back`: a person wants something changed. */

import type { Answer, Command } from "../../command.ts";
import { VERB_OPTIONS, verbAnswer } from "../../verb.ts";

export const command: Command = {
  usage: "[RUN] [TEXT | -] [--to WHERE] [--key KEY]",
  about:
    "Sends the work of a run back to its agent, with what to change. TEXT, or the standard input with -, goes to where the workflow keeps it.\nWithout TEXT your editor is opened at a terminal (VISUAL or EDITOR). Only people can do this.",
  offers: "send-back",
  words: { min: 0, max: 2 },
  options: VERB_OPTIONS,
  examples: [
    'signalbox send-back k3d9 "Also handle leap years"',
    'signalbox send-back w9v2 "Name the modules" --to architecture',
  ],
  answer: (given, door): Promise<Answer> => verbAnswer("send-back", given, door),
};
