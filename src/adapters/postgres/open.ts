/** The store in a PostgreSQL database: the same tables, queries and writes as in SQLite, for several machines. */

import type { Store } from "../../engine/ports/store.ts";
import type { Ask } from "../store/sql.ts";
import { queriesOf } from "../store/queries.ts";
import { commitsTo } from "./commit.ts";
import { connectTo, type Connections } from "./connect.ts";
import { persist } from "./failure.ts";
import { ensureSchema } from "./schema.ts";
import { drive } from "./session.ts";

/** What tests put in the place of the world. */
export type PostgresOptions = { readonly now?: () => number };

/** Whoever opens the store waits for an answer: a server that is away is waited for only briefly. */
const OPEN_MS = 3000;
const WAIT_MS = 30_000;
const VERSION = "SELECT count(*) AS count, min(n) AS first, max(n) AS last FROM commits";

export async function openPostgres(url: string, { now = Date.now }: PostgresOptions = {}): Promise<Store> {
  const connections = connectTo(url);
  const { path } = connections;
  try {
    await persist({ path, waitMs: OPEN_MS }, () => ensureSchema(connections));
  } catch (error) {
    await connections.close();
    throw error;
  }
  const ask = askOver(connections);
  return {
    ...queriesOf(ask),
    commit: commitsTo(connections, now),
    version: ask(function* (sql) {
      return JSON.stringify(yield* sql.get(VERSION));
    }),
    close: () => connections.close(),
  };
}

/** A query has no side effect: while the server is away it is asked again. */
function askOver(connections: Connections): Ask {
  const { path } = connections;
  return (work, sees) =>
    (...values) =>
      persist({ path, waitMs: WAIT_MS }, () =>
        connections.during(async (session) => {
          if (sees !== "moment") return drive(work(session.sql, ...values));
          const { sql } = session;
          sql.put("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
          const answer = await drive(work(sql, ...values));
          await drive(sql.run("COMMIT"));
          return answer;
        }),
      );
}
