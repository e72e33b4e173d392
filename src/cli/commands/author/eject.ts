/** `signalbox eject`: makes a built-in workflow the repository's own. */

import { relative } from "node:path";
import { ejectWorkflow } from "../../../adapters/library/eject.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "WORKFLOW",
  about:
    "Copies a built-in workflow with its prompts into .signalbox/workflows of this repository, where it comes before the built-in one.\nNothing that exists is overwritten.",
  words: { min: 1, max: 1 },
  options: {},
  examples: ["signalbox eject task"],
  answer({ words: [wanted = ""] }, door): Answer {
    const ejected = ejectWorkflow(wanted, door);
    const folder = relative(door.cwd, ejected.folder);
    const schema = relative(door.cwd, ejected.schema);
    const next = `signalbox check ${ejected.name}`;
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${ejected.name} is now in ${folder} and comes before the built-in one`,
      data: () => ({ name: ejected.name, folder, schema }),
      text: () => `${folder}\n`,
      next,
      talk: `${ejected.name} is yours now: change it there, and it comes before the built-in one.\n  next: ${next}\n`,
    };
  },
};
