/**
 * Repositories inside a workspace: submodules, and those that its branch does not have as submodules.
 *
 * Git holds them by the id of a commit at most: what is in them is in no digest and in no review. A submodule can be delivered if the
 * user's repository has its commit and nothing in its folder differs from that commit. Nothing else can be.
 */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inQuotes } from "../../../core/text/shell-word.ts";
import { unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { git, gitRecords, type GitCall } from "../call/call.ts";
import { withScratch } from "../call/scratch.ts";
import { entriesIn, NESTED_MODE, type TreeEntry } from "../mirror/loose-objects.ts";
import { commonDirOf, gitDirOf } from "../repository/locate.ts";
import { at, type Bench, type Git } from "../workspace/bench.ts";
import { isInMirror, submodulesOf, type Submodule } from "../workspace/submodules.ts";
import { tipOf } from "./agent-head.ts";
import { hasNested, nestingOf } from "./digest.ts";
import { headIndex } from "./head-index.ts";
import type { IndexFile } from "./index-file.ts";
import { textOfName } from "./paths.ts";

const GATE = 5;
const NAMES_MAX = 5;

type NestedCheck = {
  readonly run: string;
  /** The digest of the work, and the commit that the work tree is at. */
  readonly tree: string;
  readonly tip: string;
  /** Of the commit that the work tree is at. */
  readonly index: IndexFile;
  readonly exclude: string;
};

/** Ignored repositories, and those that the commit leaves out, are not looked at. */
export async function requireNoneNested(
  on: Git,
  bench: Bench,
  { run, tree, tip, index, exclude }: NestedCheck,
): Promise<void> {
  const known = nestingOf(on, bench, tree);
  if (known?.tip === tip && !known.hasNew) return;
  const names = await withScratch(on, (patterns) =>
    withScratch(on, (file) => {
      writeFileSync(patterns, `${exclude}\n`, { mode: 0o600 });
      writeFileSync(file, index.bytes, { mode: 0o600 });
      const args = ["ls-files", "-z", "--others", "--exclude-standard", `--exclude-from=${patterns}`];
      return gitRecords(on.env, { ...at(bench, file), args });
    }),
  );
  // Of all that git does not know, only these are folders.
  const nested = names.find((name) => name.endsWith("/"));
  if (nested === undefined) return;
  throw nestedRepository(bench, run, textOfName(nested.slice(0, -1)));
}

function nestedRepository({ path }: Bench, run: string, folder: string): UserError {
  return new UserError(
    "nested-repository",
    `${folder} in the workspace of ${run} is a separate git repository, so a commit would not contain its files. Nothing was committed.`,
    { next: `remove ${path}/${folder}/.git, or add ${folder}/ to .gitignore`, exit: GATE },
  );
}

export type DigestedWork = {
  readonly run: string;
  /** The user's repository. */
  readonly repo: string;
  /** The digest of the work. */
  readonly tree: string;
};

/** Throws a UserError where a commit of this tree would not deliver all of the work. In place, the user's repositories are the user's. */
export async function requireDeliverable(on: Git, bench: Bench, of: DigestedWork): Promise<void> {
  if (bench.isPlace === true) return;
  const { run, repo, tree } = of;
  const tip = await tipOf(on, bench);
  const index = await headIndex(on, bench, tip);
  await requireNoneNested(on, bench, { run, tree, tip, index, exclude: "" });
  if (!(await hasNested(on, bench, tree))) return;
  const known = new Set(bench.base === "" ? [] : (await linksIn(on, bench, bench.base)).map(nameOf));
  const submodules = await submodulesOf(on, { mirror: bench.mirror, commit: tree });
  const paths = new Set(submodules.map(({ path }) => path));
  const foreign = (await linksIn(on, bench, tree)).find(
    (link) => !paths.has(textOfName(link.name)) && !known.has(nameOf(link)),
  );
  if (foreign !== undefined) throw nestedRepository(bench, run, textOfName(foreign.name));
  const gitDir = gitDirOf(repo);
  const place = {
    folder: bench.path,
    mirror: bench.mirror,
    outer: "",
    source: gitDir === undefined ? undefined : commonDirOf(gitDir),
  };
  const isKnown = ({ path, oid }: Submodule): boolean => known.has(`${oid} ${path}`);
  for (const each of submodules) await requireUnchanged(on, { ...place, run, repo, isKnown }, each);
}

async function linksIn(on: Git, { mirror }: Bench, tree: string): Promise<readonly TreeEntry[]> {
  return (await entriesIn(on, mirror, tree)).filter(({ mode }) => mode === NESTED_MODE);
}

function nameOf({ oid, name }: TreeEntry): string {
  return `${oid} ${textOfName(name)}`;
}

type Outer = {
  readonly run: string;
  readonly repo: string;
  /** The work tree of the repository that has the submodule, and its copy in the state home. */
  readonly folder: string;
  readonly mirror: string;
  /** The path of that repository in the workspace. */
  readonly outer: string;
  readonly source: string | undefined;
  /** Whether the run began with this commit of it. */
  readonly isKnown: (submodule: Submodule) => boolean;
};

async function requireUnchanged(on: Git, of: Outer, submodule: Submodule): Promise<void> {
  const { name, path, oid } = submodule;
  const folder = join(of.folder, path);
  const from = join(of.mirror, "modules", name);
  const shown = join(of.outer, path);
  const source = of.source === undefined ? {} : { source: of.source };
  const isHere = await isInMirror(on, source, { submodule, from });
  const isInitialised = gitDirOf(folder) !== undefined;
  if (!isHere && !of.isKnown(submodule))
    throw undelivered(of, {
      what: `the submodule ${shown} is at commit ${oid.slice(0, 7)}, which ${of.repo} does not have`,
      next: `git -C ${inQuotes(join(of.repo, shown))} fetch ${inQuotes(folder)} HEAD:refs/heads/signalbox-${of.run}, or go back to the earlier commit in ${folder}`,
    });
  if (!isInitialised || !isHere) {
    // Git does not look into the folder of a submodule, initialised or not.
    const left = isInitialised ? [] : (unless(["ENOENT", "ENOTDIR"], () => readdirSync(folder)) ?? []);
    if (left.length > 0) throw undelivered(of, changed(shown, folder, left));
    return;
  }
  const names = await changesIn(on, { folder, from, oid });
  if (names.length > 0) throw undelivered(of, changed(shown, folder, names));
  const within = of.source === undefined ? undefined : join(of.source, "modules", name);
  const inner = { ...of, folder, mirror: from, outer: shown, source: within, isKnown: () => true };
  for (const each of await submodulesOf(on, { mirror: from, commit: oid }))
    await requireUnchanged(on, inner, each);
}

type NestedProblem = { readonly what: string; readonly next: string };

function changed(shown: string, folder: string, names: readonly string[]): NestedProblem {
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return {
    what: `files in the submodule ${shown} are changed and in none of its commits: ${names.slice(0, NAMES_MAX).join(", ")}${more}`,
    next: `commit or undo the changes in ${folder}`,
  };
}

function undelivered({ run }: Outer, { what, next }: NestedProblem): UserError {
  const sentence = `In the workspace of ${run}, ${what}: a review and a merge would not contain it.`;
  return new UserError("submodule-changed", sentence, { next, exit: GATE });
}

/** Paths that differ from a commit: compared with an index of the engine, and with the copy of the submodule in the state home. */
async function changesIn(
  on: Git,
  { folder, from, oid }: { readonly folder: string; readonly from: string; readonly oid: string },
): Promise<readonly string[]> {
  return withScratch(on, async (index) => {
    const call: Omit<GitCall, "args"> = {
      cwd: folder,
      gitDir: from,
      objects: join(from, "objects"),
      workTree: folder,
      index,
    };
    await git(on.env, { ...call, args: ["read-tree", oid] });
    const args = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
    return [...new Set((await gitRecords(on.env, { ...call, args })).map(textOfName))];
  });
}
