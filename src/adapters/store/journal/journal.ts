/** The journal: definitions, events, and the run that they made. */

import type { Journal, Kept, Note, RunMarks, RunRow } from "../../../engine/ports/journal.ts";
import { answerTo } from "./append.ts";
import { damagedRun } from "../recovery/damage.ts";
import type { Ask, Row, Sql, Work } from "../sql.ts";
import { definitionIn } from "./definitions.ts";
import { textIn } from "./derive.ts";
import { list } from "./list.ts";
import { latestRun } from "./latest.ts";
import { question, recorded, sealedRow } from "./records.ts";
import { BadRecord, number, text } from "../row.ts";

const LOAD = "SELECT runs.*, json, seal FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?";
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const AFTER_ALL = "\u{10FFFF}";

export function journalOf(ask: Ask): Journal {
  return {
    definition: ask(definitionIn),
    load: ask(load),
    marks: ask(marksOf),
    answerTo: ask(answerTo),
    events: ask(function* (db, run, ...[from = 0, limit = EVERYTHING]) {
      const sql = "SELECT * FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?";
      const rows = yield* db.all(sql, run, from, limit);
      return rows.map((row) => whole(db, run, () => recorded(row)));
    }),
    list: ask(list),
    idsLike: ask(function* (db, prefix, limit) {
      const sql = "SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?";
      const rows = yield* db.all(sql, prefix, prefix + AFTER_ALL, limit);
      return rows.map((row) => text(row["id"]));
    }),
    questions: ask(function* (db, { run, open, id }) {
      return (yield* askedFor(db, { run, open, id })).map(question);
    }),
    notes: ask(function* (db, run) {
      const rows = yield* db.all("SELECT * FROM notes WHERE run = ? ORDER BY n", run);
      return rows.map((row) => ({
        run,
        at: text(row["at"]),
        kind: text(row["kind"]),
        text: text(row["text"]),
      }));
    }),
    text: ask(textIn),
    behind: ask(function* (db) {
      const rows = yield* db.all("SELECT id FROM runs WHERE projected < seq ORDER BY n");
      return rows.map((row) => text(row["id"]));
    }),
  };
}

export function putNote(db: Sql, { run, at, kind, text: said }: Note): void {
  db.put("INSERT INTO notes (run, at, kind, text) VALUES (?, ?, ?, ?)", run, at, kind, said);
}

/** Whether the run has so many events, and gets no more before the transaction ends. */
export function* isAt(db: Sql, { run, seq }: { readonly run: string; readonly seq: number }): Work<boolean> {
  const row = yield* db.lock("runs", "SELECT seq FROM runs WHERE id = ?", run);
  return Number(row?.["seq"] ?? 0) === seq;
}

export function setProjected(db: Sql, run: string, seq: number): void {
  db.put("UPDATE runs SET projected = ? WHERE id = ?", seq, run);
}

export function hide(db: Sql, run: string, hidden: boolean): void {
  db.put("UPDATE runs SET hidden = ? WHERE id = ?", hidden ? 1 : 0, run);
}

/** In the column: turns are ended where it is 1, and end by themselves where it is 2. */
const HALTED = [false, true, "held"] as const;

export function halt(db: Sql, run: string, halted: boolean | "held"): void {
  db.put("UPDATE runs SET halted = ? WHERE id = ?", HALTED.indexOf(halted), run);
}

/** False where the run shows another attention than `shown`. */
export function* attend(db: Sql, run: string, on: { attention: string; shown?: string }): Work<boolean> {
  const { attention, shown } = on;
  if (shown !== undefined) {
    const row = yield* db.lock("runs", "SELECT attention FROM runs WHERE id = ?", run);
    if (row?.["attention"] !== shown) return false;
  }
  db.put("UPDATE runs SET attention = ? WHERE id = ?", attention, run);
  return true;
}

function* marksOf(db: Sql, run: string): Work<RunMarks | undefined> {
  const row = yield* db.get("SELECT seq, halted, attention FROM runs WHERE id = ?", run);
  if (row === undefined) return undefined;
  const halted = HALTED[number(row["halted"])] ?? true;
  return { seq: number(row["seq"]), halted, attention: text(row["attention"]) };
}

function* load(db: Sql, run: string): Work<Kept | undefined> {
  const found = yield* db.get(LOAD, run);
  if (found !== undefined) {
    try {
      const { row, snapshot } = sealedRow(found);
      return { row, run: yield* latestRun(db, row, snapshot) };
    } catch (error) {
      throw ofRun(db, run, error);
    }
  }
  // A row that is gone while its events are there is no run that never was.
  if ((yield* db.get("SELECT 1 FROM events WHERE run = ? LIMIT 1", run)) === undefined) return undefined;
  throw damagedRun(db.path, run, "it has events and no row");
}

/** Says which run a bad record belongs to. */
function whole<T>(db: Sql, run: RunRow["id"], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ofRun(db, run, error);
  }
}

function ofRun(db: Sql, run: RunRow["id"], error: unknown): unknown {
  return error instanceof BadRecord ? damagedRun(db.path, run, error.message) : error;
}

type Asked = {
  readonly run: string | undefined;
  readonly open: boolean | undefined;
  readonly id: string | undefined;
};

function* askedFor(db: Sql, { run, open, id }: Asked): Work<Row[]> {
  const terms = [
    ...(run === undefined ? [] : ["run = ?"]),
    ...(id === undefined ? [] : ["id = ?"]),
    ...(open === undefined ? [] : [open ? "closed_at = ''" : "closed_at <> ''"]),
  ];
  const values = [run, id].filter((value) => value !== undefined);
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  return yield* db.all(`SELECT * FROM questions ${where} ORDER BY opened_at, run, seq`, ...values);
}
