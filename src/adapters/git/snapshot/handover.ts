/**
 * The handover: everything in the workspace as one commit in the mirror, which verdicts, checks and delivery refer to.
 *
 * Its parent is the agent's own commit where the agent has made new ones, otherwise the handover before it. A tree that is the
 * head's already makes no commit; a merge of the agent's that ends in the same tree is taken for its history.
 * `refs/runs/RUN/work/TREE` finds the handover of a tree again.
 */

import { failpoint } from "../../failpoint.ts";
import { git, gitRecords, type Identity } from "../call/call.ts";
import { isAncestor } from "../call/commits.ts";
import { withScratch } from "../call/scratch.ts";
import { treeInMirror } from "../mirror/loose-objects.ts";
import { inMirror } from "../mirror/mirror.ts";
import { mirrorOf, runRef, workRef } from "../mirror/names.ts";
import { makeCommit, type MadeCommit } from "../mirror/write-objects.ts";
import { refAt } from "../repository/refs.ts";
import { updateRef, writeRefs } from "../repository/update-ref.ts";
import { within, type Bench, type Git } from "../workspace/bench.ts";
import { tipOf } from "./agent-head.ts";
import { headIndex } from "./head-index.ts";
import { requireNoneNested } from "./nested-repositories.ts";
import { artifactTest } from "./paths.ts";
import { treeWithLeftOut } from "./tree-to-commit.ts";

export type Handover = {
  readonly run: string;
  /** The digest of the work. */
  readonly tree: string;
  readonly artifacts: readonly string[];
  readonly message: string;
  readonly author?: Identity;
};

/** Gives the commit of the work. Doing it twice gives the same. */
export async function handover(on: Git, bench: Bench, of: Handover): Promise<MadeCommit> {
  const { run, tree, artifacts } = of;
  const known = refAt(bench.mirror, workRef(run, tree));
  const head = refAt(bench.mirror, runRef(run, "head")) ?? bench.base;
  const tip = await tipOf(on, bench);
  // Also where the commit leaves out a part of the work, as the workflow has ordered.
  if (known !== undefined && known === head && !(await hasMerged(on, bench, { head, tip })))
    return { commit: known, notes: [] };
  const whole = await treeOfCommit(on, bench, { run, tree, tip, artifacts, exclude: "" });
  const made = await commitFor(on, bench, { of, head, tip, tree: whole });
  failpoint("handover.before-ref");
  await noteHandover(bench, { run, tree, commit: made.commit });
  failpoint("handover.after-ref");
  return made;
}

type WorkToCommit = Pick<Handover, "run" | "tree" | "artifacts"> & {
  /** The commit that the work tree is at. */
  readonly tip: string;
  /** Patterns of what is left out, one on each line. */
  readonly exclude: string;
};

/** The tree that a commit of the work gets. Throws a UserError where the commit would not hold all of the work. */
export async function treeOfCommit(on: Git, bench: Bench, of: WorkToCommit): Promise<string> {
  const index = await headIndex(on, bench, of.tip);
  if (bench.isPlace !== true) await requireNoneNested(on, bench, { ...of, index });
  return treeWithLeftOut(on, bench, { ...of, work: of.tree, index });
}

type NewHandover = { readonly run: string; readonly tree: string; readonly commit: string };

/** Killed between the two refs, the next call finds the head and adds the other. */
export async function noteHandover({ mirror }: Bench, { run, tree, commit }: NewHandover): Promise<void> {
  await writeRefs(mirror, [
    [runRef(run, "head"), commit],
    [workRef(run, tree), commit],
  ]);
}

/**
 * The handover of exactly this work; undefined where there is none. With the paths of artifacts, the commit that the ref names is
 * compared with the work: a forged ref is not a handover.
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
  return (await workIn(on, mirror, { commit, artifacts: of.artifacts })) === of.tree ? commit : undefined;
}

/** The tree of a commit without artifacts. */
async function workIn(
  on: Git,
  mirror: string,
  { commit, artifacts }: { readonly commit: string; readonly artifacts: readonly string[] },
): Promise<string> {
  const call = inMirror(mirror);
  const args = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit];
  const names = (await gitRecords(on.env, { ...call, args })).filter(artifactTest(artifacts));
  if (names.length === 0) return treeInMirror(on, mirror, commit);
  return withScratch(on, async (index) => {
    const input = Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
    await git(on.env, { ...call, index, args: ["read-tree", commit] });
    await git(on.env, { ...call, index, args: ["update-index", "-z", "--force-remove", "--stdin"], input });
    return git(on.env, { ...call, index, args: ["write-tree"] });
  });
}

/** The last work of a run that the mirror has; undefined where it has none. */
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
  /** The tree of the commit: the work, and tracked artifacts as the tip has them. */
  readonly tree: string;
};

/** The head or the agent's own commit where its tree is this one, otherwise a new commit on top of them. */
export async function commitFor(
  on: Git,
  bench: Bench,
  { of, head, tip, tree }: CommitRequest,
): Promise<MadeCommit> {
  if (
    head !== "" &&
    (await treeInMirror(on, bench.mirror, head)) === tree &&
    !(await hasMerged(on, bench, { head, tip }))
  )
    return { commit: head, notes: [] };
  // Every head descends from the base.
  const isKnown = ["", head, bench.base].includes(tip);
  const isOlder = head !== "" && (isKnown || (await isAncestor(on.env, within(bench), [tip, head])));
  const parent = isOlder ? head : tip;
  if (parent !== head && (await treeInMirror(on, bench.mirror, parent)) === tree)
    return { commit: parent, notes: [] };
  const { author = bench.author, message } = of;
  return makeCommit(on, bench, { tree, parent, author, message });
}

/** The agent has merged something since the head: without its merge, a conflict that it resolved would come back at the delivery. */
async function hasMerged(
  on: Git,
  bench: Bench,
  { head, tip }: { readonly head: string; readonly tip: string },
): Promise<boolean> {
  if (bench.isPlace === true || ["", head, bench.base].includes(tip)) return false;
  const args = ["rev-list", "--merges", "--max-count=1", tip, "--not", head, bench.base];
  return (await git(on.env, { ...within(bench), args })) !== "";
}

/** All of them or none, durable when it returns. */
export async function updateRefs(on: Git, mirror: string, updates: readonly string[]): Promise<void> {
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  await updateRef(on, mirror, { ...inMirror(mirror), args: ["update-ref", "--stdin"], input });
}
