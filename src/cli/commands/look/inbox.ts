/** `signalbox inbox`: what waits for you, in all runs of this machine. */

import { call } from "../../../app/client.ts";
import { answerOf, talkOf } from "../../acted.ts";
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
  async answer({ options }, door): Promise<Answer> {
    const outcome = await call(door, "inbox", {});
    const { items, parks } = outcome.data;
    const verbose = options["verbose"] !== undefined;
    return {
      ...answerOf(outcome, () => sayInbox({ items, parks }, { ...door, verbose, now: Date.now() })),
      talk: talkOf(outcome.notes, items.length + parks.length === 0 ? outcome.next : ""),
    };
  },
};
