/**
 * Changing refs, in the user's repository and in the mirror. Every change of a ref goes through here, because lock files may be in its
 * way: git can be killed during any change, and a killed fetch leaves a lock for each ref.
 */

import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import { unless } from "../../files/errno.ts";
import { failpoint } from "../../failpoint.ts";
import { allSynced } from "../../home/all-synced.ts";
import { makeFolder } from "../../home/folders.ts";
import { failed, tryGit, type Answer, type Call } from "../call/call.ts";
import { freeRefLock, lockNamedIn, removeOwnLock, requireFree, type KilledUpdate } from "../call/locks.ts";
import type { Git } from "../workspace/bench.ts";

/** Throws a UserError where a lock in the user's repository stays. Call under the repository's lock. */
export async function tryUpdateRef(on: Git, commonDir: string, call: Call): Promise<Answer> {
  const isMirror = call.objects !== undefined;
  if (isMirror) return repeated(on, call, ({ err }) => freeRefLock(commonDir, err));
  const notice = noticeOf(on, commonDir);
  const earlier = notice.read();
  notice.write(call);
  failpoint("refs.after-notice");
  try {
    const answer = await repeated(on, call, async (_answer, file) => {
      if (earlier === undefined || !removeOwnLock(commonDir, file, earlier))
        await requireFree(commonDir, file);
      return true;
    });
    notice.remove();
    return answer;
  } catch (error) {
    // The lock of the killed git may still be there.
    if (earlier === undefined) notice.remove();
    else notice.restore(earlier);
    throw error;
  }
}

/** Calls git again as long as a lock file is in its way and `free` gets it out of the way. */
async function repeated(
  on: Git,
  call: Call,
  free: (answer: Answer, file: string) => Promise<boolean>,
): Promise<Answer> {
  for (;;) {
    const answer = await tryGit(on.env, { ...call, durable: true });
    const file = answer.code === 0 ? undefined : lockNamedIn(answer.err);
    if (file === undefined || !(await free(answer, file))) return answer;
  }
}

/** Says which refs of the user's repository a git of the engine is about to change. It stays only if that git was killed. */
function noticeOf(on: Git, commonDir: string) {
  const file = join(on.home.locks, `${sha256(commonDir).slice(0, 32)}.refs`);
  return {
    read: (): KilledUpdate | undefined =>
      unless(["ENOENT"], () => ({ text: readFileSync(file, "utf8"), sinceMs: statSync(file).mtimeMs })),
    write: ({ args, input = "" }: Call): void => {
      makeFolder(on.home.locks);
      writeFileSync(file, `${args.join(" ")}\n${Buffer.from(input).toString("latin1")}`, { mode: 0o600 });
    },
    restore: ({ text, sinceMs }: KilledUpdate): void => {
      writeFileSync(file, text, { mode: 0o600 });
      utimesSync(file, sinceMs / 1000, sinceMs / 1000);
    },
    remove: (): void => rmSync(file, { force: true }),
  };
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
