/**
 * `index.lock`, and locks of refs of ours: another git at work, or what a killed one left behind.
 *
 * One that is at work is waited for. What is left behind is moved out of the way, never deleted.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unless } from "../files/errno.ts";

type Locked = { readonly path: string; readonly gitDir: string };

const LIVE_MS = 60_000;
/** Where processes cannot be seen, a lock that stays for this long is left behind. */
const BLIND_MS = 20_000;
const AGAIN_MS = 50;
const HIDDEN = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];

export async function freeIndexLock(bench: Locked): Promise<void> {
  const file = join(bench.gitDir, "index.lock");
  const startedAt = Date.now();
  for (;;) {
    if (unless(["ENOENT"], () => lstatSync(file)) === undefined) return;
    const isLive = isGitAtWork(bench);
    const waitedMs = Date.now() - startedAt;
    if (isLive === false || waitedMs > (isLive === undefined ? BLIND_MS : LIVE_MS)) break;
    await sleep(AGAIN_MS);
  }
  unless(["ENOENT"], () => renameSync(file, join(bench.gitDir, `index.lock.left-${Date.now()}`)));
}

/** Refs that the engine changes, in the user's repository and in the mirror, and the files that git locks with them. */
const REF_LOCK =
  /Unable to create '(.+\/(?:refs\/(?:heads|remotes|tags|runs|upstream)\/.+|HEAD|packed-refs|shallow)\.lock)': File exists/;
/** A git that changes refs takes a moment; what stays longer has nobody behind it. */
const REF_MS = 2000;

/** For who holds the lock of the repository: no other Signalbox is at work there. Says whether one was moved out of the way. */
export async function freeRefLock(commonDir: string, said: string): Promise<boolean> {
  const file = REF_LOCK.exec(said)?.[1];
  if (file === undefined || !file.startsWith(`${commonDir}/`)) return false;
  const until = Date.now() + REF_MS;
  while (isGitAtWork({ path: commonDir, gitDir: commonDir }) !== false) {
    if (unless(["ENOENT"], () => lstatSync(file)) === undefined) return true;
    // Refs of ours are nobody else's; of others, somebody may be at work for longer.
    if (Date.now() > until && !file.includes("/refs/runs/")) return false;
    if (Date.now() > until) break;
    await sleep(AGAIN_MS);
  }
  // Out of the folder of refs: git would take it for one.
  const aside = join(commonDir, `left-${Date.now()}-${basename(file)}`);
  return unless(["ENOENT"], () => (renameSync(file, aside), true)) ?? true;
}

/** `undefined` where the system does not tell. */
export function isGitAtWork({ path, gitDir }: Locked): boolean | undefined {
  const pids = unless(HIDDEN, () => readdirSync("/proc"))?.filter((name) => /^\d+$/.test(name));
  if (pids === undefined) return undefined;
  return pids.some((pid) => {
    const name = unless(HIDDEN, () => readFileSync(`/proc/${pid}/comm`, "utf8"))?.trim() ?? "";
    if (!name.startsWith("git")) return false;
    const cwd = unless(HIDDEN, () => readlinkSync(`/proc/${pid}/cwd`)) ?? "";
    if (cwd === path || cwd.startsWith(`${path}/`)) return true;
    const environ = unless(HIDDEN, () => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
    return environ.split("\0").includes(`GIT_DIR=${Buffer.from(gitDir).toString("latin1")}`);
  });
}
