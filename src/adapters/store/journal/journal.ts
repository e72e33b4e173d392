/** The journal: definitions, events, and the run that they made. */

import type { Journal, Kept, Note, RunMarks, RunRow } from "../../../engine/ports/journal.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import { answerTo } from "./append.ts";
import { damagedDatabase, damagedRun } from "../recovery/damage.ts";
import { promised, type Database, type Row } from "../database.ts";
import { list } from "./list.ts";
import { latestRun } from "./latest.ts";
import { question, recorded, sealedRow } from "./records.ts";
import { BadRecord, isDefinition, number, parsed, text } from "../row.ts";

const LOAD = "SELECT runs.*, json, seal FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?";
const EVERYTHING = -1;
const AFTER_ALL = "\u{10FFFF}";

export function journalOf(db: Database): Journal {
  return {
    definition: promised((hash) => definitionIn(db, hash)),
    load: promised((run) => load(db, run)),
    marks: promised((run) => marksOf(db, run)),
    answerTo: promised((run, key) => answerTo(db, run, key)),
    events: promised((run, from = 0, limit = EVERYTHING) => {
      const rows = db.all(
        "SELECT * FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?",
        run,
        from,
        limit,
      );
      return rows.map((row) => whole(db, run, () => recorded(row)));
    }),
    list: promised((filter) => list(db, filter)),
    idsLike: promised((prefix, limit) => {
      const rows = db.all(
        "SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        prefix,
        prefix + AFTER_ALL,
        limit,
      );
      return rows.map((row) => text(row["id"]));
    }),
    questions: promised(({ run, open, id }) => askedFor(db, { run, open, id }).map(question)),
    notes: promised((run) => {
      const rows = db.all("SELECT * FROM notes WHERE run = ? ORDER BY n", run);
      return rows.map((row) => ({
        run,
        at: text(row["at"]),
        kind: text(row["kind"]),
        text: text(row["text"]),
      }));
    }),
    behind: promised(() =>
      db.all("SELECT id FROM runs WHERE projected < seq ORDER BY n").map((row) => text(row["id"])),
    ),
  };
}

export function definitionIn(db: Database, hash: string): Definition | undefined {
  const row = db.get("SELECT json FROM definitions WHERE hash = ?", hash);
  if (row === undefined) return undefined;
  return legible(db, `definition ${hash}`, () => parsed(text(row["json"]), isDefinition));
}

export function isDefined(db: Database, hash: string): boolean {
  return db.get("SELECT 1 FROM definitions WHERE hash = ?", hash) !== undefined;
}

export function define(db: Database, hash: string, definition: Definition): void {
  db.run("INSERT OR IGNORE INTO definitions VALUES (?, ?)", hash, JSON.stringify(definition));
}

export function putNote(db: Database, { run, at, kind, text: said }: Note): void {
  db.run("INSERT INTO notes (run, at, kind, text) VALUES (?, ?, ?, ?)", run, at, kind, said);
}

export function seqOf(db: Database, run: string): number {
  return Number(db.get("SELECT seq FROM runs WHERE id = ?", run)?.["seq"] ?? 0);
}

export function setProjected(db: Database, run: string, seq: number): void {
  db.run("UPDATE runs SET projected = ? WHERE id = ?", seq, run);
}

export function hide(db: Database, run: string, hidden: boolean): void {
  db.run("UPDATE runs SET hidden = ? WHERE id = ?", hidden ? 1 : 0, run);
}

/** In the column: turns are ended where it is 1, and end by themselves where it is 2. */
const HALTED = [false, true, "held"] as const;

export function halt(db: Database, run: string, halted: boolean | "held"): void {
  db.run("UPDATE runs SET halted = ? WHERE id = ?", HALTED.indexOf(halted), run);
}

/** False where the run shows another attention than `shown`. */
export function attend(db: Database, run: string, on: { attention: string; shown?: string }): boolean {
  const { attention, shown } = on;
  if (shown !== undefined && marksOf(db, run)?.attention !== shown) return false;
  db.run("UPDATE runs SET attention = ? WHERE id = ?", attention, run);
  return true;
}

function marksOf(db: Database, run: string): RunMarks | undefined {
  const row = db.get("SELECT seq, halted, attention FROM runs WHERE id = ?", run);
  if (row === undefined) return undefined;
  const halted = HALTED[number(row["halted"])] ?? true;
  return { seq: number(row["seq"]), halted, attention: text(row["attention"]) };
}

function load(db: Database, run: string): Kept | undefined {
  const row = db.get(LOAD, run);
  if (row !== undefined) return whole(db, run, () => keptIn(db, row));
  // A row that is gone while its events are there is no run that never was.
  if (db.get("SELECT 1 FROM events WHERE run = ? LIMIT 1", run) === undefined) return undefined;
  throw damagedRun(db.path, run, "it has events and no row");
}

function keptIn(db: Database, found: Row): Kept {
  const { row, snapshot } = sealedRow(found);
  return { row, run: latestRun(db, row, snapshot) };
}

/** Says which run a bad record belongs to. */
function whole<T>(db: Database, run: RunRow["id"], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadRecord) throw damagedRun(db.path, run, error.message);
    throw error;
  }
}

/** The same for what belongs to no run alone. */
function legible<T>(db: Database, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadRecord) throw damagedDatabase(db.path, `${what}: ${error.message}`);
    throw error;
  }
}

type Asked = {
  readonly run: string | undefined;
  readonly open: boolean | undefined;
  readonly id: string | undefined;
};

function askedFor(db: Database, { run, open, id }: Asked): Row[] {
  const terms = [
    ...(run === undefined ? [] : ["run = ?"]),
    ...(id === undefined ? [] : ["id = ?"]),
    ...(open === undefined ? [] : [open ? "closed_at = ''" : "closed_at <> ''"]),
  ];
  const values = [run, id].filter((value) => value !== undefined);
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  return db.all(`SELECT * FROM questions ${where} ORDER BY opened_at, run, seq`, ...values);
}
