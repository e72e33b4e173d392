/** `signalbox retry`: a person has something tried again. */

import type { Answer, Command } from "../../command.ts";
import { VERB_OPTIONS, verbAnswer } from "../../verb.ts";

export const command: Command = {
  usage: "[RUN] [TEXT | -] [--to WHERE] [--key KEY]",
  about:
    "Has a run try again. What holds it up comes first: a text that was put back is read, agents that crashed are started, what went wrong is tried again, a stopped run goes on. Where nothing of that is to be done, it is what the workflow calls a retry in this state.\nOnly people can do this.",
  offers: "retry",
  words: { min: 0, max: 2 },
  options: VERB_OPTIONS,
  examples: ["signalbox retry k3d9", 'signalbox retry k3d9 "the API is up again"'],
  answer: (given, door): Promise<Answer> => verbAnswer("retry", given, door),
};
