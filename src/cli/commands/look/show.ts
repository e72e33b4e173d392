/** `signalbox show`: everything about a run that you want to know when you come back to it. */

import { seeRun, withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { viewRun } from "../../../app/view/look.ts";
import { nextForPerson } from "../../../app/view/actions.ts";
import { withWhatIsInTheWay } from "../../../app/view/work/place-taken.ts";
import type { Answer, Command } from "../../command.ts";
import { sayRun } from "../../render/run.ts";

export const command: Command = {
  usage: "[RUN] [--verbose]",
  about:
    "Shows a run: where it is, what it waits for, what reviewers said, what it changed, and what you can type.\nRUN is an id, its first letters, or a branch. Without RUN it is the run of the workspace that you are in, or SIGNALBOX_RUN. `status` is another name for this.",
  words: { min: 0, max: 1 },
  options: {
    verbose: {
      about:
        "also whole reviews, earlier attempts, parameters, counters at 0, what a phase still needs, artifacts that no move asks for now, facts that do not hold, other readings of the same file, all notes and more history",
      short: "v",
    },
  },
  examples: ["signalbox show", "signalbox show abcd", "signalbox show fix-dates --verbose --json"],
  answer: ({ words, options }, door) =>
    withStore(door, async (store) => {
      const seen = withWhatIsInTheWay(seeRun(store, door, words[0]));
      const verbose = options["verbose"] !== undefined;
      const view = await viewRun(seen, door, verbose);
      const next = nextForPerson(seen);
      const { paint, cwd, width } = door;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${view.run} is ${view.state}: ${view.waits.sentence}`,
        data: () => view,
        text: () => sayRun(view, { verbose, paint, now: Date.now(), cwd, width }),
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};
