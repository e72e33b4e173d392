/**
 * One connection as what work on the tables needs.
 *
 * Statements are sent as soon as they are known. Only an answer that the work needs is waited for: what is written after that travels
 * with the next question, or with the end of the transaction. The server carries them out in their order; after the first that fails it
 * refuses the rest of the transaction.
 */

import { Client, type ClientBase } from "pg";
import {
  insertOf,
  type LatestRun,
  type Result,
  type Row,
  type Sql,
  type SqlValue,
  type Work,
} from "../store/sql.ts";

export type Session = {
  readonly sql: Sql;
  /** As PostgreSQL understands it, with `$1`. */
  send(text: string, values?: readonly SqlValue[]): Promise<Result>;
  /** Sends this last; everything that was sent before must have succeeded. */
  end(text: "COMMIT" | "ROLLBACK"): Promise<void>;
};

type Shared = { readonly path: string; readonly latest: Map<string, LatestRun> };

const PAGE = 500;
/** So many rows at once: more would make more texts to prepare. */
const ROWS_MAX = 8;

export function sessionOf(client: ClientBase, { path, latest }: Shared): Session {
  const sent: Promise<unknown>[] = [];
  let failed: { readonly error: unknown } | undefined;
  let cursors = 0;
  let isGathering = false;

  /** What is said before the process turns to something else travels as one packet. */
  function gather(): void {
    if (isGathering || !(client instanceof Client)) return;
    isGathering = true;
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  }

  async function answer(text: string, values: readonly SqlValue[], name?: string): Promise<Result> {
    try {
      const { rows, rowCount } = await client.query<Row>({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      // Those after it only say that the transaction has failed.
      failed ??= { error };
      throw failed.error;
    }
  }

  function send(text: string, values: readonly SqlValue[] = [], name?: string): Promise<Result> {
    gather();
    const result = answer(text, values, name);
    // Whoever ends the transaction hears of a failure that nobody waits for.
    result.catch(() => undefined);
    sent.push(result);
    return result;
  }

  function ask(sql: string, values: readonly SqlValue[], more = ""): Promise<Result> {
    const { text, name } = prepared(sql + more);
    return send(text, values, name);
  }

  const sql: Sql = {
    path,
    latest,
    *get(statement, ...values) {
      return (yield ask(statement, values)).rows[0];
    },
    *all(statement, ...values) {
      return (yield ask(statement, values)).rows;
    },
    *each(visit, statement, ...values) {
      const cursor = `each_${(cursors += 1)}`;
      void send(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${prepared(statement).text}`, values);
      for (let count = PAGE; count === PAGE;) {
        const { rows } = yield send(`FETCH ${PAGE} FROM ${cursor}`);
        for (const row of rows) yield* visit(row);
        count = rows.length;
      }
      void send(`CLOSE ${cursor}`);
    },
    *run(statement, ...values) {
      return (yield ask(statement, values)).count;
    },
    put: (statement, ...values) => void ask(statement, values),
    putRows: (table, rows) => {
      for (let from = 0; from < rows.length; from += ROWS_MAX) {
        const some = rows.slice(from, from + ROWS_MAX);
        void ask(insertOf(table, some[0]?.length ?? 0, some.length), some.flat());
      }
    },
    *lock(table, statement, ...values) {
      return (yield ask(statement, values, ` FOR UPDATE OF ${table}`)).rows[0];
    },
    alone: (name) => void ask("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", [name]),
  };
  return {
    sql,
    send: (text, values = []) => send(text, values, values.length === 0 ? undefined : prepared(text).name),
    async end(text) {
      void send(text);
      await Promise.all(sent);
    },
  };
}

/** Carries work out: each pause of it is an answer that is awaited. */
export async function drive<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]();
  let step = steps.next();
  while (step.done !== true) {
    let result: Result;
    try {
      result = await step.value;
    } catch (error) {
      if (steps.throw === undefined) throw error;
      step = steps.throw(error);
      continue;
    }
    step = steps.next(result);
  }
  return step.value;
}

type Prepared = { readonly text: string; readonly name: string };

const known = new Map<string, Prepared>();

/** The server parses each text once per connection. */
function prepared(sql: string): Prepared {
  let found = known.get(sql);
  if (found === undefined) {
    let count = 0;
    const text = sql.replaceAll(
      /\?(\d*)/g,
      (_, number: string) => `$${number === "" ? (count += 1) : number}`,
    );
    known.set(sql, (found = { text, name: `s${known.size}` }));
  }
  return found;
}
