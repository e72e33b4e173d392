/**
 * Work on the tables, in SQL that SQLite and PostgreSQL both understand.
 *
 * `Work` is a generator of statements. It yields at each statement whose result it needs, and `put` sends the others without waiting.
 * SQLite returns a result at once, so `finish` (database.ts) runs work on it synchronously and no other work can interleave with a
 * transaction. On PostgreSQL, `drive` (postgres/session.ts) awaits each result; statements that were put are sent along with the next one.
 */

import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Run } from "../../core/model/run.ts";

export type SqlValue = SQLInputValue;
export type Row = Record<string, SQLOutputValue>;

/** The result of a statement: its rows, and the number of rows that it changed. */
export type Result = { readonly rows: Row[]; readonly count: number };

export type Work<T> = Iterable<Promise<Result>, T, Result>;

export type Sql = {
  /** Where the database is, for messages. */
  readonly path: string;
  /** A cache of runs as this process last wrote or read them, by id. */
  readonly latest: Map<string, LatestRun>;
  get(sql: string, ...values: SqlValue[]): Work<Row | undefined>;
  all(sql: string, ...values: SqlValue[]): Work<Row[]>;
  /** Visits the rows one at a time, without loading all of them. Only inside a transaction or a *moment*. */
  each(visit: (row: Row) => Work<void>, sql: string, ...values: SqlValue[]): Work<void>;
  /** Returns the number of rows that it changed. */
  run(sql: string, ...values: SqlValue[]): Work<number>;
  /** Like `run`, without the number. An error may be thrown at a later statement of the transaction, or at its end. */
  put(sql: string, ...values: SqlValue[]): void;
  /** Inserts rows. `table` may include a list of columns, as in `runs (id, seq)`. */
  putRows(table: string, rows: readonly (readonly SqlValue[])[]): void;
  /** Returns one row, and locks its part of `table` against other transactions until this one ends. */
  lock(table: string, sql: string, ...values: SqlValue[]): Work<Row | undefined>;
  /** Takes an exclusive lock with this name until the transaction ends. */
  alone(name: string): void;
};

/** `head` is the hash of its last event. Each event has the hash of the one before it, so `head` identifies the whole history. */
export type LatestRun = { readonly head: string; readonly run: Run };

/** Makes a query of the store port from work. *moment*: all statements of the work see the same snapshot of the database. */
export type Ask = <Arguments extends readonly unknown[], Answer>(
  work: (sql: Sql, ...values: Arguments) => Work<Answer>,
  sees?: "moment",
) => (...values: Arguments) => Promise<Answer>;

const inserts = new Map<string, string[]>();

/** The statement that inserts `count` rows of `width` columns. `table` may include a list of columns. */
export function insertOf(table: string, width: number, count: number): string {
  const known = inserts.get(table) ?? [];
  inserts.set(table, known);
  const row = (): string => `(${Array.from({ length: width }, () => "?").join(", ")})`;
  return (known[count] ??= `INSERT INTO ${table} VALUES ${Array.from({ length: count }, row).join(", ")}`);
}

/** The statement that inserts a row, or replaces the one with the same key. */
export function upsert(table: string, key: readonly string[], others: readonly string[]): string {
  const columns = [...key, ...others];
  const set = others.map((column) => `${column} = excluded.${column}`).join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
    ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set}`;
}
