/**
 * The digest of the work: the id of the git tree of what is on the disk now, tracked or not, without artifacts and ignored files.
 *
 * It is made with the bench's indexes, so that neither the index nor the branch of the work tree's owner is touched or believed, and
 * no lock or interrupted merge there is in the way. Committing the same content does not change it.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, tryGit } from "../call/call.ts";
import { withScratch } from "../call/scratch.ts";
import { entriesIn, NESTED_MODE } from "../mirror/loose-objects.ts";
import { writeTree } from "../mirror/write-objects.ts";
import { commonDirOf, gitDirOf } from "../repository/locate.ts";
import { headAt } from "../repository/refs.ts";
import { at, keptAway, leaveOut, within, type Bench, type Git } from "../workspace/bench.ts";
import { addAll, withRules } from "./add-work.ts";
import { tipOf } from "./agent-head.ts";
import { headIndex, keepStamps } from "./head-index.ts";
import { GITLINK, isSameEntry, pairs, withNested, type IndexFile } from "./index-file.ts";
import { artifactTest, textOfName } from "./paths.ts";

export async function digest(on: Git, bench: Bench, own: readonly string[]): Promise<string> {
  const artifacts = bench.isPlace === true ? [...own, ...keptAway(bench)] : own;
  // In place, one run comes after the other: what the last one left out must not be left out for the next.
  if (bench.isPlace !== true) leaveOut(bench, artifacts);
  const tip = await tipOf(on, bench);
  const index = await headIndex(on, bench, tip);
  const startedAt = Date.now();
  return withScratch(on, async (file) => {
    const copy = withNested(index, { workTree: bench.path, oidBytes: bench.oidBytes }, nestedIn(bench));
    writeFileSync(file, copy, { mode: 0o600 });
    const refused = await addAll(on, bench, file);
    const seen = await withRules(on, bench, { file, index, copy });
    if (seen !== index) keepStamps(bench, { tip, index, seen, startedAt });
    const isArtifact = artifactTest(artifacts);
    const isSame = seen === index || isSameWork(index, seen, isArtifact);
    const written = { file, index: seen, isArtifact, ...(isSame ? { same: index } : {}) };
    const tree = await treeWithout(on, bench, written);
    const hasNew = refused.length > 0 || hasNewNested(index, seen);
    const known = lastNested.get(on) ?? new Map<string, Nesting>();
    lastNested.set(on, known.set(bench.own, { tree, tip, hasNew, hasAny: seen.entries.some(isNested) }));
    return tree;
  });
}

type Nesting = {
  readonly tree: string;
  readonly tip: string;
  /** Whether the work has repositories inside that the tip does not have. */
  readonly hasNew: boolean;
  /** Whether the tree has any. */
  readonly hasAny: boolean;
};

function isNested({ mode }: { readonly mode: number }): boolean {
  return mode === GITLINK;
}

function hasNewNested(tip: IndexFile, seen: IndexFile): boolean {
  if (!seen.entries.some(isNested)) return false;
  return [...pairs(tip, seen)].some(([a, b]) => b?.mode === GITLINK && a?.mode !== GITLINK);
}

/** What the last digest of each work tree in this process found. */
const lastNested = new WeakMap<Git, Map<string, Nesting>>();

/** What the last digest found of repositories inside the work, if it was of this tree. */
export function nestingOf(on: Git, bench: Bench, tree: string): Nesting | undefined {
  const last = lastNested.get(on)?.get(bench.own);
  return last?.tree === tree ? last : undefined;
}

/** All that is in the work of a digest. */
export async function filesOf(on: Git, bench: Bench, tree: string): Promise<readonly string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree];
  const { code, out } = await tryGit(on.env, { ...within(bench), args });
  const names = code === 0 ? out.toString("utf8").split("\0") : [];
  return names.filter((name) => name !== "");
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
};

/** Whether the work of a digest has repositories inside: known without git for the last digest of this process. */
export async function hasNested(on: Git, bench: Bench, tree: string): Promise<boolean> {
  const known = nestingOf(on, bench, tree);
  if (known !== undefined) return known.hasAny;
  return (await entriesIn(on, bench.mirror, tree)).some(({ mode }) => mode === NESTED_MODE);
}

async function treeWithout(on: Git, bench: Bench, written: Written): Promise<string> {
  const { file, index, isArtifact, same = index } = written;
  const { mirror, oidBytes } = bench;
  const tree = writeTree({ mirror, oidBytes, index: same, isLeftOut: isArtifact });
  if (tree !== undefined) return tree;
  const drop = index.entries.filter(({ name }) => isArtifact(name));
  if (drop.length > 0)
    await git(on.env, {
      ...at(bench, file),
      args: ["update-index", "-z", "--force-remove", "--stdin"],
      input: Buffer.from(drop.map(({ name }) => `${name}\0`).join(""), "latin1"),
    });
  return git(on.env, { ...at(bench, file), args: ["write-tree", "--missing-ok"] });
}

/** Gives an index of its own to work with, filled with the commit that the work tree is at. */
export async function withCopy<T>(on: Git, bench: Bench, use: (index: string) => Promise<T>): Promise<T> {
  const { bytes } = await headIndex(on, bench, await tipOf(on, bench));
  return withScratch(on, async (file) => {
    writeFileSync(file, bytes, { mode: 0o600 });
    return use(file);
  });
}

/** Without starting anything inside: only where its HEAD is. */
function nestedIn(bench: Pick<Bench, "path">): (name: string) => string | undefined {
  return (name) => {
    const gitDir = gitDirOf(join(bench.path, textOfName(name)));
    return gitDir === undefined ? undefined : headAt(gitDir, commonDirOf(gitDir));
  };
}
