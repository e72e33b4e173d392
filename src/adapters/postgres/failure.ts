/** Everything that goes wrong with a PostgreSQL server: what is tried again, and what a user is told. */

import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../user-error.ts";

const EXIT_FAILED = 1;
const EXIT_CONFLICT = 6;

/** Others were in the way, and nothing was written: serialisation, deadlock, a row that another transaction has just made, a lock. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["40001", "40P01", "23505", "55P03"]);
/** The server ends, starts, has no place for another connection, or has ended one that was idle inside of a transaction. */
const SERVER_AWAY: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "53300", "25P03"]);
const SYSTEM_AWAY = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)/;
/** `pg` gives these no code. */
const CONNECTION_LOST =
  /^(?:Connection terminated|Client (?:has encountered|was closed)|Query read timeout|timeout exceeded)/;
const TOO_SLOW = "57014";
/** `pg` has no password for a server that asks for one. */
const NO_PASSWORD = /^SASL: /;
const NOT_ALLOWED: ReadonlySet<string> = new Set(["28P01", "28000", "3D000", "42501"]);

const TRIES_MAX = 20;
const PAUSE_MS = 20;
const PAUSE_MAX_MS = 1000;

export type Patience = {
  /** Where the database is, for messages. */
  readonly path: string;
  /** So long a server that is away is waited for. */
  readonly waitMs: number;
  /** The longest pause before the next attempt. */
  readonly pauseMs?: number;
};

/** Does it again while others are in the way, at most 20 times, and while the server is away; both for as long as the patience lasts. */
export async function persist<T>(
  { path, waitMs, pauseMs = PAUSE_MAX_MS }: Patience,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + waitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthIt = isUnreachable(error) || (isInTheWay(error) && tries < TRIES_MAX);
      if (!isWorthIt || performance.now() > until) throw translated(path, error);
      await pause(Math.random() * Math.min(pauseMs, PAUSE_MS * 2 ** tries));
    }
  }
}

function isInTheWay(error: unknown): boolean {
  return IN_THE_WAY.has(codeOf(error));
}

export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code.startsWith("08") ||
    SERVER_AWAY.has(code) ||
    SYSTEM_AWAY.test(code) ||
    (error instanceof Error && CONNECTION_LOST.test(error.message))
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function translated(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const way = (code: string, message: string, exit: number): UserError => {
    const told = new UserError(code, message, { next: "try again", exit });
    told.cause = error;
    return told;
  };
  if (isUnreachable(error))
    return way("unreachable", `${path} cannot be reached: ${reasonOf(error)}`, EXIT_FAILED);
  if (NOT_ALLOWED.has(codeOf(error)) || NO_PASSWORD.test(error.message))
    return way("database-refused", `${path} refuses this user or database: ${error.message}`, EXIT_FAILED);
  if (isInTheWay(error) || codeOf(error) === TOO_SLOW)
    return way("busy", `${path} is in use by others for too long`, EXIT_CONFLICT);
  return error;
}

/** Node gives one error for several addresses of a host, without words of its own. */
function reasonOf(error: Error): string {
  const errors: unknown = error instanceof AggregateError ? error.errors : undefined;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return error.message === "" && first instanceof Error ? first.message : error.message;
}
