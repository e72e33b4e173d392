/**
 * One supervisor for each state home: an exclusive SQLite transaction, which the system ends with its process.
 *
 * Nobody else opens the file: closing it anywhere in this process would give up the lock. SQLite itself knows about that.
 */

import { closeSync, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { failpoint } from "../failpoint.ts";
import { clearWay } from "../home/clear-way.ts";
import { makeFolder } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";
import { translated } from "../store/recovery/damage.ts";
import { openFile } from "../store/sqlite.ts";

export type SupervisorLock = { release(): void };

const BUSY = 5;
const NOT_A_DATABASE = 26;
/** Who only asks holds it for a moment; a supervisor holds it for longer than this. */
const TAKE_MS = 250;

/** A connection that nobody refers to any more would be closed, and the lock with it. */
const held = new Set<DatabaseSync>();

/** `undefined` where another process is the supervisor. */
export function takeSupervisorLock(home: Home): SupervisorLock | undefined {
  failpoint("supervisor.before-lock");
  const database = open(home, TAKE_MS);
  try {
    if (!isFree(database, "BEGIN EXCLUSIVE")) {
      database.close();
      return undefined;
    }
  } catch (error) {
    database.close();
    // Nobody can hold a lock on it, so that nobody loses one.
    if (!isCode(error, NOT_A_DATABASE) || !clearWay(home, home.supervisorLock, "it is no lock of ours"))
      throw translated(home.supervisorLock, error);
    return takeSupervisorLock(home);
  }
  held.add(database);
  failpoint("supervisor.after-lock");
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** Only asks to read, which takes a moment and which a supervisor that is about to take the lock waits for. */
export function isSupervisorAlive(home: Home): boolean {
  if (lstatSync(home.supervisorLock, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const database = open(home, 0);
  try {
    return !isFree(database, "SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    // Whoever wants to be the supervisor makes another one.
    if (isCode(error, NOT_A_DATABASE)) return false;
    throw translated(home.supervisorLock, error);
  } finally {
    database.close();
  }
}

function open(home: Home, waitMs: number): DatabaseSync {
  makeFolder(dirname(home.supervisorLock));
  const there = lstatSync(home.supervisorLock, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) clearWay(home, home.supervisorLock, "it is no lock of ours");
  createPrivate(home.supervisorLock);
  return openFile(home.supervisorLock, { timeout: waitMs });
}

function isFree(database: DatabaseSync, statement: string): boolean {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if (isCode(error, BUSY)) return false;
    throw error;
  }
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === code;
}

/** SQLite would make it with whatever the umask allows. An existing file is not opened: see above. */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
