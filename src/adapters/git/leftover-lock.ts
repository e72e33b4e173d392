/**
 * Lock files of git: another git is at work, or a killed one left them behind.
 *
 * In the user's repository a lock is never removed, because nothing shows for certain that its holder is dead: the engine waits for a
 * moment, then refuses and names the file. In the mirror nobody but the engine works: there a lock that no process holds is moved away.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unless } from "../files/errno.ts";
import { UserError } from "../user-error.ts";

type Locked = { readonly path: string; readonly gitDir: string };

const AGAIN_MS = 50;
const HIDDEN = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];
const CONFLICT = 6;

const ANY_LOCK = /Unable to create '(.+\.lock)': File exists/;
/** A git that changes refs takes a moment; what stays longer has nobody behind it. */
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
    await sleep(AGAIN_MS);
  }
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
    // Refs of ours are nobody else's; of others, somebody may be at work for longer.
    if (Date.now() > until && !file.includes("/refs/runs/")) return false;
    if (Date.now() > until) break;
    await sleep(AGAIN_MS);
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
