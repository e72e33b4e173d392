/**
 * The digest of the work.
 *
 * It is the id of the git tree of what is on the disk now: what is tracked and what is not, but neither artifacts nor what is
 * ignored. Where the run's branch holds something else, the id of the branch's tree stands behind it (`WORK+BRANCH`): what was looked
 * at is what the branch will give, and moving the branch under unchanged files is a change. In a person's own checkout the branch is not
 * the run's, and there is nothing behind it.
 *
 * Made with indexes of ours, so that neither the index nor the branch of whoever works there is touched or believed, and neither a
 * lock nor a merge under way is in the way.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { artifactTest } from "./artifact-paths.ts";
import { failed, git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { headIndex, isIndexed, keepStamps, tipOf } from "./head-index.ts";
import { hiddenRules } from "./hidden-rules.ts";
import { copyIndex, GITLINK, isSameEntry, pairs, parseIndex, rootTree, withNested } from "./index-file.ts";
import type { IndexFile } from "./index-file.ts";
import { gitDirOf } from "./locate.ts";
import { rememberObjects } from "./new-objects.ts";
import { at, inRepository, keptAway, leaveOut, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { putTree } from "./put-tree.ts";
import { headAt, isTabled } from "./refs.ts";
import { withScratch } from "./scratch.ts";

const NO_COMMIT = /^error: '(.+?)\/?' does not have a commit checked out$/m;
const TRIES_MAX = 3;

export async function digest(on: On, bench: Bench, own: readonly string[]): Promise<string> {
  const artifacts = bench.isPlace === true ? [...own, ...keptAway(bench)] : own;
  // In place, one run comes after the other: what the last one left out must not be left out for the next.
  if (bench.isPlace !== true) leaveOut(bench, artifacts);
  const tip = bench.isPlace === true ? await presentTip(on, bench) : await tipOf(on, bench);
  const index = await headIndex(on, bench, tip);
  const startedAt = Date.now();
  return withScratch(on, async (file) => {
    const copy = withNested(index, { workTree: bench.path, oidBytes: bench.oidBytes }, nestedIn(bench));
    writeFileSync(file, copy, { mode: 0o600 });
    await addAll(on, bench, file);
    const seen = await withRules(on, bench, { file, index, copy });
    const keep = (): void => keepStamps(bench, { tip, index, seen, startedAt });
    if (seen !== index) (on.later ?? atOnce)(keep);
    const isArtifact = artifactTest(artifacts);
    const isSame = seen === index || isSameWork(index, seen, isArtifact);
    const written = { file, index: seen, isArtifact, of: { tip, index }, ...(isSame ? { same: index } : {}) };
    const work = await onceMore(on, bench, { artifacts, written });
    if ((isSame && tip !== "") || bench.isPlace === true) return work;
    if (tip === "") return `${work}+none`;
    writeFileSync(file, index.bytes);
    return `${work}+${await treeWithout(on, bench, { file, index, isArtifact, of: { tip, index } })}`;
  });
}

/** The commit that the person is at; empty where there is none. Git is asked once about each: from then on there is an index of it. */
async function presentTip(on: On, bench: Bench): Promise<string> {
  const read = isTabled(bench.commonDir) ? undefined : headAt(bench.gitDir);
  return read !== undefined && isIndexed(bench, read) ? read : ((await headOf(on, bench)) ?? "");
}

function atOnce(work: () => void): void {
  work();
}

/** The tree of the work in a digest. */
export function workOf(digested: string): string {
  return digested.split("+", 1)[0] ?? digested;
}

/** All that is in the work of a digest. */
export async function filesOf(on: On, bench: Bench, digested: string): Promise<readonly string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", workOf(digested)];
  const { code, out } = await tryGit(on.env, { ...within(bench), args });
  const names = code === 0 ? out.toString("utf8").split("\0") : [];
  return names.filter((name) => name !== "");
}

type Added = { readonly file: string; readonly index: IndexFile; readonly copy: Buffer };

