/**
 * One at a time for each repository: git itself loses worktrees that are added in parallel.
 *
 * The lock is an exclusive SQLite transaction, which the system takes back when its holder dies.
 */

import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../format/sha256.ts";
import { unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import { translated } from "../store/recovery/damage.ts";
import { openFile } from "../store/sqlite.ts";
import { UserError } from "../user-error.ts";

const WAIT_MS = 120_000;
const AGAIN_MS = 15;
const BUSY = 5;
const CONFLICT = 6;

export type Lock = {
  readonly folder: string;
  readonly repo: string;
  readonly waitMs?: number;
  /** The refusal if the lock is not free in time. */
  readonly busy?: UserError;
};

export async function whileLocked<T>(lock: Lock, work: () => Promise<T>): Promise<T> {
  makeFolder(lock.folder);
  const name = sha256(lock.repo).slice(0, 32);
  const held = await take(lock, join(lock.folder, `${name}.lock`));
  try {
    return await work();
  } finally {
    held.close();
  }
}

async function take(lock: Lock, file: string): Promise<DatabaseSync> {
  const endsAt = Date.now() + (lock.waitMs ?? WAIT_MS);
  makeClosed(file);
  const database = openFile(file, { timeout: 0 });
  try {
    while (!begins(database)) {
      if (Date.now() >= endsAt) throw lock.busy ?? repositoryBusy(lock.repo);
      // Not all at the same moment again.
      await sleep(AGAIN_MS + Math.random() * AGAIN_MS);
    }
    return database;
  } catch (error) {
    database.close();
    throw translated(file, error);
  }
}

function repositoryBusy(repo: string): UserError {
  return new UserError(
    "repository-busy",
    `Another run has been making or removing a workspace of ${repo} for a long time.`,
    { next: "signalbox doctor", exit: CONFLICT },
  );
}

/**
 * Before SQLite makes it as the umask has it. One that is there is not opened: when a process closes a file, the system takes back
 * all its locks on it, also those that it holds by way of SQLite.
 */
function makeClosed(file: string): void {
  unless(["EEXIST"], () => closeSync(openSync(file, "wx", 0o600)));
  if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600);
}

function begins(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    // The lowest byte is the code; the rest says why.
    if (error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === BUSY) return false;
    throw error;
  }
}
