/** What happened to a run, as the journal has it. */

import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { seeRun } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { notesSince } from "../view/work/notes.ts";
import { linesOf } from "./lines.ts";
import { toldNotes } from "./told.ts";

export async function history(
  { door, store }: Looking,
  { run: word, limit, events: isRaw = false, words = false }: InputOf<"history">,
): Promise<Outcome<DataOf<"history">>> {
  const seen = await seeRun(store, door, word);
  const { store: journal, run } = seen;
  const from = Math.max(1, run.seq - limit + 1);
  const { lines, more } = isRaw ? { lines: [], more: from > 1 } : await linesOf(seen, limit, words);
  const all = isRaw ? [] : [...(await journal.notes(run.id)), ...(await toldNotes(journal, run.id))];
  return success(
    `${run.seq} events; it is in ${run.state}`,
    {
      run: run.id,
      state: run.state,
      seq: run.seq,
      lines,
      notes: notesSince(all, more ? lines[0] : undefined),
      ...(isRaw ? { events: await journal.events(run.id, from) } : {}),
      more,
    },
    { next: `signalbox verify ${run.id}` },
  );
}
