/**
 * Delivery: a person merges the handover commit of a run into the branch that it is for.
 *
 * The outcome is planned first, from objects alone and without writing to the user's repository. Then everything that could be in the
 * way is looked at. Only then the branch moves, in one step, from where it was looked at, after the one checkout that has to follow.
 * In the end the tree that arrived is compared with the planned one.
 */

import { join } from "node:path";
import { inQuotes } from "../../../core/text/shell-word.ts";
import { failpoint } from "../../failpoint.ts";
import { isFullAt } from "../../home/room.ts";
import { UserError } from "../../user-error.ts";
import { GitError, type GitCall } from "../call/call.ts";
import { commitNamed, inRepository } from "../call/commits.ts";
import { whileLocked } from "../call/locks.ts";
import { withObjects } from "../call/scratch.ts";
import { refreshMirror } from "../mirror/mirror.ts";
import { commitTree, type MadeCommit } from "../mirror/write-objects.ts";
import { defaultRefs } from "../repository/branches.ts";
import { gitDirOf } from "../repository/locate.ts";
import { authorOf, settingsOf } from "../repository/settings.ts";
import { updateRef } from "../repository/update-ref.ts";
import type { Git } from "../workspace/bench.ts";
import { asking, sayCommit, type Ask } from "./containment.ts";
import {
  checked,
  mergedTree,
  requireClean,
  siteOf,
  type MergePlan,
  type MergeSite,
  type Merging,
  type Strategy,
} from "./merge-plan.ts";
import { blocked, listed, notCopied, sayUndone, targetMoved } from "./merge-refusal.ts";
import { bringOver, tipIn } from "./publish.ts";
import {
  follow,
  type Following,
  followingIn,
  forgetFollowing,
  lastLine,
  noteFollowing,
  type Obstacle,
  takeBack,
  type UserCheckout,
  withCheckout,
} from "./user-checkout.ts";

export type MergeResult = {
  /** `already`: the target had the work before. */
  readonly how: "already" | Strategy;
  /** The commit that the target is at; of `already`, the commit that brought the work. */
  readonly commit: string;
  /** That commit in words. */
  readonly said: string;
  /** How many files the target got or changed. */
  readonly files: number;
  /** The checkout that has followed; empty for none. */
  readonly checkout: string;
  /** The remote's branch, as it was fetched last, does not have it. */
  readonly isUnpushed: boolean;
  /** What the target lost, in words; empty for nothing. */
  readonly undone: string;
  /** What a person should know. */
  readonly notes: readonly string[];
};

const FAILED = 1;

export function mergeWork(on: Git, merging: Merging): Promise<MergeResult> {
  return whileLocked({ folder: on.home.locks, repo: merging.repo }, async () => {
    try {
      return await merge(on, merging);
    } catch (error) {
      // Workspaces borrow objects from the mirror: brought up to date, it gives the worker the commit that it is asked to merge.
      if (error instanceof UserError && TO_BE_MERGED.has(error.code)) await refreshMirror(on, merging.repo);
      throw error;
    }
  });
}

const TO_BE_MERGED: ReadonlySet<string> = new Set([
  "merge-conflict",
  "merge-reverted",
  "unreviewed-commits",
  "would-undo",
]);

async function merge(on: Git, merging: Merging): Promise<MergeResult> {
  const site = siteOf(on, merging);
  await finishOrTakeBack(site);
  const ready = await checked(site);
  if (ready.how === "already") {
    const { how, commit, said } = ready;
    return { how, commit, said, files: 0, checkout: "", isUnpushed: false, undone: "", notes: [] };
  }
  const { old, path, ...plan } = ready;
  await copyWork(site);
  const { commit: now, notes } = await commitOf(site, { ...plan, old });
  if (path === undefined) await moveRef(site, { old, now, gitDir: site.commonDir });
  else await moveCheckout(site, { old, now, path });
  await requireArrived(site, { old, now, tree: plan.tree });
  const ask = asking(on.env, inRepository(site.commonDir));
  const said = (await sayCommit(ask, now)).text;
  const more = await alsoBrought(ask, merging, old);
  const fetched = await tipIn(on, site.commonDir, defaultRefs(merging.into).fetched);
  const isUnpushed = fetched !== undefined && fetched !== now;
  const undone = sayUndone(merging, plan.undone);
  return {
    how: plan.how,
    commit: now,
    said,
    files: plan.changes.length,
    checkout: path ?? "",
    isUnpushed,
    undone,
    notes: [...notes, ...more],
  };
}

/** The work may begin from commits that the target did not have: it was reset since, or it was behind the remote. */
async function alsoBrought(ask: Ask, { base, into }: Merging, old: string): Promise<readonly string[]> {
  if (base === "") return [];
  const [newest = "", ...others] = (await ask(["rev-list", base, "--not", old])).out.split("\n");
  if (newest === "") return [];
  const count = others.length === 0 ? "1 commit" : `${others.length + 1} commits`;
  const which = `${others.length === 0 ? "" : "up to "}${(await sayCommit(ask, newest)).text}`;
  return [`${into} also got ${count} that the work began from: ${which}`];
}

/** A process that was killed over a checkout has left it between two commits. */
async function finishOrTakeBack(site: MergeSite): Promise<void> {
  const { on, merging } = site;
  const left = followingIn(on, merging.repo);
  if (left === undefined) return;
  const what = await takeBack(on, left, await commitNamed(on.env, inRepository(site.commonDir), left.ref));
  const gitDir = gitDirOf(left.path);
  if (what === "ref is missing" && gitDir !== undefined)
    await moveRef({ ...site, ref: left.ref }, { ...left, gitDir });
  forgetFollowing(on, merging.repo);
}

