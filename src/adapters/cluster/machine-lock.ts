/**
 * The lock of a machine: a session of PostgreSQL that holds an advisory lock for as long as the worker lives.
 *
 * PostgreSQL gives the lock up when the connection ends. A worker that has lost its connection takes the lock again; whether another
 * machine has taken its runs over meanwhile is for the term to say.
 */

import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { isUnreachable } from "../postgres/failure.ts";

/** A lost machine is noticed by the server after about 25 seconds. */
const KEEPALIVE =
  "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";
const LOCK = "hashtextextended('signalbox machine ' || $1, 0)";
const AGAIN_MS = 200;

export class MachineLock {
  readonly #url: string;
  readonly #machine: string;
  #client: Client | undefined;
  #isClosed = false;

  constructor(url: string, machine: string) {
    this.#url = url;
    this.#machine = machine;
  }

  /** Returns when the lock is held: another process of this machine may have to end first. */
  async hold(): Promise<void> {
    while (!this.#isClosed) {
      const client = await this.#connect();
      if (client !== undefined && (await isTaken(client, this.#machine))) {
        this.#client = client;
        client.once("end", () => void this.#lost(client));
        return;
      }
      await client?.end().catch(() => undefined);
      await pause(AGAIN_MS);
    }
  }

  /** Does something while we hold the lock of another machine; undefined where that one is alive, or our session is not. */
  async whileGone<T>(machine: string, work: () => Promise<T>): Promise<T | undefined> {
    const client = this.#client;
    if (client === undefined || !(await isTaken(client, machine))) return undefined;
    try {
      return await work();
    } finally {
      await client.query(`SELECT pg_advisory_unlock(${LOCK})`, [machine]).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #lost(client: Client): Promise<void> {
    if (this.#client === client) this.#client = undefined;
    if (!this.#isClosed) await this.hold();
  }

  async #connect(): Promise<Client | undefined> {
    const client = new Client({ connectionString: this.#url, keepAlive: true });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query(KEEPALIVE);
      return client;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return undefined;
    }
  }
}

async function isTaken(client: Client, machine: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`, [
      machine,
    ]);
    return rows[0]?.taken === true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return false;
  }
}
