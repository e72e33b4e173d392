/** `signalbox archive`: one of the doors of a change. */

import { go } from "../../change/go.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "CHANGE [--detach]",
  about:
    "Merges the specs of a change that is complete into the main specs, all of them or none, and moves it to the archive.",
  words: { min: 1, max: 1 },
  options: {
    detach: { about: "print its id and do not follow", short: "d" },
  },
  examples: ["signalbox archive add-login"],
  answer: (given, door): Promise<Answer> => go("archive", given, door),
};
