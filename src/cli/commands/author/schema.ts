/** `signalbox schema`: the JSON Schema that editors use. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "",
  about: "Prints the JSON Schema of workflow files, for editors.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox schema > workflow-1.schema.json"],
  async answer(_given, door): Promise<Answer> {
    const outcome = await call(door, "schema", {});
    return answerOf(outcome, () => `${JSON.stringify(outcome.data.schema, undefined, 2)}\n`);
  },
};