/** What git has made of the copy; the index itself where git found nothing to do. */
async function withRules(on: On, bench: Bench, { file, index, copy }: Added): Promise<IndexFile> {
  const read = () => {
    const bytes = readFileSync(file);
    return bytes.equals(index.bytes) || (copy === index.bytes && bytes.equals(copy))
      ? index
      : parsed(bytes, bench);
  };
  const seen = read();
  const hidden = hiddenRules(bench.path, index, () => seen);
  if (hidden.length === 0) return seen;
  const input = Buffer.from(hidden.map((name) => `:(top,literal)${name}`).join("\0"), "latin1");
  const args = ["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
  await git(on.env, { ...at(bench, file), args, input });
  return read();
}

function parsed(bytes: Buffer, { oidBytes, own }: Bench): IndexFile {
  const index = parseIndex(bytes, oidBytes);
  if (index === undefined) throw new Error(`git has written an index for ${own} that cannot be read`);
  return index;
}

function isSameWork(one: IndexFile, other: IndexFile, isArtifact: (name: string) => boolean): boolean {
  for (const [a, b] of pairs(one, other)) {
    const isSame = a !== undefined && b !== undefined && isSameEntry(one, other, [a, b]);
    if (!isSame && !isArtifact(a?.name ?? b?.name ?? "")) return false;
  }
  return true;
}

type Written = {
  /** Holds what the index says; it is changed where artifacts are in it. */
  readonly file: string;
  readonly index: IndexFile;
  readonly isArtifact: (name: string) => boolean;
  /** Another index with the same work, of which git knows the tree. */
  readonly same?: IndexFile;
  /** The commit that the work began from. */
  readonly of: { readonly tip: string; readonly index: IndexFile };
};

/** By folder of ours, the last work of a digest. Most gates are passed without a change of it. */
const lastWork = new WeakMap<On, Map<string, Last>>();

/** Of a large project, what is saved is little beside the rest, and what is held is much. */
const ENTRIES_MAX = 10_000;

type Last = { readonly index: IndexFile; readonly artifacts: string; readonly tree: string };

/** The same contents under the same names are the same tree, which git has written before. */
async function onceMore(
  on: On,
  bench: Bench,
  { artifacts, written }: { readonly artifacts: readonly string[]; readonly written: Written },
): Promise<string> {
  const { index, isArtifact } = written;
  const all = lastWork.get(on) ?? new Map<string, Last>();
  const last = all.get(bench.own);
  const left = artifacts.join("\0");
  if (last?.artifacts === left && isSameWork(last.index, index, isArtifact) && isLoose(bench, last.tree))
    return last.tree;
  const tree = await treeWithout(on, bench, written);
  if (index.entries.length <= ENTRIES_MAX)
    lastWork.set(on, all.set(bench.own, { index, artifacts: left, tree }));
  return tree;
}

/** Nobody has thrown it away meanwhile. */
function isLoose({ commonDir }: Bench, oid: string): boolean {
  return existsSync(join(commonDir, "objects", oid.slice(0, 2), oid.slice(2)));
}

/** Mostly there are no artifacts in it, because they are ignored: then no process is needed. */
async function treeWithout(on: On, bench: Bench, written: Written): Promise<string> {
  const { file, index, isArtifact, same = index } = written;
  const drop = index.entries.filter(({ name }) => isArtifact(name));
  const isPlain = drop.length === 0 && !same.entries.some(({ name }) => isArtifact(name));
  const known = isPlain ? rootTree(same, bench.oidBytes) : undefined;
  if (known !== undefined) return known;
  const made = drop.length === 0 ? putTree(bench, index) : undefined;
  if (made !== undefined) {
    const objects = [...made.trees, ...newIn(index, written.of.index)];
    rememberObjects(on, bench, { commit: written.of.tip, tree: made.tree, objects });
    return made.tree;
  }
  if (drop.length > 0)
    await git(on.env, {
      ...at(bench, file),
      args: ["update-index", "-z", "--force-remove", "--stdin"],
      input: Buffer.from(drop.map(({ name }) => `${name}\0`).join(""), "latin1"),
    });
  return git(on.env, { ...at(bench, file), args: ["write-tree", "--missing-ok"] });
}

/** The contents in one index that another has not under the same name. Commits of nested repositories are not in ours. */
function newIn(index: IndexFile, before: IndexFile): readonly string[] {
  const found = new Set<string>();
  for (const [was, is] of pairs(before, index)) {
    if (is === undefined || is.mode === GITLINK) continue;
    if (was === undefined || !isSameEntry(before, index, [was, is]))
      found.add(index.bytes.toString("hex", is.oidAt, is.flagsAt));
  }
  return [...found];
}

/** Gives an index of its own to work with, filled with the names that the worktree's holds. */
export async function withCopy<T>(on: On, bench: Bench, use: (index: string) => Promise<T>): Promise<T> {
  return withScratch(on, async (to) => {
    const from = join(bench.gitDir, "index");
    const { path: workTree, oidBytes } = bench;
    if (!copyIndex({ from, to, workTree, oidBytes }, nestedIn(bench))) await fromHead(on, bench, to);
    return use(to);
  });
}

/** Takes everything in. A file that vanishes meanwhile, or a nested repository without a commit, is no reason to fail. */
export async function addAll(on: On, bench: Bench, index: string): Promise<void> {
  const without: string[] = [];
  for (let tries = 1; ;) {
    const call: Call = { ...at(bench, index), ...addingAll(without) };
    const answer = await tryGit(on.env, call);
    if (answer.code === 0) return;
    const nested = NO_COMMIT.exec(answer.err)?.[1];
    if (nested !== undefined && !without.includes(nested)) without.push(nested);
    else if (tries >= TRIES_MAX) throw failed(call, answer);
    else tries += 1;
  }
}

/** Names are given on standard input, where there are any: they may be many. */
function addingAll(without: readonly string[]): Pick<Call, "args" | "input"> {
  const args = ["add", "--all", "--sparse"];
  if (without.length === 0) return { args: [...args, "--", "."] };
  const input = Buffer.from([".", ...without.map((path) => `:(top,exclude,literal)${path}`)].join("\0"));
  return { args: [...args, "--pathspec-from-file=-", "--pathspec-file-nul"], input };
}

async function fromHead(on: On, bench: Bench, index: string): Promise<void> {
  const head = await headOf(on, bench);
  if (head !== undefined) await git(on.env, { ...at(bench, index), args: ["read-tree", head] });
}

/** Where the worktree's HEAD is. */
export async function headOf(on: On, bench: Bench): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  const answer = await tryGit(on.env, { ...inRepository(bench), args });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}

/** Without starting anything inside: only where its HEAD is. */
function nestedIn(bench: Bench): (name: string) => string | undefined {
  return (name) => {
    const gitDir = gitDirOf(join(bench.path, Buffer.from(name, "latin1").toString("utf8")));
    return gitDir === undefined ? undefined : headAt(gitDir);
  };
}
