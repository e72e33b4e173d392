/**
 * One connection as what work on the tables needs.
 *
 * Work waits only for answers that it needs. What it writes before a question is sent with the question, so a batch that asks nothing is
 * one packet and one round trip.
 */

import type { ClientBase } from "pg";
import {
  insertOf,
  type LatestRun,
  type Otherwise,
  type Result,
  type Sql,
  type SqlValue,
  type Work,
} from "../store/sql.ts";
import { sendPacket, type ParsedStatements, type Statement } from "./packet.ts";

export type Session = {
  readonly sql: Sql;
  /** Sends statements without values, as PostgreSQL understands them. */
  exec(text: string): Promise<void>;
};

type Shared = {
  readonly path: string;
  readonly latest: Map<string, LatestRun>;
  readonly parsed: ParsedStatements;
};

const PAGE = 500;
/** So many rows in one statement: more would make more texts to parse. */
const ROWS_MAX = 8;

export function sessionOf(client: ClientBase, { path, latest, parsed }: Shared): Session {
  let gathered: Statement[] = [];
  let cursors = 0;

  function gather(statement: string, values: readonly SqlValue[], otherwise?: Otherwise): void {
    gathered.push({ ...prepared(statement), values, otherwise });
  }

  async function ask(statement: string, values: readonly SqlValue[]): Promise<Result> {
    gather(statement, values);
    const statements = gathered;
    gathered = [];
    const results = await sendPacket(client, parsed, statements);
    return results.at(-1) ?? { rows: [], count: 0 };
  }

  const sql: Sql = {
    path,
    latest,
    forUpdate: "FOR UPDATE",
    *get(statement, ...values) {
      return (yield ask(statement, values)).rows[0];
    },
    *all(statement, ...values) {
      return (yield ask(statement, values)).rows;
    },
    *each(visit, statement, ...values) {
      const cursor = `each_${(cursors += 1)}`;
      gather(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${statement}`, values);
      for (let count = PAGE; count === PAGE;) {
        const { rows } = yield ask(`FETCH ${PAGE} FROM ${cursor}`, []);
        for (const row of rows) yield* visit(row);
        count = rows.length;
      }
      gather(`CLOSE ${cursor}`, []);
    },
    *run(statement, ...values) {
      return (yield ask(statement, values)).count;
    },
    put: (statement, ...values) => gather(statement, values),
    putRows: (table, rows) => {
      for (let from = 0; from < rows.length; from += ROWS_MAX) {
        const some = rows.slice(from, from + ROWS_MAX);
        gather(insertOf(table, some[0]?.length ?? 0, some.length), some.flat());
      }
    },
    // The server skips the rest of the packet after an error, so the statement fails where it finds nothing.
    expect: (otherwise, statement, ...values) =>
      gather(`WITH found AS (${statement}) SELECT 1 / count(*) FROM found`, values, otherwise),
    alone: (name) => gather("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", [name]),
  };
  return {
    sql,
    async exec(text) {
      await client.query(text);
    },
  };
}

/** Carries work out: each pause of it is an answer that is awaited. */
export async function drive<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]();
  let step = steps.next();
  while (step.done !== true) step = steps.next(await step.value);
  return step.value;
}

type Prepared = Pick<Statement, "text" | "name">;

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
