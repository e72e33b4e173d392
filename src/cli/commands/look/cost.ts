/** `signalbox cost`: what turns of agents used. */

import { call } from "../../../app/client.ts";
import { UserError } from "../../../app/failure.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { sayCosts } from "../../render/cost.ts";

const BY = ["turn", "role", "run", "project", "day", "model"] as const;

export const command: Command = {
  usage: "[RUN] [--by turn|role|run|project|day|model] [--since DAY]",
  about:
    "Adds up what turns of agents used: tokens, money and time. Of one run, with the runs of its tasks: each turn. Of all runs: each run, of the last 30 days. What a program does not report is unknown, and not zero.",
  words: { min: 0, max: 1 },
  options: {
    by: { takes: BY.join("|"), about: "what each row is about" },
    since: { takes: "DAY", about: "only turns that were over since this day, as 2026-01-31" },
  },
  examples: ["signalbox cost", "signalbox cost abcd", "signalbox cost --by day --since 2026-01-01 --json"],
  async answer(given, door): Promise<Answer> {
    const { by: asked, since } = given.options;
    const by = BY.find((each) => each === asked);
    if (asked !== undefined && by === undefined)
      throw new UserError("bad-usage", `--by is ${BY.join(", ")}, not "${asked}"`, "signalbox cost --help");
    const outcome = await call(door, "cost", { run: given.words[0], by, since });
    return answerOf(outcome, () => `${sayCosts(outcome.data, door)}${outcome.message}\n`);
  },
};
