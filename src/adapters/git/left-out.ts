/**
 * The tree that a commit gets: the work that was looked at, and what is left out of it as the branch has it.
 *
 * Left out are artifacts, which are no part of the work, and what patterns name. They are rules of gitignore and read by git itself,
 * from a file of ours: what the repository ignores, or does not, has no say in it.
 */

import { writeFileSync } from "node:fs";
import { artifactTest } from "./artifact-paths.ts";
import { git, gitBytes, gitRecords } from "./call.ts";
import { at, within } from "./own.ts";
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
  return withScratch(on, async (patterns) => {
    writeFileSync(patterns, `${exclude}\n`, { mode: 0o600 });
    const isArtifact = artifactTest(artifacts);
    const names = await gitRecords(on.env, {
      ...within(bench),
      args: ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tip],
    });
    const ours = new Set(names.filter(isArtifact));
    if (ours.size === 0 && exclude.trim() === "") return work;
    const stays = await withScratch(on, (index) => entriesIn(on, bench, { index, tip, patterns, ours }));
    return withScratch(on, async (index) => {
      const call = at(bench, index);
      await git(on.env, { ...call, args: ["read-tree", work] });
      const drop = await matching(on, bench, { index, patterns });
      const gone = Buffer.from(drop.map((name) => `${name}\0`).join(""), "latin1");
      await git(on.env, {
        ...call,
        args: ["update-index", "-z", "--force-remove", "--stdin"],
        input: gone,
      });
      await git(on.env, {
        ...call,
        args: ["update-index", "-z", "--replace", "--index-info"],
        input: stays,
      });
      return git(on.env, { ...call, args: ["write-tree", "--missing-ok"] });
    });
  });
}

type Listing = { readonly index: string; readonly patterns: string };

/** Names in an index that a pattern fits. */
async function matching(on: On, bench: Bench, { index, patterns }: Listing): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--ignored", `--exclude-from=${patterns}`];
  return gitRecords(on.env, { ...at(bench, index), args });
}

/** What the branch has of it, as `update-index` takes it. */
async function entriesIn(
  on: On,
  bench: Bench,
  of: Listing & { readonly tip: string; readonly ours: ReadonlySet<string> },
): Promise<Buffer> {
  const call = at(bench, of.index);
  await git(on.env, { ...call, args: ["read-tree", of.tip] });
  const named = new Set([...(await matching(on, bench, of)), ...of.ours]);
  const listed = await gitBytes(on.env, { ...call, args: ["ls-files", "-z", "--stage"] });
  const records = listed.toString("latin1").split("\0");
  const entries = records.filter((record) => named.has(record.slice(record.indexOf("\t") + 1)));
  return Buffer.from(entries.map((entry) => `${entry}\0`).join(""), "latin1");
}