type MergeCommit = Extract<MergePlan, { readonly tree: string }> & { readonly old: string };

/** The commit that the target will be at, in the user's repository. No ref has moved yet. */
async function commitOf(site: MergeSite, { how, tree, old }: MergeCommit): Promise<MadeCommit> {
  const { on, merging, commonDir } = site;
  const { commit: work, message } = merging;
  if (how === "ff") return { commit: work, notes: [] };
  const { signing } = await settingsOf(on, merging.repo);
  return withObjects(on, { commonDir, oid: old }, async (plain) => {
    const call = { ...plain, durable: true };
    const made = await mergedTree(on, call, { old, work });
    if (made.tree !== tree || made.conflicts.length > 0)
      throw new Error(`merging ${work} into ${old} gave ${tree} and then ${made.tree}`);
    const author = merging.author ?? (await authorOf(on, merging.repo, "the merge commit"));
    const parents = how === "squash" ? ["-p", old] : ["-p", old, "-p", work];
    const input = message.endsWith("\n") ? message : `${message}\n`;
    const args = ["commit-tree", tree, ...parents, "-F", "-"];
    return commitTree(on, { ...call, args, input, author }, signing);
  });
}

type RefMove = { readonly old: string; readonly now: string };

/** The user's repository need not have the handover commit: it could not be written to, or the branch was deleted. */
async function copyWork({ on, merging }: MergeSite): Promise<void> {
  const problem = await bringOver(on, merging);
  if (problem !== "") throw notCopied(merging, problem);
}

async function moveCheckout(
  site: MergeSite,
  { old, now, path }: RefMove & { readonly path: string },
): Promise<void> {
  const { on, merging, ref } = site;
  const { repo } = merging;
  const following = { repo, path, ref, old, now };
  await withCheckout(on, path, async (checkout) => {
    await requireClean(site, checkout, old);
    noteFollowing(on, following);
    const obstacle = await followOrTakeBack(on, checkout, following);
    if (obstacle !== undefined) {
      forgetFollowing(on, repo);
      throw blocked(merging, path, obstacle);
    }
    try {
      await moveRef(site, { old, now, gitDir: checkout.gitDir });
    } catch (error) {
      // The branch stays where it was, and so must its checkout. The next call finds what prevents that.
      if ((await follow(on, checkout, { old: now, now: old })) === undefined) forgetFollowing(on, repo);
      throw error;
    }
    forgetFollowing(on, repo);
  });
}

/** Where git stops in the middle, for example on a full disk, the files that it wrote are put back as after a crash. */
async function followOrTakeBack(
  on: Git,
  checkout: UserCheckout,
  following: Following,
): Promise<Obstacle | undefined> {
  try {
    return await follow(on, checkout, following);
  } catch (error) {
    if (!(error instanceof GitError || error instanceof UserError)) throw error;
    const isFull = isFullAt(join(checkout.path, ".git"));
    await takeBack(on, following, following.old);
    const said = error instanceof GitError ? lastLine(error.err) : error.message;
    return { files: [], said: isFull ? "no room is left on its disk" : said };
  }
}

/** From exactly where it was looked at: a ref that moved meanwhile is not overwritten. */
async function moveRef(site: MergeSite, of: RefMove & { readonly gitDir: string }): Promise<void> {
  const { on, merging, ref, commonDir } = site;
  const args = ["update-ref", "-m", `signalbox: task ${merging.run} merged`, ref, of.now, of.old];
  const call: GitCall = { cwd: commonDir, gitDir: of.gitDir, args, durable: true };
  failpoint("merge.before-ref");
  try {
    await updateRef(on, commonDir, call);
  } catch (error) {
    if ((await tipIn(on, commonDir, ref)) === of.old) throw error;
    throw targetMoved(merging);
  }
  failpoint("merge.after-ref");
}

/**
 * What arrived is what was planned, as the user's own git sees it: the commit is in the branch, all its objects exist, and its tree
 * is the merge of the target and the work.
 */
async function requireArrived(site: MergeSite, of: RefMove & { readonly tree: string }): Promise<void> {
  const { on, merging, ref } = site;
  const { into, repo, run, commit: work } = merging;
  const ask = asking(on.env, { ...inRepository(site.commonDir), isReplacing: true });
  const wrong = async (): Promise<string> => {
    const isIn = await ask(["merge-base", "--is-ancestor", of.now, ref]);
    if (isIn.code !== 0) return `${into} does not have the commit ${of.now.slice(0, 12)}`;
    const whole = await ask(["rev-list", "--objects", "--quiet", of.now, `^${of.old}`]);
    if (whole.code !== 0) return `objects of ${of.now.slice(0, 12)} are missing`;
    const { out: tree } = await ask(["rev-parse", "--verify", `${of.now}^{tree}`]);
    if (tree === of.tree) return "";
    const { out } = await ask(["diff-tree", "-r", "--name-only", "--no-renames", of.tree, tree]);
    return `these files are not as they were reviewed: ${listed(out.split("\n"))}`;
  };
  const what = await wrong();
  if (what === "") return;
  throw new UserError(
    "not-delivered",
    `The merge of ${work.slice(0, 12)} into ${into} went wrong: ${what}. ${run} is not done; ${into} was at ${of.old} before.`,
    { next: `git -C ${inQuotes(repo)} diff ${of.tree} ${inQuotes(into)}`, exit: FAILED },
  );
}
