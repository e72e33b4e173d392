/** Connections to one PostgreSQL server: how many, how long they wait, and how a dead one is noticed. */

import { Pool, type ClientBase } from "pg";
import type { LatestRun } from "../store/sql.ts";
import type { ParsedStatements } from "./packet.ts";
import { UserError } from "../user-error.ts";
import { sessionOf, type Session } from "./session.ts";

export const SCHEMA_NAME = "signalbox";

const CONNECTIONS_MAX = 8;
const CONNECT_MS = 5000;
const STATEMENT_MS = 20_000;
const LOCK_MS = 10_000;
/** A client that hangs inside of a transaction must not hold others up. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Longer than the server's own limit: only a connection that is dead takes so long. */
const ANSWER_MS = 30_000;
const KEEPALIVE_MS = 10_000;

/** A machine that is lost is noticed after 25 seconds instead of two hours. What was acknowledged is on the disk, whatever the default is. */
const SETTINGS = `SET search_path TO ${SCHEMA_NAME}; SET statement_timeout TO ${STATEMENT_MS}; SET lock_timeout TO ${LOCK_MS};
  SET idle_in_transaction_session_timeout TO ${IDLE_IN_TRANSACTION_MS};
  SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

export type Connections = {
  /** Without user and password. */
  readonly path: string;
  /** Gives a connection to the work; after an error that connection is closed. */
  during<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

export function connectTo(url: string): Connections {
  const path = nameOf(url);
  const latest = new Map<string, LatestRun>();
  const pool = new Pool({
    connectionString: url,
    application_name: "signalbox",
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    allowExitOnIdle: true,
  });
  // Without listeners a lost connection would end the process. The work that uses it, or the next one, finds out.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const begun = new WeakMap<ClientBase, ParsedStatements>();
  let closing: Promise<void> | undefined;
  return {
    path,
    async during(work) {
      const client = await pool.connect();
      try {
        const parsed = begun.get(client) ?? new Map();
        if (!begun.has(client)) await client.query(SETTINGS);
        begun.set(client, parsed);
        const done = await work(sessionOf(client, { path, latest, parsed }));
        client.release();
        return done;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    close: () => (closing ??= pool.end()),
  };
}

/** An address may have a password in it: a message never repeats it. */
function nameOf(url: string): string {
  const { protocol, host, pathname } = URL.canParse(url) ? new URL(url) : NO_ADDRESS;
  if (protocol === "postgres:" || protocol === "postgresql:") return `postgres://${host}${pathname}`;
  throw new UserError(
    "bad-address",
    "the address of the database is not one of PostgreSQL",
    "write it as postgres://USER@HOST/DATABASE",
  );
}

const NO_ADDRESS = { protocol: "", host: "", pathname: "" };
