/**
 * The tree that a commit gets: the work that was looked at, and what is left out of it as the branch has it.
 *
 * Left out are artifacts, which are no part of the work, and what patterns name. They are rules of gitignore and read by git itself,
 * from a file of ours: what the repository ignores, or does not, has no say in it.
 */

import { writeFileSync } from "node:fs";
import { artifactTest } from "./artifact-paths.ts";
import { git, gitRecords } from "./call.ts";
import { headIndex } from "./head-index.ts";
import type { IndexFile } from "./index-file.ts";
import { at } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";

export type Wanted = {
  /** The tree of the work, and the commit that the branch is at. */
  readonly work: string;
  readonly tip: string;
  readonly artifacts: readonly string[];
  /** One pattern on each line. */
  readonly exclude: string;
};

export async function treeWithLeftOut(on: On, bench: Bench, wanted: Wanted): Promise<string> {
  const { work, tip, artifacts, exclude } = wanted;
  const branch = await headIndex(on, bench, tip);
  const isArtifact = artifactTest(artifacts);
  const ours = branch.entries.map(({ name }) => name).filter(isArtifact);
  if (ours.length === 0 && exclude.trim() === "") return work;
  return withScratch(on, async (patterns) => {
    writeFileSync(patterns, `${exclude}\n`, { mode: 0o600 });
    const named = await withScratch(on, (index) => {
      writeFileSync(index, branch.bytes, { mode: 0o600 });
      return matching(on, bench, { index, patterns });
    });
    const stays = entriesOf(branch, new Set([...named, ...ours]));
    return withScratch(on, async (index) => {
      const call = at(bench, index);
      await git(on.env, { ...call, args: ["read-tree", work] });
      const drop = await matching(on, bench, { index, patterns });
      if (drop.length === 0 && stays.length === 0) return work;
      await remove(on, call, drop);
      await git(on.env, {
        ...call,
        args: ["update-index", "-z", "--replace", "--index-info"],
        input: stays,
      });
      return git(on.env, { ...call, args: ["write-tree", "--missing-ok"] });
    });
  });
}

/** The work without what rules name: what the branch has of it does not count either. */
export async function treeBesides(
  on: On,
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

async function remove(on: On, call: ReturnType<typeof at>, names: readonly string[]): Promise<void> {
  await git(on.env, {
    ...call,
    args: ["update-index", "-z", "--force-remove", "--stdin"],
    input: Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1"),
  });
}

type Listing = { readonly index: string; readonly patterns: string };

/** Names in an index that a pattern fits. */
async function matching(on: On, bench: Bench, { index, patterns }: Listing): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--ignored", `--exclude-from=${patterns}`];
  return gitRecords(on.env, { ...at(bench, index), args });
}

/** What the branch has of it, as `update-index` takes it. */
function entriesOf({ bytes, entries }: IndexFile, named: ReadonlySet<string>): Buffer {
  const lines = entries
    .filter(({ name }) => named.has(name))
    .map(({ name, mode, oidAt, flagsAt }) => {
      const oid = bytes.toString("hex", oidAt, flagsAt);
      return `${mode.toString(8)} ${oid} 0\t${name}\0`;
    });
  return Buffer.from(lines.join(""), "latin1");
}
