/**
 * The tree that a commit gets: the work that was judged, and what is left out of it as the base has it.
 *
 * Left out are artifacts, which are not part of the work, and what patterns name. They are rules of gitignore, and git itself reads them,
 * from a file of ours: what the repository ignores, or does not, has no say in it.
 */

import { writeFileSync } from "node:fs";
import { git, gitRecords } from "../call/call.ts";
import { withScratch } from "../call/scratch.ts";
import { at, within, type Bench, type Git } from "../workspace/bench.ts";
import type { IndexFile } from "./index-file.ts";
import { artifactTest } from "./paths.ts";

export type TreeToCommit = {
  /** The tree of the work. */
  readonly work: string;
  /** The commit that the work tree is at, and its index. */
  readonly tip: string;
  readonly index: IndexFile;
  readonly artifacts: readonly string[];
  /** One pattern on each line. */
  readonly exclude: string;
};

export async function treeWithLeftOut(on: Git, bench: Bench, wanted: TreeToCommit): Promise<string> {
  const { work, tip, index: known, artifacts, exclude } = wanted;
  const isArtifact = artifactTest(artifacts);
  // Files that are left out stay as the work began with them, even if an agent committed changes of them.
  const base = bench.base || tip;
  const entries = base === tip ? entriesOfIndex(known) : await entriesOf(on, bench, base);
  const isPlain = exclude.trim() === "" && !entries.some(({ name }) => isArtifact(name));
  if (isPlain) return work;
  return withScratch(on, async (patterns) => {
    writeFileSync(patterns, `${exclude}\n`, { mode: 0o600 });
    const named = new Set(await namedIn(on, bench, { tree: base, patterns }));
    const stays = entries.filter(({ name }) => named.has(name) || isArtifact(name));
    return withScratch(on, async (index) => {
      const call = at(bench, index);
      await git(on.env, { ...call, args: ["read-tree", work] });
      const drop = await matching(on, bench, { index, patterns });
      if (drop.length === 0 && stays.length === 0) return work;
      await remove(on, call, drop);
      const input = Buffer.from(stays.map(({ line }) => line()).join(""), "latin1");
      await git(on.env, { ...call, args: ["update-index", "-z", "--replace", "--index-info"], input });
      return git(on.env, { ...call, args: ["write-tree", "--missing-ok"] });
    });
  });
}

async function namedIn(
  on: Git,
  bench: Bench,
  { tree, patterns }: { readonly tree: string; readonly patterns: string },
): Promise<readonly string[]> {
  if (tree === "") return [];
  return withScratch(on, async (index) => {
    await git(on.env, { ...at(bench, index), args: ["read-tree", tree] });
    return matching(on, bench, { index, patterns });
  });
}

/** The work without what rules name: what the branch has of it does not count either. */
export async function treeBesides(
  on: Git,
  bench: Bench,
  { work, rules }: { readonly work: string; readonly rules: string },
): Promise<string> {
  if (rules.trim() === "") return work;
  return withScratch(on, async (patterns) => {
    writeFileSync(patterns, `${rules}\n`, { mode: 0o600 });
    return withScratch(on, async (index) => {
      const call = at(bench, index);
      await git(on.env, { ...call, args: ["read-tree", work] });
      const drop = await matching(on, bench, { index, patterns });
      if (drop.length === 0) return work;
      await remove(on, call, drop);
      return git(on.env, { ...call, args: ["write-tree", "--missing-ok"] });
    });
  });
}

async function remove(on: Git, call: ReturnType<typeof at>, names: readonly string[]): Promise<void> {
  await git(on.env, {
    ...call,
    args: ["update-index", "-z", "--force-remove", "--stdin"],
    input: Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1"),
  });
}

type Listing = { readonly index: string; readonly patterns: string };

/** Names in an index that a pattern fits. */
async function matching(on: Git, bench: Bench, { index, patterns }: Listing): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--ignored", `--exclude-from=${patterns}`];
  return gitRecords(on.env, { ...at(bench, index), args });
}

/** A file, and its line as `update-index` takes it: few of them are needed. */
type TreeLine = { readonly name: string; readonly line: () => string };

function entriesOfIndex({ bytes, entries }: IndexFile): readonly TreeLine[] {
  return entries.map(({ name, mode, oidAt, flagsAt }) => ({
    name,
    line: () => `${mode.toString(8)} ${bytes.toString("hex", oidAt, flagsAt)} 0\t${name}\0`,
  }));
}

async function entriesOf(on: Git, bench: Bench, commit: string): Promise<readonly TreeLine[]> {
  const format = "--format=%(objectmode) %(objectname) 0%x09%(path)";
  const args = ["ls-tree", "-r", "-z", "--full-tree", format, commit];
  const records = await gitRecords(on.env, { ...within(bench), args });
  return records.map((line) => ({ name: line.slice(line.indexOf("\t") + 1), line: () => `${line}\0` }));
}
