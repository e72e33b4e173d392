/**
 * What a merge would do, and whether anything is in the way of it.
 *
 * The outcome is planned from objects alone, in a scratch repository; nothing is written to the user's. Then everything is looked at
 * that the merge would be refused for.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inQuotes } from "../../../core/text/shell-word.ts";
import { unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { failed, tryGit, type GitCall, type AuthorIdentity } from "../call/call.ts";
import { commitNamed, inRepository } from "../call/commits.ts";
import { requireFree } from "../call/locks.ts";
import { withBoth } from "../call/scratch.ts";
import { mirrorOf } from "../mirror/names.ts";
import { commitsOfRun } from "../mirror/run-refs.ts";
import { defaultRefs } from "../repository/branches.ts";
import { commonDirIn, commonDirOf, gitDirOf, unwritableOf } from "../repository/locate.ts";
import { worktreesOf } from "../repository/worktrees.ts";
import type { Git } from "../workspace/bench.ts";
import { asking, containmentOf, sayCommit } from "./containment.ts";
import { takenOutBefore, undoneBy } from "./merge-losses.ts";
import {
  blocked,
  conflict,
  dirty,
  notFastForward,
  nothingToMerge,
  notWritable,
  partTakenOut,
  requireNothingUndone,
  takenOut,
  underWay,
  unrelated,
  unreviewed,
} from "./merge-refusal.ts";
import { tipIn } from "./publish.ts";
import {
  changesBetween,
  changesIn,
  followingIn,
  foreignFiles,
  operationOn,
  withCheckout,
  type FileChange,
  type UserCheckout,
} from "./user-checkout.ts";

export type Strategy = "ff" | "merge" | "squash";

export type Merging = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  /** The branch that it is merged into. */
  readonly into: string;
  /** The handover commit: exactly this is merged, even if the branch is elsewhere. */
  readonly commit: string;
  /** The commit that the run began from. */
  readonly base: string;
  readonly strategy?: Strategy;
  /** Of the new commit, where there is one. */
  readonly message: string;
  /** Of the new commit; the person's own identity otherwise. */
  readonly author?: AuthorIdentity;
  /** Commits of a person on the branch are left out; otherwise they are a reason to refuse. */
  readonly leave?: boolean;
  /** Changes of the target that the work sets back are lost; otherwise they are a reason to refuse. */
  readonly allowUndo?: boolean;
  /** What a person types to merge the work, and to end the run without a merge: for the advice in refusals. */
  readonly commands?: { readonly merge: string; readonly end: string };
};

export type MergeSite = {
  readonly on: Git;
  readonly merging: Merging;
  readonly commonDir: string;
  readonly ref: string;
};

type Ready = PlannedMerge & {
  /** The checkout that has to follow; undefined for none. */
  readonly path?: string | undefined;
};

/** The plan, where nothing is in the way of it. Whether the checkout can follow is not looked at yet. Writes nothing. */
export async function checked(site: MergeSite): Promise<Ready> {
  const { merging } = site;
  const plan = await planned(site);
  if (plan.how === "already") return plan;
  if (merging.leave !== true) await requireReviewed(site);
  if (merging.allowUndo !== true) requireNothingUndone(merging, plan);
  const path = await checkoutOf(site);
  await requireWritable(site, path);
  return { ...plan, path };
}

export function siteOf(on: Git, merging: Merging): MergeSite {
  return { on, merging, commonDir: commonDirIn(merging.repo), ref: `refs/heads/${merging.into}` };
}

/** What a merge would do, as things are. */
export type MergePlan =
  | { readonly how: "already"; readonly commit: string; readonly said: string }
  /** The tree that the target gets. */
  | {
      readonly how: Strategy;
      readonly tree: string;
      readonly changes: readonly FileChange[];
      /** Files whose changes in the target would be lost. */
      readonly undone: readonly string[];
    };

type PlannedMerge = MergePlan & { readonly old: string };

