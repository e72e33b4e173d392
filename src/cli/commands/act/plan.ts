/** `signalbox plan`: one of the doors of a change. */

import { go } from "../../change/go.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "CHANGE [DESCRIPTION] [--param NAME=VALUE]... [--detach]",
  about:
    "Plans a change: a proposal, its specs in their order, its tasks, challenged by another agent until they are good. A new change needs its description.\nCalled again, it goes on where it was left; beyond planning, it says what to type.",
  words: { min: 1, max: 2 },
  options: {
    param: {
      takes: "NAME=VALUE",
      about: "a parameter of the workflow, for a new change; may be given several times",
      many: true,
    },
    detach: { about: "print its id and do not follow", short: "d" },
  },
  examples: ['signalbox plan add-login "Users can log in"', "signalbox plan add-login"],
  answer: (given, door): Promise<Answer> => go("plan", given, door),
};
