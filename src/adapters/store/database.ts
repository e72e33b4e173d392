/**
 * One connection: statements prepared when they are first used, and write transactions.
 *
 * Opening does as little as it can, for every command opens it.
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { failpoint } from "../failpoint.ts";
import { isBusy, translated } from "./recovery/damage.ts";

export type Row = Record<string, SQLOutputValue>;

/** How often a busy database is asked again, each time after SQLite's own patience. */
const TRIES_MAX = 6;
const JITTER_MS = 50;

export type Database = {
  readonly path: string;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  /** Gives the number of rows that were changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  exec(sql: string): void;
  /** Everything that `work` reads is of one moment, whoever writes meanwhile. */
  read<T>(work: () => T): T;
  /** Everything that `work` changes, durable when it returns, or nothing. Inside another one it is part of that. */
  write<T>(work: () => T): T;
  /** The same, but a power cut may take it back: for what can be made again. */
  writeSoon<T>(work: () => T): T;
  close(): void;
};

/** Asks at once, and gives the result, or the error, as a promise. */
export function promised<Arguments extends readonly unknown[], Result>(
  ask: (...values: Arguments) => Result,
): (...values: Arguments) => Promise<Result> {
  return (...values) =>
    new Promise((resolve) => {
      resolve(ask(...values));
    });
}

export function databaseOf(path: string, sqlite: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  let isWriting = false;
  let isReading = false;

  function prepared(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = sqlite.prepare(sql)));
    return statement;
  }

  function told<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translated(path, error);
    }
  }

  function write<T>(work: () => T): T {
    if (isWriting) return work();
    failpoint("store.before-begin");
    told(() => begin(prepared("BEGIN IMMEDIATE")));
    isWriting = true;
    try {
      const result = work();
      failpoint("store.before-commit");
      told(() => prepared("COMMIT").run());
      failpoint("store.after-commit");
      return result;
    } catch (error) {
      if (sqlite.isTransaction) prepared("ROLLBACK").run();
      throw error;
    } finally {
      isWriting = false;
    }
  }

  function read<T>(work: () => T): T {
    if (isWriting || isReading) return work();
    told(() => prepared("BEGIN").run());
    isReading = true;
    try {
      return work();
    } finally {
      isReading = false;
      if (sqlite.isTransaction) prepared("ROLLBACK").run();
    }
  }

  return {
    path,
    read,
    get: (sql, ...values) => told(() => prepared(sql).get(...values)),
    all: (sql, ...values) => told(() => prepared(sql).all(...values)),
    // Made anew each time: one statement cannot be gone through twice at once.
    *each(sql, ...values) {
      try {
        yield* sqlite.prepare(sql).iterate(...values);
      } catch (error) {
        throw translated(path, error);
      }
    },
    run: (sql, ...values) => told(() => Number(prepared(sql).run(...values).changes)),
    exec: (sql) => told(() => sqlite.exec(sql)),
    write,
    writeSoon(work) {
      if (isWriting) return work();
      sqlite.exec("PRAGMA synchronous = NORMAL");
      try {
        return write(work);
      } finally {
        sqlite.exec("PRAGMA synchronous = FULL");
      }
    },
    close() {
      statements.clear();
      if (sqlite.isOpen) sqlite.close();
    },
  };
}

/** Many waiting processes ask at different moments, so that none of them waits for ever. */
function begin(statement: StatementSync): void {
  for (let tries = 1; ; tries += 1) {
    try {
      statement.run();
      return;
    } catch (error) {
      if (!isBusy(error) || tries >= TRIES_MAX) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * JITTER_MS);
    }
  }
}
