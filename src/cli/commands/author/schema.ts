/** `signalbox schema`: the JSON Schema that editors use. */

import { jsonSchema } from "../../../format/workflow/schema/schema.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "",
  about: "Prints the JSON Schema of workflow files, for editors.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox schema > workflow-1.schema.json"],
  answer(): Answer {
    const schema = jsonSchema();
    return {
      exit: EXIT_OK,
      code: "ok",
      message: "the schema of workflow files",
      data: () => ({ schema }),
      text: () => `${JSON.stringify(schema, undefined, 2)}\n`,
      next: "",
    };
  },
};
