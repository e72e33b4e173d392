/**
 * The run of a row: its snapshot, and what happened since.
 *
 * A snapshot is large and a record is small: so most events leave it as it is. What came after it is taken from the events, whose
 * chain has to end where the row does.
 */

import { apply } from "../../../core/step/apply.ts";
import type { Run } from "../../../core/model/run.ts";
import type { LatestRun, Row, Sql, Work } from "../sql.ts";
import { BadRecord, isRun, parsed, text } from "../row.ts";
import { read } from "../recovery/walk.ts";
import { keptRow, type sealedRow } from "./records.ts";

const SINCE = "SELECT * FROM events WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq";
type SealedRow = ReturnType<typeof sealedRow>;

/** So many runs are kept at hand. */
const KNOWN_MAX = 100;

/** `found` is the row as the database has it. */
export function* latestRun(db: Sql, { row, snapshot }: SealedRow, found: Row): Work<Run> {
  const last = db.latest.get(row.id);
  const run = last?.head === row.head ? last.run : yield* replayedRun(db, { row, snapshot });
  remember(db, { head: row.head, run, kept: keptRow(found) });
  return run;
}

/** What was just written is what will be read next. */
export function remember(db: Sql, latest: LatestRun): void {
  const runs = db.latest;
  const { id } = latest.run;
  runs.delete(id);
  runs.set(id, latest);
  const oldest = runs.size > KNOWN_MAX ? runs.keys().next().value : undefined;
  if (oldest !== undefined) runs.delete(oldest);
}

/** The same, with nothing that is remembered. */
export function* replayedRun(db: Sql, { row, snapshot }: SealedRow): Work<Run> {
  let run = parsed(snapshot, isRun);
  if (run.seq === row.seq) return run;
  let head: string | undefined;
  for (const found of yield* db.all(SINCE, row.id, run.seq, row.seq)) {
    const { hash, record } = read(found, { seq: run.seq + 1, prev: head ?? text(found["prev"]) });
    run = apply(run, record.event);
    head = hash;
  }
  if (run.seq !== row.seq || head !== row.head) throw new BadRecord("its row and its history do not agree");
  return run;
}
