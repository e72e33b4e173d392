/**
 * The work as one git tree: what is tracked and what is not, but not what is ignored, as it is on the disk now.
 *
 * Made with a copy of the index, so that neither the index nor the branch of whoever works there is touched, and neither a lock
 * nor a merge under way is in the way. The same content is the same tree, whether or not it was committed.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import type { Env, Home } from "../home/paths.ts";
import { git, GitError, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { artifactTest } from "./artifact-paths.ts";
import { copyIndex, parseIndex } from "./index-file.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";

export type On = { readonly home: Home; readonly env: Env };

/** A worktree and git's own folder for it. */
export type Bench = { readonly path: string; readonly gitDir: string; readonly isAlone?: boolean };

const NO_COMMIT = /^error: '(.+?)\/?' does not have a commit checked out$/m;
const TRIES_MAX = 3;
/** The version of the index that leaves out what a name shares with the one before. */
const PREFIXED = 4;

/** Gives an index of its own to work with, filled from the worktree's. Nothing is left of it afterwards. */
export async function withCopy<T>(on: On, bench: Bench, use: (index: string) => Promise<T>): Promise<T> {
  const folder = join(on.home.root, "tmp");
  makeFolder(folder);
  const index = join(folder, `index-${process.pid}-${newName()}`);
  try {
    const isCopied = await copyIndex({
      from: join(bench.gitDir, "index"),
      to: index,
      workTree: bench.path,
      oidBytes: oidBytesOf(bench.gitDir),
      nested: (path) => headOfNested(on, bench, path),
    });
    if (!isCopied) await fromHead(on, bench, index);
    return await use(index);
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

export async function treeOf(on: On, bench: Bench, artifacts: readonly string[]): Promise<string> {
  return withCopy(on, bench, async (index) => {
    await addAll(on, bench, index);
    await dropArtifacts(on, bench, { index, artifacts });
    return git(on.env, { ...at(bench, index), args: ["write-tree", "--missing-ok"] });
  });
}

/** How git is called for a worktree. One whose folder is gone still has an index and a HEAD. */
export function within({ path, gitDir, isAlone = false }: Bench): Omit<Call, "args"> {
  return existsSync(path) ? { cwd: path, gitDir, workTree: path, isAlone } : { cwd: gitDir, gitDir, isAlone };
}

/** The same with an index of ours. */
export function at(bench: Bench, index: string): Omit<Call, "args"> {
  return { ...within(bench), index };
}

/** Takes everything in. A file that vanishes meanwhile, or a nested repository without a commit, is no reason to fail. */
export async function addAll(on: On, bench: Bench, index: string): Promise<void> {
  const without: string[] = [];
  for (let tries = 1; ;) {
    const call: Call = {
      ...at(bench, index),
      args: ["add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"],
      input: Buffer.from([".", ...without.map((path) => `:(top,exclude,literal)${path}`)].join("\0")),
    };
    const answer = await tryGit(on.env, call);
    if (answer.code === 0) return;
    const nested = NO_COMMIT.exec(answer.err)?.[1];
    if (nested !== undefined && !without.includes(nested)) without.push(nested);
    else if (tries >= TRIES_MAX) throw new GitError(call, answer);
    else tries += 1;
  }
}

type Dropping = { readonly index: string; readonly artifacts: readonly string[] };

/** Mostly there is nothing to drop, because artifacts are ignored: then no process is needed. */
async function dropArtifacts(on: On, bench: Bench, { index, artifacts }: Dropping): Promise<void> {
  const bytes = unless(["ENOENT"], () => readFileSync(index));
  if (bytes === undefined) return;
  if (!mayHold(bytes, artifacts)) return;
  const isArtifact = artifactTest(artifacts);
  const names = parseIndex(bytes, oidBytesOf(bench.gitDir))?.entries.map(({ name }) => name) ?? [];
  const drop = names.filter(isArtifact);
  if (drop.length === 0) return;
  await git(on.env, {
    ...at(bench, index),
    args: ["update-index", "-z", "--force-remove", "--stdin"],
    input: Buffer.from(drop.map((name) => `${name}\0`).join(""), "latin1"),
  });
}

/** Names stand in the index as they are: where none of ours does, nothing has to be looked at one by one. */
function mayHold(bytes: Buffer, artifacts: readonly string[]): boolean {
  const isWritten = bytes.readUInt32BE(4) < PREFIXED;
  if (!isWritten || artifacts.some((path) => path.includes("{"))) return true;
  const names = artifacts.map((path) => path.slice(path.lastIndexOf("/") + 1));
  return [...names, ".signalbox-"].some((name) => bytes.includes(name));
}

async function fromHead(on: On, bench: Bench, index: string): Promise<void> {
  rmSync(index, { force: true });
  const head = await headOf(on, bench);
  if (head !== undefined) await git(on.env, { ...at(bench, index), args: ["read-tree", head] });
}

export async function headOf(on: On, bench: Bench): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  const answer = await tryGit(on.env, { ...within(bench), args });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}

/** Without starting anything inside: only where its HEAD is. */
async function headOfNested(on: On, bench: Bench, name: string): Promise<string | undefined> {
  const path = join(bench.path, Buffer.from(name, "latin1").toString("utf8"));
  const gitDir = gitDirOf(path);
  return gitDir === undefined ? undefined : headOf(on, { path, gitDir });
}

export function oidBytesOf(gitDir: string): number {
  const config = unless(["ENOENT"], () => readFileSync(join(commonDirOf(gitDir), "config"), "latin1")) ?? "";
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 32 : 20;
}
