/**
 * One supervisor for each state home: an exclusive SQLite transaction, which the system ends with its process.
 *
 * Nobody else opens the file: closing it anywhere in this process would give up the lock. SQLite itself knows about that.
 */

import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { failpoint } from "../failpoint.ts";
import { makeFolder } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";
import { openFile } from "../store/sqlite.ts";

export type SupervisorLock = { release(): void };

const BUSY = 5;
/** Who only asks holds it for a moment; a supervisor holds it for longer than this. */
const TAKE_MS = 250;

/** A connection that nobody refers to any more would be closed, and the lock with it. */
const held = new Set<DatabaseSync>();

/** `undefined` where another process is the supervisor. */
export function takeSupervisorLock(home: Home): SupervisorLock | undefined {
  failpoint("supervisor.before-lock");
  const database = open(home, TAKE_MS);
  if (!isFree(database, "BEGIN EXCLUSIVE")) {
    database.close();
    return undefined;
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
  if (!existsSync(home.supervisorLock)) return false;
  const database = open(home, 0);
  try {
    return !isFree(database, "SELECT count(*) FROM sqlite_schema");
  } finally {
    database.close();
  }
}

function open(home: Home, waitMs: number): DatabaseSync {
  makeFolder(dirname(home.supervisorLock));
  createPrivate(home.supervisorLock);
  return openFile(home.supervisorLock, { timeout: waitMs });
}

function isFree(database: DatabaseSync, statement: string): boolean {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return false;
    throw error;
  }
}

/** SQLite would make it with whatever the umask allows. An existing file is not opened: see above. */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
