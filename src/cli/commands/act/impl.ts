/** `signalbox impl`: one of the doors of a change. */

import { go } from "../../change/go.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "CHANGE [--detach]",
  about:
    "Implements a change that was planned: its tasks one after the other, the tests, a review by another agent, fixes, until it is approved.\nCalled again, it goes on where it was left.",
  words: { min: 1, max: 1 },
  options: {
    detach: { about: "print its id and do not follow", short: "d" },
  },
  examples: ["signalbox impl add-login"],
  answer: (given, door): Promise<Answer> => go("impl", given, door),
};
