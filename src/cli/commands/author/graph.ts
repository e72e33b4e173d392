/** `signalbox graph`: draws a workflow. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "WORKFLOW [--expanded]",
  about:
    "Draws a workflow as a Mermaid state diagram: states by stage, with those marked that wait for a person or are final.\nWith --json it gives the states and moves as data.",
  words: { min: 1, max: 1 },
  options: { expanded: { about: "show what stages expand to" } },
  examples: ["signalbox graph task > task.mmd", "signalbox graph staged --expanded"],
  async answer({ words: [workflow = ""], options }, door): Promise<Answer> {
    const outcome = await call(door, "graph", { workflow, expanded: options["expanded"] !== undefined });
    // The picture goes into a file: nothing else is printed.
    const { talk: _talk, ...answer } = answerOf(outcome, () => outcome.data.mermaid);
    return answer;
  },
};
