/** `signalbox delete`: a finished run is put away. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "RUN",
  about:
    "Puts a run away that is done or cancelled: lists leave it out, `show` and `history` still have it. Nothing of it is removed.\nOnly people can do this.",
  offers: "over",
  words: { min: 1, max: 1 },
  options: OF_PROJECT,
  examples: ["signalbox delete k3d9"],
  answer: async ({ words: [run], options: { project } }, door): Promise<Answer> =>
    answerOf(await call(door, "delete", { run, project })),
};
