/**
 * Work on the tables, in SQL that SQLite and PostgreSQL both understand.
 *
 * `Work` is a generator of statements. It yields at each statement whose result it needs, and does not wait for the others (`put`, `expect`).
 * SQLite returns a result at once, so `finish` (database.ts) runs work on it synchronously and no other work can interleave with a
 * transaction. On PostgreSQL, `drive` (postgres/session.ts) awaits each result; the other statements are sent along with the next one.
 */

import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Run } from "../../core/model/run.ts";
import type { BatchAnswer } from "../../engine/ports/commit.ts";
import type { Birth } from "../../engine/ports/journal.ts";

export type SqlValue = SQLInputValue;
export type Row = Record<string, SQLOutputValue>;

/** The result of a statement: its rows, and the number of rows that it changed. */
export type Result = { readonly rows: Row[]; readonly count: number };

export type Work<T> = Iterable<Promise<Result>, T, Result>;

/** The answer of a batch with an expectation that does not hold, or work that finds it after the batch was rolled back. */
export type Otherwise = BatchAnswer | (() => Work<BatchAnswer>);

/** Thrown where an expectation does not hold. */
export class UnmetExpectation extends Error {
  override readonly name = "UnmetExpectation";
  readonly otherwise: Otherwise;

  constructor(otherwise: Otherwise) {
    super("an expectation of the batch does not hold");
    this.otherwise = otherwise;
  }
}

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
  /** The statement finds a row, or changes one and ends with `RETURNING 1`; where there is none, the transaction fails with `UnmetExpectation`. */
  expect(otherwise: Otherwise, sql: string, ...values: SqlValue[]): void;
  /** At the end of a query it locks the rows until the transaction ends; empty for SQLite, which has one writer at a time. */
  readonly forUpdate: string;
  /** Takes an exclusive lock with this name until the transaction ends. */
  alone(name: string): void;
};

/** `head` is the hash of its last event. Each event has the hash of the one before it, so `head` identifies the whole history. */
export type LatestRun = { readonly head: string; readonly run: Run; readonly kept: KeptRow };

/** What the next event of a run must know of its row and of its snapshot. */
export type KeptRow = {
  readonly birth: Birth;
  readonly status: string;
  /** The sequence number of the snapshot, and the digest of its text. */
  readonly shot: number;
  readonly seal: string;
  /** Of everything in the row that events made, and of `seal`: a row with this digest is this one. */
  readonly digest: string;
};

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
