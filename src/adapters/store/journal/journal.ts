/** The journal: definitions, events, and the run that they made. */

import type { Journal, Kept, RunRow } from "../../../engine/ports/journal.ts";
import { answerTo, append } from "./append.ts";
import { damagedDatabase, damagedRun } from "../recovery/damage.ts";
import type { Database, Row } from "../database.ts";
import { list } from "./list.ts";
import { latestRun } from "./latest.ts";
import { question, recorded, sealedRow } from "./records.ts";
import { BadRecord, isDefinition, parsed, text } from "../row.ts";

const LOAD = "SELECT runs.*, json, seal FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?";
const EVERYTHING = -1;
const AFTER_ALL = "\u{10FFFF}";

export function journalOf(db: Database): Journal {
  return {
    define(hash, definition) {
      if (db.get("SELECT 1 FROM definitions WHERE hash = ?", hash) !== undefined) return;
      db.write(() =>
        db.run("INSERT OR IGNORE INTO definitions VALUES (?, ?)", hash, JSON.stringify(definition)),
      );
    },
    definition(hash) {
      const row = db.get("SELECT json FROM definitions WHERE hash = ?", hash);
      if (row === undefined) return undefined;
      return legible(db, `definition ${hash}`, () => parsed(text(row["json"]), isDefinition));
    },
    append: (entry) => append(db, entry),
    together: (work) => db.write(work),
    load: (run) => load(db, run),
    answerTo: (run, key) => answerTo(db, run, key),
    events(run, from = 0, limit = EVERYTHING) {
      const rows = db.all(
        "SELECT * FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?",
        run,
        from,
        limit,
      );
      return rows.map((row) => whole(db, run, () => recorded(row)));
    },
    list: (filter) => list(db, filter),
    idsLike(prefix, limit) {
      const rows = db.all(
        "SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        prefix,
        prefix + AFTER_ALL,
        limit,
      );
      return rows.map((row) => text(row["id"]));
    },
    questions: ({ run, open, id }) => askedFor(db, { run, open, id }).map(question),
    note({ run, at, kind, text: said }) {
      db.write(() =>
        db.run("INSERT INTO notes (run, at, kind, text) VALUES (?, ?, ?, ?)", run, at, kind, said),
      );
    },
    notes(run) {
      const rows = db.all("SELECT * FROM notes WHERE run = ? ORDER BY n", run);
      return rows.map((row) => ({
        run,
        at: text(row["at"]),
        kind: text(row["kind"]),
        text: text(row["text"]),
      }));
    },
    whileAt(run, seq, work) {
      return db.writeSoon(() => {
        if (db.get("SELECT seq FROM runs WHERE id = ?", run)?.["seq"] !== seq) return false;
        work();
        return true;
      });
    },
    project(run, seq, write) {
      return db.writeSoon(() => {
        if (db.get("SELECT seq FROM runs WHERE id = ?", run)?.["seq"] !== seq) return false;
        write();
        db.run("UPDATE runs SET projected = ? WHERE id = ?", seq, run);
        return true;
      });
    },
    behind: () =>
      db.all("SELECT id FROM runs WHERE projected < seq ORDER BY n").map((row) => text(row["id"])),
    isHalted: (run) => haltOf(db, run) !== GOES_ON,
    isHeld: (run) => haltOf(db, run) === HELD,
    halt(run, halted) {
      const mark = halted === "held" ? HELD : halted ? HALTED : GOES_ON;
      db.write(() => db.run("UPDATE runs SET halted = ? WHERE id = ?", mark, run));
    },
  };
}

const GOES_ON = 0;
/** Turns are ended. */
const HALTED = 1;
/** Turns come to an end by themselves; no deed is due. */
const HELD = 2;

function haltOf(db: Database, run: string): number {
  return Number(db.get("SELECT halted FROM runs WHERE id = ?", run)?.["halted"] ?? GOES_ON);
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
