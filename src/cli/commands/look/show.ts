/** `signalbox show`: everything about a run that you want to know when you come back to it. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
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
  async answer({ words: [run], options }, door): Promise<Answer> {
    const verbose = options["verbose"] !== undefined;
    const outcome = await call(door, "show", { run, verbose });
    const { paint, cwd, width } = door;
    return answerOf(outcome, () => sayRun(outcome.data, { verbose, paint, now: Date.now(), cwd, width }));
  },
};
