/**
 * Changing refs, in the user's repository and in the mirror. Every change of a ref goes through here, because lock files may be in its
 * way: git can be killed during any change, and a killed fetch leaves a lock for each ref.
 */

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allSynced } from "../../home/all-synced.ts";
import { makeFolder } from "../../home/folders.ts";
import { failed, tryGit, type Answer, type Call } from "../call/call.ts";
import { freeRefLock, lockNamedIn, requireFree } from "../call/locks.ts";
import type { Git } from "../workspace/bench.ts";

/** Throws a UserError where a lock in the user's repository stays. */
export async function tryUpdateRef(on: Git, commonDir: string, call: Call): Promise<Answer> {
  const isMirror = call.objects !== undefined;
  for (;;) {
    const answer = await tryGit(on.env, { ...call, durable: true });
    const file = answer.code === 0 ? undefined : lockNamedIn(answer.err);
    if (file === undefined) return answer;
    if (!isMirror) await requireFree(commonDir, file);
    else if (!(await freeRefLock(commonDir, answer.err))) return answer;
  }
}

export async function updateRef(on: Git, commonDir: string, call: Call): Promise<void> {
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
