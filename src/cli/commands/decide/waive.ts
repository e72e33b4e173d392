/** `signalbox waive`: a person lets a gate pass, for the content as it is now, and says why. */

import { UserError } from "../../../app/failure.ts";
import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "[RUN] ARTIFACT --reason TEXT [--key KEY]",
  about:
    "Lets a gate pass that an artifact keeps shut, for the content as it is now. Only people can do this, and the reason is kept.\nIn a workspace, RUN may be left out.",
  offers: "open",
  words: { min: 1, max: 2 },
  options: {
    reason: { takes: "TEXT", about: "why it may pass" },
    key: { takes: "KEY", about: "the same key twice waives once, and gives the same answer" },
  },
  examples: ['signalbox waive k3d9 review --reason "looked at it myself"'],
  answer: async ({ words, options: { reason, key } }, door): Promise<Answer> => {
    if (reason === undefined)
      throw new UserError("bad-usage", "a waiver needs a reason: --reason TEXT", "signalbox waive --help");
    const [artifact = "", run] = words.toReversed();
    return answerOf(await call(door, "waive", { run, artifact, reason, key }));
  },
};
