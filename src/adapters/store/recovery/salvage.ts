/**
 * Copies every row that SQLite can still read from a damaged database into a new one.
 *
 * A page that cannot be read ends a scan: so each table is gone through from both ends, and events also run by run.
 */

import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Database } from "../database.ts";
import type { Row } from "../sql.ts";
import { sqliteCode } from "./damage.ts";
import { openFile } from "../sqlite.ts";

/** By which columns a table is in order; what is made again from the events is not copied. */
export const COPIED: Readonly<Record<string, readonly string[]>> = {
  definitions: ["rowid"],
  // As they were written, so that runs keep their order.
  events: ["rowid"],
  texts: ["rowid"],
  notes: ["n"],
  agents: ["run", "role", "slot", "attempt"],
  jobs: ["id"],
  workspaces: ["run"],
  readings: ["definition", "file", "digest"],
  projections: ["run", "file"],
  trust: ["repo"],
  human_keys: ["n"],
  projects: ["repo"],
  // In the order in which they came.
  queue: ["n"],
  depends: ["run", "on_run"],
  messages: ["run", "key"],
  parks: ["key"],
  held: ["run", "role", "slot", "attempt"],
  graphs: ["parent", "artifact", "entry"],
  children: ["parent", "artifact", "entry", "task"],
};

/** Gives what could not be read, in words. */
export function copyRows(db: Database, from: string): string[] {
  return (
    withSource(from, (source) => {
      const lost = Object.entries(COPIED).flatMap(([table, order]) =>
        copyTable(db, source, { table, order }),
      );
      for (const run of runIds(source)) copyEvents(db, source, run);
      keepFence(db, source);
      return lost;
    }) ?? ["everything in the database: nothing in it can be read"]
  );
}

/** Undefined where the file is no database any more. */
export function withSource<T>(from: string, work: (source: DatabaseSync) => T): T | undefined {
  let source: DatabaseSync;
  try {
    source = openFile(from);
    // An empty file opens like a database without tables.
    const tables = source.prepare("SELECT name FROM sqlite_schema LIMIT 1").all();
    if (tables.length === 0) {
      source.close();
      return undefined;
    }
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    return work(source);
  } finally {
    source.close();
  }
}

/** All rows up to the first that cannot be read. */
export function readable(source: DatabaseSync, sql: string, each: (row: Row) => void): string | undefined {
  try {
    for (const row of source.prepare(sql).iterate()) each(row);
    return undefined;
  } catch (error) {
    if (sqliteCode(error) === undefined || !(error instanceof Error)) throw error;
    return error.message;
  }
}

function copyTable(
  db: Database,
  source: DatabaseSync,
  { table, order }: { readonly table: string; readonly order: readonly string[] },
): string[] {
  const put = (row: Row): void => {
    insert(db, table, row);
  };
  const fault = readable(source, `SELECT * FROM ${table} ORDER BY ${order.join(", ")}`, put);
  if (fault === undefined) return [];
  const back = order.map((column) => `${column} DESC`).join(", ");
  readable(source, `SELECT * FROM ${table} ORDER BY ${back}`, put);
  readable(source, `SELECT * FROM ${table} NOT INDEXED`, put);
  return [`some rows of ${table}: ${fault}`];
}

function copyEvents(db: Database, source: DatabaseSync, run: string): void {
  const put = (row: Row): void => {
    insert(db, "events", row);
  };
  const which = `FROM events WHERE run = '${run.replaceAll("'", "''")}'`;
  if (readable(source, `SELECT * ${which} ORDER BY seq`, put) !== undefined)
    readable(source, `SELECT * ${which} ORDER BY seq DESC`, put);
}

function runIds(source: DatabaseSync): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (row: Row): void => {
    if (typeof row["id"] === "string") ids.add(row["id"]);
  };
  readable(source, "SELECT id FROM runs ORDER BY id", add);
  readable(source, "SELECT id FROM runs ORDER BY id DESC", add);
  readable(source, "SELECT DISTINCT run AS id FROM events ORDER BY run", add);
  return ids;
}

/** A row that does not fit any more is not taken over: its run then ends before it. */
function insert(db: Database, table: string, row: Row): void {
  const names = Object.keys(row);
  const values = names.map((name): SQLOutputValue => row[name] ?? null);
  const sql = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  try {
    db.run(sql, ...values);
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
  }
}

/** Higher than any that was ever given out, also where the number itself is lost. */
function keepFence(db: Database, source: DatabaseSync): void {
  let highest = 0;
  const raise = (row: Row): void => {
    if (typeof row["fence"] === "number") highest = Math.max(highest, row["fence"]);
  };
  readable(source, "SELECT value AS fence FROM meta WHERE name = 'fence'", raise);
  readable(source, "SELECT owner AS fence FROM deeds", raise);
  db.run("UPDATE meta SET value = ? WHERE name = 'fence'", highest + 1000);
}
