/**
 * One connection: statements prepared when they are first used, and write transactions.
 *
 * Opening does as little as it can, for every command opens it.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { failpoint } from "../failpoint.ts";
import { isBusy, translated } from "./recovery/damage.ts";
import { insertOf, UnmetExpectation, type Ask, type Row, type Sql, type Work } from "./sql.ts";

/** How often a busy database is asked again, each time after SQLite's own patience. */
const TRIES_MAX = 6;
const JITTER_MS = 50;

export type Database = {
  readonly path: string;
  /** For work that SQLite and PostgreSQL share: `finish` carries it out. */
  readonly sql: Sql;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  /** Gives the number of rows that were changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  exec(sql: string): void;
  /** Runs `work` in a read transaction: everything that it reads is from one snapshot. */
  read<T>(work: () => T): T;
  /** Runs `work` in a write transaction, durable when it returns. A nested call joins the outer transaction. */
  write<T>(work: () => T): T;
  /** Like `write`, without waiting for the disk: a power cut may take it back. Only for writes that the engine can redo. */
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

/** Queries of the port, answered in the call. */
export function askIn(database: Database): Ask {
  return (work, sees) =>
    promised((...values) => {
      const answer = (): ReturnType<typeof work> extends Work<infer Answer> ? Answer : never =>
        finish(work(database.sql, ...values));
      return sees === "moment" ? database.read(answer) : answer();
    });
}

/** Runs work on SQLite, which has every result at once, to its end. */
export function finish<T>(work: Work<T>): T {
  const step = work[Symbol.iterator]().next();
  if (step.done !== true) throw new Error("work on SQLite waits for nothing");
  return step.value;
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

  const database = {
    path,
    read,
    get: (sql: string, ...values: SQLInputValue[]) => told(() => prepared(sql).get(...values)),
    all: (sql: string, ...values: SQLInputValue[]) => told(() => prepared(sql).all(...values)),
    // A new statement each time: two iterations at once cannot share one.
    *each(sql: string, ...values: SQLInputValue[]) {
      try {
        yield* sqlite.prepare(sql).iterate(...values);
      } catch (error) {
        throw translated(path, error);
      }
    },
    run: (sql: string, ...values: SQLInputValue[]) =>
      told(() => Number(prepared(sql).run(...values).changes)),
    exec: (sql: string) => told(() => sqlite.exec(sql)),
    write,
    writeSoon<T>(work: () => T): T {
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
  return { ...database, sql: sqlOf(database) };
}

/** SQLite has one writer at a time, so `forUpdate` and `alone` need no lock of their own. */
function sqlOf(database: Omit<Database, "sql">): Sql {
  return {
    path: database.path,
    latest: new Map(),
    forUpdate: "",
    get: (sql, ...values) => answered(database.get(sql, ...values)),
    all: (sql, ...values) => answered(database.all(sql, ...values)),
    *each(visit, sql, ...values) {
      for (const row of database.each(sql, ...values)) yield* visit(row);
    },
    run: (sql, ...values) => answered(database.run(sql, ...values)),
    put: database.run,
    putRows: (table, rows) => {
      for (const row of rows) database.run(insertOf(table, row.length, 1), ...row);
    },
    expect: (otherwise, sql, ...values) => {
      if (database.get(sql, ...values) === undefined) throw new UnmetExpectation(otherwise);
    },
    alone: () => undefined,
  };
}

/** Work that is finished: it returns its value without yielding. */
function answered<T>(value: T): Work<T> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) };
}

/** Retries with a random pause, so that many waiting processes do not collide again and again. */
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
