/** `signalbox follow`: watches a run again until it ends or waits for you. */

import { call } from "../../../app/client.ts";
import type { Answer, Command } from "../../command.ts";
import { followedAnswer } from "../../render/follow.ts";

export const command: Command = {
  usage: "[RUN]",
  about:
    "Prints the last lines of a run's history and then each new one, until the run ends or waits for you. Ctrl-C ends the display; the run goes on.\nThe exit code is 0 when the run is done, 3 when it waits for you.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox follow abcd", "signalbox follow fix-dates"],
  answer: async (given, door): Promise<Answer> =>
    followedAnswer(await call(door, "follow", { run: given.words[0] }), { given, door, text: "" }),
};
