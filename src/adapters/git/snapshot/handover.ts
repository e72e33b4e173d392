/**
 * The handover: everything in the workspace as one commit in the mirror, to which verdicts, checks and the delivery refer.
 *
 * Its parent is the agent's newest commit (the *tip*) if the agent has committed since the last handover (the *head*), otherwise the head.
 * A tree that the head already has makes no new commit, unless the agent has merged: then the merge is needed for its history.
 * `refs/runs/RUN/head` names the last handover, and `refs/runs/RUN/work/TREE` the handover of a tree.
 */

import { failpoint } from "../../failpoint.ts";
import { git, gitRecords, type AuthorIdentity } from "../call/call.ts";
import { isAncestor } from "../call/commits.ts";
import { withScratch } from "../call/scratch.ts";
import { treeInMirror } from "../mirror/loose-objects.ts";
import { inMirror } from "../mirror/mirror.ts";
import { mirrorOf, runRef, workRef } from "../mirror/names.ts";
import { makeCommit, type MadeCommit } from "../mirror/write-objects.ts";
import { refAt } from "../repository/refs.ts";
import { writeRefs } from "../repository/update-ref.ts";
import { within, type Bench, type Git } from "../workspace/bench.ts";
import { tipOf } from "./agent-head.ts";
import { headIndex } from "./head-index.ts";
import { requireNoneNested } from "./nested-repositories.ts";
import { artifactTest } from "./paths.ts";
import { treeWithLeftOut } from "./tree-to-commit.ts";

export type Handover = {
  readonly run: string;
  /** The digest of the work: a tree without artifacts. The tree of the commit also has artifacts that the repository tracks. */
  readonly tree: string;
  /** Paths of artifacts. */
  readonly artifacts: readonly string[];
  readonly message: string;
  readonly author?: AuthorIdentity;
};

/** Returns the commit of the work, which it makes where none exists. Calling it twice returns the same commit. */
export async function handover(on: Git, bench: Bench, of: Handover): Promise<MadeCommit> {
  const { run, tree, artifacts } = of;
  const existing = refAt(bench.mirror, workRef(run, tree));
  const head = refAt(bench.mirror, runRef(run, "head")) ?? bench.base;
  const tip = await tipOf(on, bench);
  // This includes a commit of `commitWork`, whose tree may leave out files of the work that the workflow excludes.
  if (existing !== undefined && existing === head && !(await hasNewMerge(on, bench, { head, tip })))
    return { commit: existing, notes: [] };
  const treeToCommit = await treeForCommit(on, bench, { run, tree, tip, artifacts, exclude: "" });
  const made = await commitFor(on, bench, { of, head, tip, tree: treeToCommit });
  failpoint("handover.before-ref");
  await noteHandover(bench, { run, tree, commit: made.commit });
  failpoint("handover.after-ref");
  return made;
}

type WorkToCommit = Pick<Handover, "run" | "tree" | "artifacts"> & {
  /** The agent's newest commit; empty where there is none. */
  readonly tip: string;
  /** Patterns as in gitignore for files that the commit leaves out, one on each line. */
  readonly exclude: string;
};

/** The tree for a commit of the work. Throws a UserError where the commit would lose a part of it: a repository inside the workspace. */
export async function treeForCommit(on: Git, bench: Bench, of: WorkToCommit): Promise<string> {
  const index = await headIndex(on, bench, of.tip);
  if (bench.isPlace !== true) await requireNoneNested(on, bench, { ...of, index });
  return treeWithLeftOut(on, bench, { ...of, work: of.tree, index });
}

type NewHandover = { readonly run: string; readonly tree: string; readonly commit: string };

/** Writes the head first: if the process is killed between the two refs, the next `handover` finds the head and writes the other. */
export async function noteHandover({ mirror }: Bench, { run, tree, commit }: NewHandover): Promise<void> {
  await writeRefs(mirror, [
    [runRef(run, "head"), commit],
    [workRef(run, tree), commit],
  ]);
}

