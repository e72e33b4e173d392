/** `signalbox history`: what happened to a run, as the journal has it. */

import { seeRun, withStore } from "../../../app/runs/find.ts";
import { linesOf, type Line, type Recorded } from "../../../app/story/lines.ts";
import { among, notesSince, type Note } from "../../../app/view/work/notes.ts";
import { sayStory } from "../../../app/story/sentences.ts";
import { toldNotes } from "../../../app/story/told.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { sayActor, sayTime } from "../../../app/view/words.ts";
import { columns } from "../../render/table.ts";

const HELP = "signalbox history --help";
const LIMIT = 100;
const LIMIT_MAX = 1_000_000;

/** What `--json` gives; `events` only with `--events`. */
export type HistoryData = {
  readonly run: string;
  readonly state: string;
  readonly seq: number;
  readonly lines: readonly Line[];
  /** What is worth telling and is no event, from the time of the first line on; not with `--events`. */
  readonly notes: readonly Note[];
  readonly events?: readonly Recorded[];
  /** Whether there is more before the first. */
  readonly more: boolean;
};

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
  answer: (given, door) =>
    withStore(door, (store) => {
      const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
      const seen = seeRun(store, door, given.words[0]);
      const { store: journal, run } = seen;
      const raw = given.options["events"] !== undefined;
      const from = Math.max(1, run.seq - limit + 1);
      const events = raw ? journal.events(run.id, from) : [];
      const { lines, more } = raw ? { lines: [], more: from > 1 } : linesOf(seen, limit);
      const all = raw ? [] : [...journal.notes(run.id), ...toldNotes(journal, run.id)];
      const notes = notesSince(all, more ? lines[0] : undefined);
      const data: HistoryData = {
        run: run.id,
        state: run.state,
        seq: run.seq,
        lines,
        notes,
        ...(raw ? { events } : {}),
        more,
      };
      const next = `signalbox verify ${run.id}`;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${run.seq} events; it is in ${run.state}`,
        data: () => data,
        text: () =>
          raw
            ? sayEvents(events)
            : columns(
                among(sayStory(lines), notes).map((each) => [
                  sayTime(each.at),
                  "seq" in each ? each.text : `(${each.kind}) ${each.text}`,
                ]),
              ),
        next,
        talk: more ? `  there is more: --limit ${limit * 10}\n` : `  next: ${next}\n`,
      } satisfies Answer;
    }),
};

function sayEvents(events: readonly Recorded[]): string {
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
