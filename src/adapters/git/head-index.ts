/**
 * The engine's index of the commit that a work tree is at: files that did not change since then need not be read again.
 *
 * It holds that commit and nothing else, so that a digest depends on the commit, the disk and the user's settings, and not on what
 * was digested before. A stamp is kept only for a file whose content was compared, and that had not been written for a moment by
 * then: git's own stamps are whole seconds, and a file can be written twice in one. Two processes at once are harmless: each works on
 * a copy, and the last one's stamps are as true as the first one's.
 */

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { failed, git, tryGit } from "./call.ts";
import { parseIndex, withStamps } from "./index-file.ts";
import type { IndexFile } from "./index-file.ts";
import { at } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { isSkipped, skippedOf } from "./sparse.ts";
import { withScratch } from "./scratch.ts";

const PREFIX = "index-";
const SETTLED_S = 1;

export async function headIndex(on: On, bench: Bench, tip: string): Promise<IndexFile> {
  const file = fileOf(bench, tip);
  const bytes = unless(["ENOENT"], () => readFileSync(file));
  const index = bytes === undefined ? undefined : parseIndex(bytes, bench.oidBytes);
  return index ?? make(on, bench, tip);
}

/** Keeps the stamps of an index that git has compared with the disk, after `startedAt`. */
export function keepStamps(
  bench: Bench,
  { tip, index, seen, startedAt }: { tip: string; index: IndexFile; seen: IndexFile; startedAt: number },
): void {
  const before = Math.floor(startedAt / 1000) - SETTLED_S;
  const bytes = withStamps(index, { from: seen, oidBytes: bench.oidBytes, before });
  if (bytes !== index.bytes) put(bench, tip, bytes);
}

function fileOf({ own }: Bench, tip: string): string {
  return join(own, `${PREFIX}${tip === "" ? "none" : tip}`);
}

/** What did not change since the last commit need not be read again. */
async function make(on: On, bench: Bench, tip: string): Promise<IndexFile> {
  const bytes = await withScratch(on, async (file) => {
    const call = at(bench, file);
    const args = ["read-tree", ...(tip === "" ? ["--empty"] : [tip])];
    const answer = await tryGit(on.env, { ...call, args });
    if (answer.code !== 0) throw refused(bench, failed({ ...call, args }, answer));
    const skipped = skippedOf(bench);
    if (skipped.length > 0) {
      const names = parsed(readFileSync(file), bench).entries.map(({ name }) => name);
      const absent = names.filter((name) => isSkipped(skipped, name)).map((name) => `${name}\0`);
      const input = Buffer.from(absent.join(""), "latin1");
      await git(on.env, { ...call, args: ["update-index", "--skip-worktree", "-z", "--stdin"], input });
    }
    return readFileSync(file);
  });
  const index = parsed(bytes, bench);
  const others = readdirSync(bench.own).filter((name) => name.startsWith(PREFIX));
  const last = unless(["ENOENT"], () => readFileSync(join(bench.own, others[0] ?? "none")));
  const from = last === undefined ? undefined : parseIndex(last, bench.oidBytes);
  const before = Number.MAX_SAFE_INTEGER;
  const stamped = from === undefined ? bytes : withStamps(index, { from, oidBytes: bench.oidBytes, before });
  put(bench, tip, stamped);
  for (const name of others)
    if (join(bench.own, name) !== fileOf(bench, tip)) rmSync(join(bench.own, name), { force: true });
  return parsed(stamped, bench);
}

function parsed(bytes: Buffer, { oidBytes, own }: Bench): IndexFile {
  const index = parseIndex(bytes, oidBytes);
  if (index === undefined) throw new Error(`git has written an index for ${own} that cannot be read`);
  return index;
}

/** A branch that names nothing: what the work is worth, nobody can tell. */
function refused({ path, branch }: Bench, cause: Error): Error {
  if (cause instanceof UserError) return cause;
  return new UserError("no-workspace", `${branch} of ${path} names no commit: ${cause.message}`, "git fsck");
}

function put(bench: Bench, tip: string, bytes: Buffer): void {
  const file = fileOf(bench, tip);
  const aside = join(bench.own, `new-${process.pid}`);
  writeFileSync(aside, bytes, { mode: 0o600 });
  renameSync(aside, file);
}