/**
 * The commit that hands over exactly this work; undefined where there is none. With `artifacts` it also compares the tree of that commit
 * with the work, so that a ref which something else wrote to the mirror is not taken for a handover.
 */
export async function handoverOf(
  on: Git,
  of: {
    readonly repo: string;
    readonly run: string;
    readonly tree: string;
    readonly artifacts?: readonly string[];
  },
): Promise<string | undefined> {
  const mirror = mirrorOf(on.home, of.repo);
  const commit = refAt(mirror, workRef(of.run, of.tree));
  if (commit === undefined || of.artifacts === undefined) return commit;
  return (await treeWithoutArtifacts(on, mirror, { commit, artifacts: of.artifacts })) === of.tree
    ? commit
    : undefined;
}

/** The tree of a commit without artifacts. */
async function treeWithoutArtifacts(
  on: Git,
  mirror: string,
  { commit, artifacts }: { readonly commit: string; readonly artifacts: readonly string[] },
): Promise<string> {
  const call = inMirror(mirror);
  const args = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit];
  const names = (await gitRecords(on.env, { ...call, args })).filter(artifactTest(artifacts));
  if (names.length === 0) return treeInMirror(on, mirror, commit);
  return withScratch(on, async (index) => {
    // A mode of 0 removes an entry. `--force-remove` would need a work tree, and the mirror has none.
    const zeroOid = "0".repeat(commit.length);
    const input = Buffer.from(names.map((name) => `0 ${zeroOid}\t${name}\0`).join(""), "latin1");
    await git(on.env, { ...call, index, args: ["read-tree", commit] });
    await git(on.env, { ...call, index, args: ["update-index", "-z", "--index-info"], input });
    return git(on.env, { ...call, index, args: ["write-tree"] });
  });
}

/** The newest commit of a run's work in the mirror: what its release found in the workspace, otherwise the last handover. */
export function lastWorkOf(
  { home }: Pick<Git, "home">,
  { repo, run }: { readonly repo: string; readonly run: string },
): string | undefined {
  const mirror = mirrorOf(home, repo);
  return refAt(mirror, runRef(run, "left")) ?? refAt(mirror, runRef(run, "head"));
}

type CommitRequest = {
  readonly of: Pick<Handover, "message" | "author">;
  readonly head: string;
  readonly tip: string;
  /** The tree of the commit: the work, and tracked artifacts as the base has them. */
  readonly tree: string;
};

/** The head or the tip if its tree is this one, otherwise a new commit on top of the newer of the two. */
export async function commitFor(
  on: Git,
  bench: Bench,
  { of, head, tip, tree }: CommitRequest,
): Promise<MadeCommit> {
  if (
    head !== "" &&
    (await treeInMirror(on, bench.mirror, head)) === tree &&
    !(await hasNewMerge(on, bench, { head, tip }))
  )
    return { commit: head, notes: [] };
  // Without new commits the tip is the head or the base, and every head descends from the base.
  const isAtKnownCommit = ["", head, bench.base].includes(tip);
  const isOlder = head !== "" && (isAtKnownCommit || (await isAncestor(on.env, within(bench), [tip, head])));
  const parent = isOlder ? head : tip;
  if (parent !== head && (await treeInMirror(on, bench.mirror, parent)) === tree)
    return { commit: parent, notes: [] };
  const { author = bench.author, message } = of;
  return makeCommit(on, bench, { tree, parent, author, message });
}

/** Whether the agent has merged since the head. Without its merge commit, the delivery would find a conflict that the agent resolved. */
async function hasNewMerge(
  on: Git,
  bench: Bench,
  { head, tip }: { readonly head: string; readonly tip: string },
): Promise<boolean> {
  if (bench.isPlace === true || ["", head, bench.base].includes(tip)) return false;
  const args = ["rev-list", "--merges", "--max-count=1", tip, "--not", head, bench.base];
  return (await git(on.env, { ...within(bench), args })) !== "";
}