/** The plan, and where the target is. Throws a UserError where the work cannot be merged. Writes nothing. */
async function planned(site: MergeSite): Promise<PlannedMerge> {
  const { on, merging, commonDir } = site;
  const { commit: work, base, repo } = merging;
  const old = await commitNamed(on.env, inRepository(commonDir), site.ref);
  if (old === undefined) throw await noTarget(site);
  const mirror = mirrorOf(on.home, repo);
  return withBoth(on, { commonDir, mirror, oid: old }, async (call) => {
    const ask = asking(on.env, call);
    const found = await containmentOf(ask, { work, base, target: old });
    if (found.type === "empty") throw nothingToMerge(merging);
    if (found.type === "undone") throw await takenOut(merging, ask, found);
    const requireAll = async (tree: string): Promise<void> => {
      const lost = await takenOutBefore(on, call, { ...merging, work, target: old, tree });
      if (lost !== undefined) throw await partTakenOut(merging, ask, { ...lost, old });
    };
    if (found.type === "contained") {
      await requireAll(`${old}^{tree}`);
      return { old, how: "already", commit: found.by, said: (await sayCommit(ask, found.by)).text };
    }
    if ((await ask(["merge-base", old, work])).code !== 0) {
      const isHere = (await commitNamed(on.env, inRepository(commonDir), work)) !== undefined;
      throw unrelated(merging, isHere ? undefined : mirror);
    }
    const how = await strategyFor(merging, async () => {
      return (await ask(["merge-base", "--is-ancestor", old, work])).code === 0;
    });
    const { tree, conflicts } = await mergedTree(on, call, { old, work });
    if (conflicts.length > 0) throw conflict(merging, { old, files: conflicts });
    const changes = await changesBetween(on, call, { old: `${old}^{tree}`, now: tree });
    await requireAll(tree);
    const undone = await undoneBy(on, call, { base, target: old, work, tree });
    return { old, how, tree, changes, undone };
  });
}

async function strategyFor(merging: Merging, isAhead: () => Promise<boolean>): Promise<Strategy> {
  const { strategy } = merging;
  if (strategy === "merge" || strategy === "squash") return strategy;
  if (await isAhead()) return "ff";
  if (strategy === undefined) return "merge";
  throw notFastForward(merging);
}

type Sides = { readonly old: string; readonly work: string };

export async function mergedTree(
  on: Git,
  call: Omit<GitCall, "args">,
  { old, work }: Sides,
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  const merging: GitCall = {
    ...call,
    args: ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", old, work],
  };
  const answer = await tryGit(on.env, merging);
  if (answer.code !== 0 && answer.code !== 1) throw failed(merging, answer);
  const [tree = "", ...names] = answer.out.toString("utf8").split("\0");
  return { tree, conflicts: answer.code === 0 ? [] : names.filter((name) => name !== "") };
}

/** Commits that a person put on the run's branch were not reviewed. */
async function requireReviewed({ on, merging }: MergeSite): Promise<void> {
  const found = await personCommits(on, merging);
  if (found !== undefined) throw unreviewed(merging, found);
}

/** Where the branch is checked out; undefined for nowhere. Refuses where an operation is under way with it. */
async function checkoutOf(site: MergeSite): Promise<string | undefined> {
  const { on, ref, commonDir, merging } = site;
  const main = join(commonDir, "worktrees");
  const gitDirs = [
    commonDir,
    ...(unless(["ENOENT"], () => readdirSync(main)) ?? []).map((name) => join(main, name)),
  ];
  // One whose folder is gone has nothing that could follow.
  const [path, another] = (await worktreesOf(on.env, merging.repo))
    .filter((tree) => tree.ref === ref && gitDirOf(tree.path) !== undefined)
    .map((tree) => tree.path);
  for (const gitDir of gitDirs) {
    const what = operationOn(gitDir, ref);
    if (what !== "") throw underWay(merging, { what, path: path ?? merging.repo });
  }
  if (another !== undefined && path !== undefined)
    throw new UserError(
      "checked-out-twice",
      `${merging.into} is checked out in ${path} and in ${another}. Only one of them could follow.`,
      { next: `git -C ${inQuotes(another)} switch --detach`, exit: GATE },
    );
  return path;
}

