/** `signalbox why`: for every move out of the present state, whether it is open, and what opens it. */

import { seeRun, withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { withWhatIsInTheWay } from "../../../app/view/work/place-taken.ts";
import { whyOf } from "../../../app/view/why.ts";
import type { Answer, Command } from "../../command.ts";
import { sayWhy } from "../../render/why.ts";

export const command: Command = {
  usage: "[RUN]",
  about:
    "Says for every move out of the present state whether it is open, every reason why not, and the smallest thing that opens it.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox why", "signalbox why abcd --json"],
  answer: ({ words }, door) =>
    withStore(door, async (store) => {
      const outcome = await whyOf(withWhatIsInTheWay(seeRun(store, door, words[0])));
      const { view, next } = outcome;
      const open = view.moves.filter((move) => move.open).length;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${open} of ${view.moves.length} moves out of ${view.state} are open`,
        data: () => view,
        text: () => sayWhy(outcome, door),
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};
