/** `signalbox why`: for every move out of the present state, whether it is open, and what opens it. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { sayWhy } from "../../render/why.ts";

export const command: Command = {
  usage: "[RUN]",
  about:
    "Says for every move out of the present state whether it is open, every reason why not, and the smallest thing that opens it.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox why", "signalbox why abcd --json"],
  async answer({ words: [run] }, door): Promise<Answer> {
    const outcome = await call(door, "why", { run });
    return answerOf(outcome, () => sayWhy(outcome.data, door));
  },
};
