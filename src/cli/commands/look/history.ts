/** `signalbox history`: what happened to a run, as the journal has it. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { sayStory } from "../../../app/story/sentences.ts";
import { sayActor, sayTime } from "../../../app/view/words.ts";
import { among } from "../../../app/view/work/notes.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { fitted } from "../../fit.ts";
import { columns } from "../../render/table.ts";

const HELP = "signalbox history --help";
const LIMIT = 100;
const LIMIT_MAX = 1_000_000;

export const command: Command = {
  usage: "[RUN] [--limit N] [--events]",
  about:
    "Tells what happened to a run: when, who, what, and what followed, with notes in between. What people did is marked as signed.",
  words: { min: 0, max: 1 },
  options: {
    limit: { takes: "N", about: `the newest so many; ${LIMIT} unless given` },
    events: { about: "every event as it is in the journal" },
  },
  examples: ["signalbox history abcd", "signalbox history abcd --events --limit 20 --json"],
  async answer(given, door): Promise<Answer> {
    const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
    const isRaw = given.options["events"] !== undefined;
    const outcome = await call(door, "history", { run: given.words[0], limit, events: isRaw });
    const { lines, notes, events = [], more } = outcome.data;
    return {
      ...answerOf(outcome, () => (isRaw ? sayEvents(events) : tell(lines, notes, door.width))),
      talk: more ? talkOf([`there is more: --limit ${limit * 10}`], "") : talkOf([], outcome.next),
    };
  },
};

function tell(
  lines: DataOf<"history">["lines"],
  notes: DataOf<"history">["notes"],
  width: number | undefined,
): string {
  return fitted(
    among(sayStory(lines), notes).map((each) => [
      sayTime(each.at),
      "seq" in each ? each.text : `(${each.kind}) ${each.text}`,
    ]),
    width,
  );
}

function sayEvents(events: NonNullable<DataOf<"history">["events"]>): string {
  return columns(
    events.map(({ seq, at, by, event, hash }) => [
      String(seq),
      sayTime(at),
      hash.slice(0, 8),
      sayActor(by),
      event.type,
      JSON.stringify(event),
    ]),
  );
}
