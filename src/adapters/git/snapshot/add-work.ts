/**
 * Adds all of the work to an index: what is on the disk now, tracked or not, without what is ignored.
 *
 * Rules for ignoring are part of the work, also where they hide themselves: then nothing becomes hidden without a change of the digest.
 * A folder that holds nothing of the work may hide all of itself, as the caches of many tools do.
 */

import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { failed, git, isNoRoom, tryGit, type GitAnswer, type GitCall } from "../call/call.ts";
import { removeUnfinished } from "../mirror/loose-objects.ts";
import { isThere } from "../repository/locate.ts";
import { at, type Bench, type Git } from "../workspace/bench.ts";
import { indexIn, type IndexFile } from "./index-file.ts";
import { bytePath } from "./paths.ts";

const NO_COMMIT = /^error: '(.+?)\/?' does not have a commit checked out$/m;
const NO_FILE = /^error: (.+): can only add regular files/m;
const TRIES_MAX = 3;
const ADD_MS = 2 * 60 * 60_000;
const GIT_REASON = /^(?:error|fatal): (.+)$/;
const QUOTED = /'(.+?)'/;
const GATE = 5;

type Added = { readonly file: string; readonly index: IndexFile; readonly copy: Buffer };

/** What git has made of the copy; the index itself where git found nothing to do. */
export async function withRules(on: Git, bench: Bench, { file, index, copy }: Added): Promise<IndexFile> {
  const read = () => {
    const bytes = readFileSync(file);
    return bytes.equals(index.bytes) || (copy === index.bytes && bytes.equals(copy))
      ? index
      : indexIn(bytes, bench);
  };
  const seen = read();
  const hidden = hiddenRules(bench.path, index, () => seen);
  if (hidden.length === 0) return seen;
  const input = Buffer.from(hidden.map((name) => `:(top,literal)${name}`).join("\0"), "latin1");
  const args = ["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
  await git(on.env, { ...at(bench, file), args, input });
  return read();
}

/**
 * Adds everything. A file that vanishes meanwhile, or a nested repository without a commit, is not a reason to fail. Gives the nested
 * repositories that git refused.
 */
export async function addAll(on: Git, bench: Bench, index: string): Promise<readonly string[]> {
  const without: string[] = [];
  const startedAt = Date.now();
  for (let tries = 1; ;) {
    const call: GitCall = { ...at(bench, index), ...addingAll(without) };
    const answer = await unlessStuck(on, bench, call);
    if (answer.code === 0) return without;
    const special = NO_FILE.exec(answer.err)?.[1];
    if (special !== undefined) throw refusedFile(bench, special);
    const nested = NO_COMMIT.exec(answer.err)?.[1];
    if (nested !== undefined && !without.includes(nested)) without.push(nested);
    else if (isNoRoom(answer)) {
      // The half of a large file may be all that fills the disk, and then not even the failure can be recorded.
      removeUnfinished(bench.mirror, startedAt);
      throw failed(call, answer);
    } else if (tries >= TRIES_MAX) throw unreadable(bench, call, answer);
    else tries += 1;
  }
}

/** Large files take their time. Git waits forever for a pipe in the place of its own files, so they are looked for while it works. */
async function unlessStuck(on: Git, bench: Bench, call: GitCall): Promise<GitAnswer> {
  let pipe: string | undefined;
  const isStuck = (): boolean => {
    [pipe] = pipesIn(bench.path);
    return pipe !== undefined;
  };
  try {
    return await tryGit(on.env, { ...call, limitMs: ADD_MS, isStuck });
  } catch (error) {
    if (pipe !== undefined) throw refusedFile(bench, pipe);
    throw error;
  }
}

function refusedFile({ path }: Bench, name: string): UserError {
  const sentence = `${name} in ${path} is a pipe, a socket or a device, which git cannot hold.`;
  return new UserError("special-file", sentence, { next: `remove ${join(path, name)}`, exit: GATE });
}

/** Names the file of the work that git does not accept, where it names one. */
function unreadable({ path }: Bench, call: GitCall, answer: GitAnswer): Error {
  const reasons = answer.err.split("\n").flatMap((line) => GIT_REASON.exec(line)?.[1] ?? []);
  const [, name] = QUOTED.exec(reasons.join("\n")) ?? [];
  const [reason = ""] = reasons;
  if (name === undefined || !isThere(join(path, name))) return failed(call, answer);
  return new UserError("unreadable-work", `Git cannot read ${name} in ${path}: ${reason}.`, {
    next: `fix or remove ${join(path, name)}`,
    exit: GATE,
  });
}

/** Names are given on standard input, where there are any: they may be many. */
function addingAll(without: readonly string[]): Pick<GitCall, "args" | "input"> {
  const args = ["add", "--all", "--sparse"];
  if (without.length === 0) return { args: [...args, "--", "."] };
  const input = Buffer.from([".", ...without.map((path) => `:(top,exclude,literal)${path}`)].join("\0"));
  return { args: [...args, "--pathspec-from-file=-", "--pathspec-file-nul"], input };
}

const RULES = ".gitignore";
const HIDDEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Names of such files that are on the disk and not in an index. */
function hiddenRules(path: string, index: IndexFile, seen: () => IndexFile): readonly string[] {
  const there = foldersOf(index)
    .map((folder) => `${folder}${RULES}`)
    .filter((name) => isFile(path, name));
  if (there.length === 0) return there;
  const known = new Set(seen().entries.map(({ name }) => name));
  return there.filter((name) => !known.has(name) && isInside(path, name));
}

/** Those without rules that are part of the work. */
function foldersOf({ entries }: IndexFile): readonly string[] {
  const folders = new Set([""]);
  const ruled = new Set<string>();
  let last = "";
  for (const { name } of entries) {
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    if (name.length === folder.length + RULES.length && name.endsWith(RULES)) ruled.add(folder);
    if (folder === last) continue;
    last = folder;
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 2) + 1) {
      const above = folder.slice(0, end);
      if (folders.has(above)) break;
      folders.add(above);
    }
  }
  return [...folders].filter((folder) => !ruled.has(folder));
}

function isFile(path: string, name: string): boolean {
  return unless(HIDDEN, () => lstatSync(bytePath(path, name), { throwIfNoEntry: false }))?.isFile() === true;
}

/** Not by way of a link. */
function isInside(path: string, name: string): boolean {
  const folder = name.slice(0, -RULES.length);
  const real = realpathSync(bytePath(path, folder), { encoding: "buffer" }).toString("latin1");
  return (
    real ===
    Buffer.from(join(path, "/")).toString("latin1").slice(0, -1) +
      (folder === "" ? "" : `/${folder.slice(0, -1)}`)
  );
}

const READ_BY_GIT = new Set([".gitignore", ".gitattributes", ".gitmodules", ".git/HEAD"]);

/** Paths from the top, as far as names are UTF-8. Folders are not entered by way of links. */
export function* pipesIn(root: string, below = ""): Generator<string> {
  const entries = unless(HIDDEN, () => readdirSync(join(root, below), { withFileTypes: true })) ?? [];
  for (const entry of entries) {
    const name = join(below, entry.name);
    if (entry.isDirectory() && name !== ".git") yield* pipesIn(root, name);
    else if (entry.isFIFO() && [...READ_BY_GIT].some((each) => `/${name}`.endsWith(`/${each}`))) yield name;
  }
}
