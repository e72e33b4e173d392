/** `signalbox graph`: draws a workflow. */

import { graphOf } from "../../../format/picture/graph.ts";
import { mermaid } from "../../../format/picture/mermaid.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";
import { requireWorkflow } from "../../../app/workflows/load.ts";

export const command: Command = {
  usage: "WORKFLOW [--expanded]",
  about:
    "Draws a workflow as a Mermaid state diagram: states by stage, with those marked that wait for a person or are final.\nWith --json it gives the states and moves as data.",
  words: { min: 1, max: 1 },
  options: { expanded: { about: "show what stages expand to" } },
  examples: ["signalbox graph task > task.mmd", "signalbox graph staged --expanded"],
  async answer({ words: [wanted = ""], options }, door): Promise<Answer> {
    const { workflow, helpers, name } = await requireWorkflow(wanted, door);
    const how = { expanded: options["expanded"] !== undefined };
    const { states, moves } = graphOf(workflow, helpers, how);
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${name}: ${states.length} states`,
      data: () => ({ name, hash: workflow.hash(), states, moves }),
      text: () => mermaid(workflow, helpers, how),
      next: `signalbox check ${wanted}`,
    };
  },
};
