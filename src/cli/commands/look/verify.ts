/** `signalbox verify`: whether runs are what their history says, and whether people did what is said of them. */

import { call } from "../../../app/client.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { badUsage } from "../../../app/failure.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";

export const command: Command = {
  usage: "[RUN | --all]",
  about:
    "Goes through the whole history of a run: the chain of its events, what they make of it, what people signed, and whether everything that followed could follow.\nThe first bad record is named, and the exit code is 8. Nothing is changed.",
  words: { min: 0, max: 1 },
  options: { all: { about: "every run of this machine" } },
  examples: ["signalbox verify abcd", "signalbox verify --all"],
  async answer({ words: [run], options }, door): Promise<Answer> {
    const all = options["all"] !== undefined;
    if (all && run !== undefined)
      throw badUsage("a run and --all do not go together", "signalbox verify --help");
    const outcome = await call(door, "verify", { run, all });
    const { exit, next } = outcome;
    return {
      ...answerOf(outcome, () => show(outcome.data, door)),
      talk: exit === EXIT_OK ? "" : talkOf([], next),
    };
  },
};

function show({ runs, key }: DataOf<"verify">, { paint }: Door): string {
  const lines = runs.flatMap(({ run, ok, seq, reason, notices }) => [
    ok
      ? `${run}: ${paint.green("whole")}, ${seq} events`
      : `${run}: ${paint.red("bad")} ${seq === 0 ? "in its row" : `at event ${seq}`}: ${reason}`,
    ...notices.map((notice) => `  ${paint.yellow("notice")} at event ${notice.seq}: ${notice.text}`),
  ]);
  if (key !== "") lines.push(`${paint.red("key")} ${key}`);
  return lines.map((line) => `${line}\n`).join("");
}
