/** `signalbox reopen`: one of the doors of a change. */

import { go } from "../../change/go.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "CHANGE [--detach]",
  about: "Takes a change up again that was rejected, once its documents were edited, or that is halted.",
  words: { min: 1, max: 1 },
  options: {
    detach: { about: "print its id and do not follow", short: "d" },
  },
  examples: ["signalbox reopen add-login"],
  answer: (given, door): Promise<Answer> => go("reopen", given, door),
};
