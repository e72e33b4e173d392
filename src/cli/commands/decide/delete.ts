/** `signalbox delete`: a finished run is put away. */

import { putAway } from "../../../app/act/put-away.ts";
import { acting } from "../../../app/context.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "RUN",
  about:
    "Puts a run away that is done or cancelled: lists leave it out, `show` and `history` still have it. Nothing of it is removed.\nOnly people can do this.",
  words: { min: 1, max: 1 },
  options: OF_PROJECT,
  examples: ["signalbox delete k3d9"],
  answer: ({ words: [word], options }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const data = await putAway(on, word, options["project"]);
      const next = "signalbox list";
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${data.run} is put away`,
        data: () => data,
        text: () => `${data.run} is put away; signalbox show ${data.run} still has it\n`,
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};
