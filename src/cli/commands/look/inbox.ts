/** `signalbox inbox`: what waits for you, in all runs of this machine. */

import { isLookingAtBranches } from "../../../app/runs/branches-seen.ts";
import { withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { inboxOf } from "../../../app/view/lists/inbox.ts";
import type { Answer, Command } from "../../command.ts";
import { sayInbox } from "../../render/inbox.ts";

export const command: Command = {
  usage: "[--verbose]",
  about:
    "Lists what waits for you: questions, then reviews, then what is stuck; the oldest first, each with the reason and the most likely commands. `signalbox show RUN` has all of them.",
  words: { min: 0, max: 0 },
  options: {
    verbose: { about: "every command, whole questions, and what to read", short: "v" },
  },
  examples: ["signalbox inbox", "signalbox inbox --json"],
  answer: ({ options }, door) =>
    withStore(door, async (store) => {
      const isLooking = store !== undefined && (await isLookingAtBranches(store, door));
      const items = store === undefined ? [] : await inboxOf(store, door);
      const next = items[0]?.actions[0]?.command ?? "signalbox list";
      const message =
        items.length === 0
          ? "nothing waits for you"
          : `${items.length} ${items.length === 1 ? "run waits" : "runs wait"} for you`;
      const verbose = options["verbose"] !== undefined;
      return {
        exit: EXIT_OK,
        code: "ok",
        message,
        data: () => ({ items }),
        text: () => sayInbox(items, { ...door, verbose, now: Date.now() }),
        next,
        talk: [
          ...(isLooking
            ? ["  A branch moved: still looking whether work was merged. Ask again in a moment.\n"]
            : []),
          ...(items.length === 0 ? [`  next: ${next}\n`] : []),
        ].join(""),
      } satisfies Answer;
    }),
};