/** What a merge would do, or why it would be refused. Nothing is touched. */
export async function forecastMerge(on: Git, merging: Merging): Promise<MergePlan | UserError> {
  try {
    const site = siteOf(on, merging);
    const plan = await checked(site);
    // The merge first finishes what a killed one left in the checkout.
    const isLeft = followingIn(on, merging.repo) !== undefined;
    if (plan.how === "already" || plan.path === undefined || isLeft) return plan;
    await withCheckout(on, plan.path, (checkout) => requireClean(site, checkout, plan.old));
    const foreign = foreignFiles(plan.path, plan.changes);
    return foreign === undefined ? plan : blocked(merging, plan.path, foreign);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

export async function requireClean(
  { on, merging }: MergeSite,
  checkout: UserCheckout,
  old: string,
): Promise<void> {
  const changed = await changesIn(on, checkout, old);
  if (changed.length > 0) throw dirty(merging, checkout.path, changed);
}

/** Before anything is touched: the folders can be written to, and no other git is changing the same things. */
async function requireWritable(
  { commonDir, ref, merging }: MergeSite,
  path: string | undefined,
): Promise<void> {
  const gitDir = path === undefined ? undefined : gitDirOf(path);
  const places = [commonDir, join(commonDir, "objects"), ...(path === undefined ? [] : [path])];
  const closed = unwritableOf(places);
  if (closed !== undefined) throw notWritable(merging, closed);
  const locks = gitDir === undefined ? [] : [join(gitDir, "index.lock"), join(gitDir, "HEAD.lock")];
  for (const file of [join(commonDir, `${ref}.lock`), ...locks]) await requireFree(commonDir, file);
}

const GATE = 5;

async function noTarget({ on, commonDir, merging }: MergeSite): Promise<UserError> {
  const { into, repo } = merging;
  const fetched = await tipIn(on, commonDir, defaultRefs(into).fetched);
  return new UserError("no-branch", `${repo} has no branch ${into} to merge into. Nothing was changed.`, {
    next:
      fetched === undefined
        ? "signalbox project update --default-branch NAME"
        : `git -C ${inQuotes(repo)} branch ${into} origin/${into}`,
    exit: GATE,
  });
}

type RunBranch = { readonly run: string; readonly repo: string; readonly branch: string };

export type PersonCommits = {
  /** Where the branch is. */
  readonly tip: string;
  /** Newest first, each as hash, author and subject. */
  readonly commits: readonly string[];
};

const COMMITS_MAX = 100;

/** Undefined where the branch has nothing but the run's own commits, or is gone. */
async function personCommits(on: Git, of: RunBranch): Promise<PersonCommits | undefined> {
  const gitDir = gitDirOf(of.repo);
  if (gitDir === undefined) return undefined;
  const commonDir = commonDirOf(gitDir);
  const tip = await tipIn(on, commonDir, `refs/heads/${of.branch}`);
  if (tip === undefined) return undefined;
  const mirror = mirrorOf(on.home, of.repo);
  const own = await commitsOfRun(on, { mirror, run: of.run });
  if (own.has(tip)) return undefined;
  const commits = await withBoth(on, { commonDir, mirror, oid: tip }, async (call) => {
    const format = ["--format=%h %an: %s", "--no-commit-header", `--max-count=${COMMITS_MAX}`];
    const input = [tip, ...Array.from(own, (oid) => `^${oid}`), ""].join("\n");
    const { code, out } = await tryGit(on.env, { ...call, args: ["rev-list", ...format, "--stdin"], input });
    if (code === 0) return out.toString("utf8").split("\n");
    // What cannot be compared is not the run's.
    return [(await asking(on.env, call)(["log", "-1", "--format=%h %an: %s", tip])).out];
  });
  const found = commits.filter((line) => line !== "");
  return found.length === 0 ? undefined : { tip, commits: found };
}
