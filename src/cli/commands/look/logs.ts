/** `signalbox logs`: what an agent or a check has printed, and prints. */

import { call } from "../../../app/client.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";

const HELP = "signalbox logs --help";
const NUMBER_MAX = 1_000_000;

export const command: Command = {
  usage: "[RUN] [--role R] [--attempt N] [--turn N] [--check ARTIFACT] [--follow] [--raw]",
  about:
    "Prints what an agent has done and said: in the last turn of any agent, unless you say which. The JSON lines of claude, codex, gemini and opencode are shown as text; --raw prints them as they are. With --follow it goes on, from turn to turn, until the run ends or you interrupt it.",
  words: { min: 0, max: 1 },
  options: {
    role: { takes: "ROLE", about: "of this role" },
    attempt: { takes: "N", about: "of this attempt" },
    turn: { takes: "N", about: "of this turn" },
    check: { takes: "ARTIFACT", about: "of the check that makes this artifact" },
    raw: { about: "the lines of the program as it printed them" },
    follow: { about: "go on with what is printed from now on", short: "f" },
  },
  examples: [
    "signalbox logs abcd -f",
    "signalbox logs abcd --role reviewer --attempt 2",
    "signalbox logs --check tests",
  ],
  async answer(given, door): Promise<Answer> {
    const { role, check } = given.options;
    const count = (name: string): number =>
      numberOption(given, name, { otherwise: 0, min: 1, max: NUMBER_MAX, help: HELP });
    const raw = given.options["raw"] !== undefined;
    const input = { run: given.words[0], role, check, attempt: count("attempt"), turn: count("turn"), raw };
    if (given.options["follow"] !== undefined)
      return { ...answerOf(await call(door, "follow-logs", input), () => ""), talk: "" };
    const outcome = await call(door, "logs", input);
    const { text } = outcome.data;
    const isEnded = text === "" || text.endsWith("\n");
    return {
      ...answerOf(outcome, () => (isEnded ? text : `${text}\n`)),
      talk: talkOf(outcome.notes, ""),
    };
  },
};
