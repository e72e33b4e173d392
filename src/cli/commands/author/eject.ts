/** `signalbox eject`: makes a built-in workflow the repository's own. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "WORKFLOW",
  about:
    "Copies a built-in workflow with its prompts into .signalbox/workflows of this repository, where it comes before the built-in one.\nNothing that exists is overwritten.",
  words: { min: 1, max: 1 },
  options: {},
  examples: ["signalbox eject task"],
  async answer({ words: [workflow = ""] }, door): Promise<Answer> {
    const outcome = await call(door, "eject", { workflow });
    return answerOf(outcome, () => `${outcome.data.folder}\n`);
  },
};
