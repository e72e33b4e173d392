/** Everything that goes wrong with the database, as what its owner can do about it. */

import { isFullAt, noRoom } from "../../home/room.ts";
import { UserError } from "../../user-error.ts";

const EXIT_FAILED = 1;
const EXIT_CONFLICT = 6;
export const EXIT_DAMAGED = 8;
const REPAIR = "signalbox doctor --repair";
const RESTORE =
  "restore the PostgreSQL database from a backup: signalbox doctor --repair repairs only the SQLite file of one machine";

// SQLite's result codes, without their upper byte, which only says more of the same.
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** With its upper byte: the index of the log could not grow, for which SQLite knows no other word. */
const IOERR_SHMSIZE = 4874;

export function damagedDatabase(path: string, reason: string, cause?: unknown): UserError {
  const error = new UserError("damaged", `${path} is damaged: ${reason}`, {
    next: remedyFor(path),
    exit: EXIT_DAMAGED,
  });
  if (cause !== undefined) error.cause = cause;
  return error;
}

export function damagedRun(path: string, run: string, reason: string): UserError {
  return new UserError("damaged", `run ${run} in ${path} is damaged: ${reason}`, {
    next: remedyFor(path),
    exit: EXIT_DAMAGED,
  });
}

/** What to do about damage in the database at this path or address. */
export function remedyFor(path: string): string {
  return path.startsWith("postgres:") ? RESTORE : REPAIR;
}

/** SQLite's result code, or undefined for an error that is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  const code = wholeCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function wholeCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

/** What SQLite says, in our words; anything else is our bug and stays what it is. */
export function translated(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (isForRoom(path, error)) return noRoom(path, "; nothing was changed");
  switch (code) {
    case CORRUPT:
    case NOTADB:
      return damagedDatabase(path, error.message, error);
    case ERROR:
      return /^no such (table|column|index)/.test(error.message)
        ? damagedDatabase(path, error.message, error)
        : error;
    case BUSY:
    case LOCKED:
      return mendable("busy", `${path} is in use by another process for too long`, [
        "try again",
        EXIT_CONFLICT,
      ]);
    case READONLY:
    case CANTOPEN:
      return mendable("not-writable", `${path} cannot be written: ${error.message}`, [
        `ls -l ${path}`,
        EXIT_FAILED,
      ]);
    case IOERR:
      return mendable(
        "disk-error",
        `reading or writing ${path} failed: ${error.message}; nothing was acknowledged`,
        ["signalbox doctor", EXIT_DAMAGED],
      );
  }
  return error;
}

/** A disk without room shows in other codes, too: files beside the database cannot be made, or cannot grow. */
function isForRoom(path: string, error: unknown): boolean {
  if (sqliteCode(error) === FULL || wholeCode(error) === IOERR_SHMSIZE) return true;
  const isVague = sqliteCode(error) === IOERR || sqliteCode(error) === CANTOPEN;
  return isVague && isFullAt(path);
}

function mendable(code: string, message: string, [next, exit]: readonly [string, number]): UserError {
  return new UserError(code, message, { next, exit });
}
