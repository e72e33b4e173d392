/**
 * The engine's index of the commit that a work tree is at: files that did not change since then need not be read again.
 *
 * It holds that commit and nothing else, so that a digest depends on the commit, the disk and the user's settings, and not on what
 * was digested before. A stamp is kept only for a file whose content was compared, and that had not been written for a moment by
 * then: git's own stamps are whole seconds, and a file can be written twice in one. Two processes at once are harmless: each works on
 * a copy, and the last one's stamps are as true as the first one's.
 */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, unless } from "../../files/errno.ts";
import { writePrivate } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { failed, git, gitRecords, tryGit } from "../call/call.ts";
import { withScratch } from "../call/scratch.ts";
import { at, type Bench, type Git } from "../workspace/bench.ts";
import { indexIn, parseIndex, withStamps, type IndexFile } from "./index-file.ts";

const PREFIX = "index-";
const SETTLED_S = 1;

export async function headIndex(on: Git, bench: Bench, tip: string): Promise<IndexFile> {
  const file = fileOf(bench, tip);
  const bytes = unless(["ENOENT"], () => readFileSync(file));
  const index = bytes === undefined ? undefined : parseIndex(bytes, bench.oidBytes);
  return index ?? make(on, bench, tip);
}

/** Keeps the stamps of an index that git has compared with the disk, after `startedAt`. Without them the next digest only takes longer. */
export function keepStamps(
  bench: Bench,
  { tip, index, seen, startedAt }: { tip: string; index: IndexFile; seen: IndexFile; startedAt: number },
): void {
  const before = Math.floor(startedAt / 1000) - SETTLED_S;
  const bytes = withStamps(index, { from: seen, oidBytes: bench.oidBytes, before });
  if (bytes === index.bytes) return;
  try {
    put(bench, tip, bytes);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

function fileOf({ own }: Bench, tip: string): string {
  return join(own, `${PREFIX}${tip === "" ? "none" : tip}`);
}

/** What did not change since the last commit need not be read again. */
async function make(on: Git, bench: Bench, tip: string): Promise<IndexFile> {
  const bytes = await withScratch(on, async (file) => {
    const call = at(bench, file);
    const args = ["read-tree", ...(tip === "" ? ["--empty"] : [tip])];
    const answer = await tryGit(on.env, { ...call, args });
    if (answer.code !== 0) throw refused(bench, failed({ ...call, args }, answer));
    const skipped = skippedOf(bench);
    if (skipped.length > 0) {
      const names = indexIn(readFileSync(file), bench).entries.map(({ name }) => name);
      const absent = names.filter((name) => isSkipped(skipped, name)).map((name) => `${name}\0`);
      const input = Buffer.from(absent.join(""), "latin1");
      await git(on.env, { ...call, args: ["update-index", "--skip-worktree", "-z", "--stdin"], input });
    }
    return readFileSync(file);
  });
  const index = indexIn(bytes, bench);
  const others = readdirSync(bench.own).filter((name) => name.startsWith(PREFIX));
  const last = unless(["ENOENT"], () => readFileSync(join(bench.own, others[0] ?? "none")));
  const from = last === undefined ? undefined : parseIndex(last, bench.oidBytes);
  const before = Number.MAX_SAFE_INTEGER;
  const stamped = from === undefined ? bytes : withStamps(index, { from, oidBytes: bench.oidBytes, before });
  put(bench, tip, stamped);
  for (const name of others)
    if (join(bench.own, name) !== fileOf(bench, tip)) rmSync(join(bench.own, name), { force: true });
  return indexIn(stamped, bench);
}

/** The branch names a commit that does not exist, so the work cannot be compared with it. */
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

const FILE = "left-out";

/** Folders, with a slash at their end, and files. */
export async function noteSkipped(on: Git, bench: Bench, index: string): Promise<void> {
  if (!existsSync(join(bench.own, "info", "sparse-checkout"))) return;
  const records = await gitRecords(on.env, { ...at(bench, index), args: ["ls-files", "-t", "-z"] });
  const here = new Set<string>();
  for (const record of records)
    if (!record.startsWith("S ")) for (const folder of foldersOf(record.slice(2))) here.add(folder);
  const skipped = records
    .filter((record) => record.startsWith("S "))
    .map((record) => record.slice(2))
    .map((name) => foldersOf(name).find((folder) => !here.has(folder)) ?? name);
  const escaped = [...new Set(skipped)].map((name) => Buffer.from(name, "latin1").toString("base64url"));
  writePrivate(join(bench.own, FILE), escaped.map((line) => `${line}\n`).join(""));
}

function skippedOf({ own }: Bench): readonly string[] {
  const text = unless(["ENOENT"], () => readFileSync(join(own, FILE), "utf8")) ?? "";
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Buffer.from(line, "base64url").toString("latin1"));
}

function isSkipped(skipped: readonly string[], name: string): boolean {
  return skipped.some((each) => (each.endsWith("/") ? name.startsWith(each) : name === each));
}

/** From the top. */
function foldersOf(name: string): readonly string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, place) => `${parts.slice(0, place + 1).join("/")}/`);
}
