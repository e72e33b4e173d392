/**
 * Locks: the engine's own, one for each repository, and lock files that git leaves behind where it is killed.
 *
 * The engine's lock is an exclusive SQLite transaction, which the system takes back when its holder dies. Without it, git itself loses
 * changes that are made in parallel.
 */

import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../../format/sha256.ts";
import { unless } from "../../files/errno.ts";
import { makeFolder } from "../../home/folders.ts";
import { translated } from "../../store/recovery/damage.ts";
import { openFile } from "../../store/sqlite.ts";
import { UserError } from "../../user-error.ts";

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
 * Before SQLite makes it as the umask has it. An existing file is not opened: when a process closes a file, the system takes back
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

type Locked = { readonly path: string; readonly gitDir: string };

const LOOK_MS = 50;
const HIDDEN = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];

const ANY_LOCK = /Unable to create '(.+\.lock)': File exists/;
/** A git that changes refs takes a moment. The process of a lock that stays longer is dead. */
const REF_MS = 2000;

/** The lock that made a git of ours fail; undefined where it failed for another reason. */
export function lockNamedIn(said: string): string | undefined {
  return ANY_LOCK.exec(said)?.[1];
}

/** Waits until a lock in the user's repository is gone. Throws a UserError where it stays. */
export async function requireFree(commonDir: string, file: string): Promise<void> {
  const until = Date.now() + REF_MS;
  while (isLocked(file)) {
    if (Date.now() > until) throw locked(commonDir, file);
    await sleep(LOOK_MS);
  }
}

/** A git of the engine that was killed while it changed refs of the user's repository: its notice, its arguments and input, and when it began. */
export type KilledUpdate = { readonly notice: string; readonly text: string; readonly sinceMs: number };

/**
 * Removes the lock of a ref that a killed git of the engine was changing. Every other lock in the user's repository stays: this one must
 * be for a ref that the engine was changing, not older than that change, and no git may be at work there.
 */
export function removeOwnLock(commonDir: string, file: string, update: KilledUpdate): boolean {
  const made = unless(["ENOENT"], () => statSync(file).mtimeMs);
  if (made === undefined || made < Math.floor(update.sinceMs)) return false;
  if (!locksOf(commonDir, update).includes(file) || !isQuiet(commonDir)) return false;
  unlinkSync(file);
  return true;
}

/** Whether a killed git has left no lock, and none that has lost its parent process can still take one. */
export function hasNoLock(commonDir: string, update: KilledUpdate): boolean {
  return isQuiet(commonDir) && !locksOf(commonDir, update).some(isLocked);
}

function locksOf(commonDir: string, { text }: KilledUpdate): readonly string[] {
  const refs = text.split(/\s+/).filter((word) => word.startsWith("refs/"));
  return refs.map((ref) => join(commonDir, `${ref}.lock`));
}

/** Whether the system says that no git is at work there. */
function isQuiet(commonDir: string): boolean {
  return gitsIn([dirname(commonDir), commonDir, ...linkedWorktrees(commonDir)], commonDir)?.length === 0;
}

function isLocked(file: string): boolean {
  return unless(["ENOENT", "ENOTDIR"], () => lstatSync(file)) !== undefined;
}

function locked(commonDir: string, file: string): UserError {
  const [holder] = gitsIn([dirname(commonDir), commonDir, ...linkedWorktrees(commonDir)], commonDir) ?? [];
  const who =
    holder === undefined
      ? "no git process is known to be at work there"
      : `git process ${holder.pid} is at work there (${holder.command})`;
  return new UserError("repository-locked", `Git's lock file ${file} exists; ${who}. Nothing was changed.`, {
    next:
      holder === undefined
        ? `rm '${file}' if no git is at work there, then the same command again`
        : `wait until process ${holder.pid} ends, then the same command again`,
    exit: CONFLICT,
  });
}

function linkedWorktrees(commonDir: string): readonly string[] {
  const folder = join(commonDir, "worktrees");
  const names = unless(HIDDEN, () => readdirSync(folder)) ?? [];
  return names.flatMap((name) => {
    const file = unless(HIDDEN, () => readFileSync(join(folder, name, "gitdir"), "utf8"))?.trim();
    return file === undefined ? [] : [dirname(file)];
  });
}

/** Refs that the engine changes in the mirror, and the files that git locks with them. */
const REF_LOCK =
  /Unable to create '(.+\/(?:refs\/(?:heads|remotes|tags|runs|upstream)\/.+|HEAD|packed-refs|shallow)\.lock)': File exists/;

/** In the mirror, for the holder of the repository's lock. Says whether a lock was moved away. */
export async function freeRefLock(mirror: string, said: string): Promise<boolean> {
  const file = REF_LOCK.exec(said)?.[1];
  if (file === undefined || !file.startsWith(`${mirror}/`)) return false;
  const until = Date.now() + REF_MS;
  while (isGitAtWork({ path: mirror, gitDir: mirror }) !== false) {
    if (!isLocked(file)) return true;
    // Only the engine changes its own refs; with other refs, another program may be at work for longer.
    if (Date.now() > until && !file.includes("/refs/runs/")) return false;
    if (Date.now() > until) break;
    await sleep(LOOK_MS);
  }
  // Out of the folder of refs: git would take it for one.
  const aside = join(mirror, `left-${Date.now()}-${basename(file)}`);
  return unless(["ENOENT"], () => (renameSync(file, aside), true)) ?? true;
}

/** `undefined` where the system does not tell. */
export function isGitAtWork({ path, gitDir }: Locked): boolean | undefined {
  const found = gitsIn([path], gitDir);
  return found === undefined ? undefined : found.length > 0;
}

type Holder = { readonly pid: string; readonly command: string };

/** Git processes that work in one of the folders or with the git directory; `undefined` where the system does not tell. */
function gitsIn(folders: readonly string[], gitDir: string): readonly Holder[] | undefined {
  const pids = unless(HIDDEN, () => readdirSync("/proc"))?.filter((name) => /^\d+$/.test(name));
  return pids?.flatMap((pid) => {
    const name = unless(HIDDEN, () => readFileSync(`/proc/${pid}/comm`, "utf8"))?.trim() ?? "";
    if (!name.startsWith("git")) return [];
    const cwd = unless(HIDDEN, () => readlinkSync(`/proc/${pid}/cwd`)) ?? "";
    const isThere = folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`));
    if (!isThere && !environmentOf(pid).includes(`GIT_DIR=${Buffer.from(gitDir).toString("latin1")}`))
      return [];
    const argv = unless(HIDDEN, () => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? name;
    return [{ pid, command: argv.split("\0").join(" ").trim() }];
  });
}

function environmentOf(pid: string): readonly string[] {
  return (unless(HIDDEN, () => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "").split("\0");
}
