/** `signalbox supervise`: the process that acts. Commands start it when there is something to do; it exits when there is not. */

import { success } from "../../../app/outcome.ts";
import { superviseUntilIdle } from "../../../app/supervise.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "",
  about: "Carries out what runs need, and leaves when nothing is due. Other commands start it by themselves.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox supervise"],
  async answer(_given, door): Promise<Answer> {
    return answerOf(success(await superviseUntilIdle(door), {}), () => "");
  },
};
