/** `signalbox next`: what you can do now, and the one command to type. */

import { withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { nextOf } from "../../../app/view/next.ts";
import type { Answer, Command } from "../../command.ts";
import { sayNextSteps } from "../../render/next.ts";

export const command: Command = {
  usage: "[RUN]",
  about:
    "Says what you can do with a run now, and the one command to type. An agent sees what its own role may do.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox next", "signalbox next abcd"],
  answer: ({ words }, door) =>
    withStore(door, async (store) => {
      const outcome = await nextOf(store, door, words[0]);
      const { view, next } = outcome;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: next === "" ? `there is nothing for ${view.for} to do in ${view.state}` : next,
        data: () => view,
        text: () => sayNextSteps(outcome, door),
        next,
      } satisfies Answer;
    }),
};
