/** `signalbox next`: what you can do now, and the one command to type. */

import { withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { nextOf } from "../../../app/view/next.ts";
import type { Answer, Command } from "../../command.ts";
import { sayNextSteps } from "../../render/next.ts";

export const command: Command = {
  usage: "[RUN] [--all]",
  about:
    "Says what you can do with a run now, and the one command to type. `--all` also lists other moves, those that are closed, and what is still to be written. An agent sees what its own role may do.",
  words: { min: 0, max: 1 },
  options: { all: { about: "every move, open or not" } },
  examples: ["signalbox next", "signalbox next abcd --all"],
  answer: ({ words, options }, door) =>
    withStore(door, async (store) => {
      const outcome = await nextOf(store, door, words[0]);
      const { view, next } = outcome;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: next === "" ? `there is nothing for ${view.for} to do in ${view.state}` : next,
        data: () => view,
        text: () => sayNextSteps(outcome, { ...door, all: options["all"] !== undefined }),
        next,
      } satisfies Answer;
    }),
};
