/**
 * Changing refs, in the user's repository and in the mirror. Every change of a ref goes through here, because lock files may be in its
 * way: git can be killed during any change, and a killed fetch leaves a lock for each ref.
 */

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import { unless } from "../../files/errno.ts";
import { failpoint } from "../../failpoint.ts";
import { allSynced } from "../../home/all-synced.ts";
import { makeFolder } from "../../home/folders.ts";
import { newName } from "../../home/new-name.ts";
import { failed, tryGit, type GitAnswer, type GitCall } from "../call/call.ts";
import {
  freeRefLock,
  hasNoLock,
  lockNamedIn,
  removeOwnLock,
  requireFree,
  type KilledUpdate,
} from "../call/locks.ts";
import type { Git } from "../workspace/bench.ts";

/** Throws a UserError where a lock in the user's repository stays. Call under the repository's lock. */
export async function tryUpdateRef(on: Git, commonDir: string, call: GitCall): Promise<GitAnswer> {
  const isMirror = call.objects !== undefined;
  for (;;) {
    const killed = isMirror ? [] : killedUpdates(on, commonDir);
    const answer = await (isMirror ? tryGit(on.env, { ...call, durable: true }) : noted(on, commonDir, call));
    const file = answer.code === 0 ? undefined : lockNamedIn(answer.err);
    if (file === undefined) {
      for (const update of killed) if (hasNoLock(commonDir, update)) rmSync(update.notice, { force: true });
      return answer;
    }
    if (isMirror && !(await freeRefLock(commonDir, answer.err))) return answer;
    if (!isMirror && !killed.some((update) => removeOwnLock(commonDir, file, update)))
      await requireFree(commonDir, file);
  }
}

/**
 * Calls git after writing down which refs of the user's repository it changes. The notice stays if git, or this process, is killed.
 * Each git has a notice of its own, never changed: an earlier one still proves its lock, whoever is killed meanwhile.
 */
async function noted(on: Git, commonDir: string, call: GitCall): Promise<GitAnswer> {
  makeFolder(on.home.locks);
  const notice = join(on.home.locks, `${noticesOf(commonDir)}${newName()}`);
  const { args, input = "" } = call;
  writeFileSync(notice, `${args.join(" ")}\n${Buffer.from(input).toString("utf8")}`, { mode: 0o600 });
  failpoint("refs.after-notice");
  const answer = await tryGit(on.env, { ...call, durable: true });
  rmSync(notice, { force: true });
  return answer;
}

function killedUpdates(on: Git, commonDir: string): readonly KilledUpdate[] {
  const names = unless(["ENOENT"], () => readdirSync(on.home.locks)) ?? [];
  return names
    .filter((name) => name.startsWith(noticesOf(commonDir)))
    .map((name) => join(on.home.locks, name))
    .map((notice) => ({ notice, text: readFileSync(notice, "utf8"), sinceMs: statSync(notice).mtimeMs }));
}

/** What the names of the repository's notices begin with. */
function noticesOf(commonDir: string): string {
  return `${sha256(commonDir).slice(0, 32)}.refs.`;
}

export async function updateRef(on: Git, commonDir: string, call: GitCall): Promise<void> {
  const answer = await tryUpdateRef(on, commonDir, call);
  if (answer.code !== 0) throw failed(call, answer);
}

/**
 * Sets refs in the mirror, one after the other, durable when it returns. The mirror keeps refs as files and this is how git writes
 * them, without a process. Call under the repository's lock: an existing lock file belongs to a killed process.
 */
export async function writeRefs(
  mirror: string,
  refs: readonly (readonly [ref: string, oid: string])[],
): Promise<void> {
  const files = refs.map(([ref]) => join(mirror, ref));
  const folders = [...new Set(files.map((file) => dirname(file)))];
  for (const folder of folders) makeFolder(folder);
  for (const [index, [, oid]] of refs.entries()) {
    rmSync(`${files[index]}.lock`, { force: true });
    writeFileSync(`${files[index]}.lock`, `${oid}\n`, { flag: "wx", mode: 0o600 });
  }
  await allSynced(files.map((file) => `${file}.lock`));
  for (const file of files) renameSync(`${file}.lock`, file);
  await allSynced([...folders, ...folders.map((folder) => dirname(folder))]);
}
