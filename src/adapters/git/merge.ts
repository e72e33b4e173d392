/**
 * Delivery: a person merges the handover commit of a run into the branch that it is for.
 *
 * The outcome is planned first, from objects alone and without writing to the user's repository. Then everything that could be in the
 * way is looked at. Only then the branch moves, in one step, from where it was looked at, after the one checkout that has to follow.
 * In the end the tree that arrived is compared with the planned one.
 */

import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { authorOf } from "./author.ts";
import { failed, git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import {
  changesBetween,
  changesIn,
  follow,
  followingIn,
  foreignFiles,
  forgetFollowing,
  noteFollowing,
  operationOn,
  takeBack,
  withCheckout,
  type Change,
  type Checkout,
} from "./checkout.ts";
import { asking, containmentOf, sayCommit, type Ask } from "./containment.ts";
import { defaultRefs } from "./default-refs.ts";
import { commitTree, type MadeCommit } from "./commit-object.ts";
import { requireFree } from "./leftover-lock.ts";
import { commonDirOf, gitDirOf, goneRepository } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import {
  blocked,
  conflict,
  dirty,
  listed,
  notCopied,
  notFastForward,
  notWritable,
  nothingToMerge,
  partTakenOut,
  underWay,
  requireNothingUndone,
  sayUndone,
  takenOut,
  unrelated,
  unreviewed,
} from "./merge-refusal.ts";
import { refreshMirror } from "./mirror.ts";
import { mirrorOf } from "./names.ts";
import type { On } from "./own.ts";
import { personCommits } from "./person-commits.ts";
import { withBoth, withObjects } from "./plain.ts";
import { bringOver, tipIn } from "./publish.ts";
import { settingsOf } from "./settings.ts";
import { takenOutBefore, undoneBy } from "./undone.ts";
import { updateRef } from "./update-ref.ts";

export type Strategy = "ff" | "merge" | "squash";

export type Merging = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  /** The branch that it is merged into. */
  readonly into: string;
  /** The handover commit: exactly this is merged, whatever the branch has. */
  readonly commit: string;
  /** The commit that the run began from. */
  readonly base: string;
  readonly strategy?: Strategy;
  /** Of the new commit, where there is one. */
  readonly message: string;
  /** Of the new commit; the person's own identity otherwise. */
  readonly author?: { readonly name: string; readonly email: string };
  /** Commits of a person on the branch are left out; otherwise they are a reason to refuse. */
  readonly leave?: boolean;
  /** Changes of the target that the work sets back are lost; otherwise they are a reason to refuse. */
  readonly allowUndo?: boolean;
  /** What a person types to merge the work, and to end the run without a merge: for what is said where it is refused. */
  readonly commands?: { readonly merge: string; readonly end: string };
};

export type Merged = {
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
const GATE = 5;

export function mergeWork(on: On, merging: Merging): Promise<Merged> {
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

type Site = {
  readonly on: On;
  readonly merging: Merging;
  readonly commonDir: string;
  readonly ref: string;
};

async function merge(on: On, merging: Merging): Promise<Merged> {
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
  const ask = asking(on.env, inRepository(site));
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

type Ready = Planned & {
  /** The checkout that has to follow; undefined for none. */
  readonly path?: string | undefined;
};

/** The plan, where nothing is in the way of it. Whether the checkout can follow is not looked at yet. Writes nothing. */
async function checked(site: Site): Promise<Ready> {
  const { merging } = site;
  const plan = await planned(site);
  if (plan.how === "already") return plan;
  if (merging.leave !== true) await requireReviewed(site);
  if (merging.allowUndo !== true) requireNothingUndone(merging, plan);
  const path = await checkoutOf(site);
  await requireWritable(site, path);
  return { ...plan, path };
}

function siteOf(on: On, merging: Merging): Site {
  const gitDir = gitDirOf(merging.repo);
  if (gitDir === undefined) throw goneRepository(merging.repo);
  return { on, merging, commonDir: commonDirOf(gitDir), ref: `refs/heads/${merging.into}` };
}

function inRepository({ commonDir }: Site): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

async function oidOf(site: Site, ref: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { code, out } = await tryGit(site.on.env, { ...inRepository(site), args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

/** A process that was killed over a checkout has left it between two commits. */
async function finishOrTakeBack(site: Site): Promise<void> {
  const { on, merging } = site;
  const left = followingIn(on, merging.repo);
  if (left === undefined) return;
  const what = await takeBack(on, left, await oidOf(site, left.ref));
  const gitDir = gitDirOf(left.path);
  if (what === "ref is missing" && gitDir !== undefined)
    await moveRef({ ...site, ref: left.ref }, { ...left, gitDir });
  forgetFollowing(on, merging.repo);
}

/** What a merge would do, as things are. */
export type Plan =
  | { readonly how: "already"; readonly commit: string; readonly said: string }
  /** The tree that the target gets. */
  | {
      readonly how: Strategy;
      readonly tree: string;
      readonly changes: readonly Change[];
      /** Files whose changes in the target would be lost. */
      readonly undone: readonly string[];
    };

type Planned = Plan & { readonly old: string };

/** The plan, and where the target is. Throws a UserError where the work cannot be merged. Writes nothing. */
async function planned(site: Site): Promise<Planned> {
  const { on, merging, commonDir } = site;
  const { commit: work, base, repo } = merging;
  const old = await oidOf(site, site.ref);
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
    if ((await ask(["merge-base", old, work])).code !== 0) throw unrelated(merging);
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

async function mergedTree(
  on: On,
  call: Omit<Call, "args">,
  { old, work }: Sides,
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  const merging: Call = {
    ...call,
    args: ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", old, work],
  };
  const answer = await tryGit(on.env, merging);
  if (answer.code !== 0 && answer.code !== 1) throw failed(merging, answer);
  const [tree = "", ...names] = answer.out.toString("utf8").split("\0");
  return { tree, conflicts: answer.code === 0 ? [] : names.filter((name) => name !== "") };
}

/** Commits that a person put on the run's branch were not reviewed. */
async function requireReviewed({ on, merging }: Site): Promise<void> {
  const found = await personCommits(on, merging);
  if (found !== undefined) throw unreviewed(merging, found);
}

/** Where the branch is checked out; undefined for nowhere. Refuses where an operation is under way with it. */
async function checkoutOf(site: Site): Promise<string | undefined> {
  const { on, ref, commonDir, merging } = site;
  const main = join(commonDir, "worktrees");
  const gitDirs = [
    commonDir,
    ...(unless(["ENOENT"], () => readdirSync(main)) ?? []).map((name) => join(main, name)),
  ];
  const [path, another] = await checkoutsOf(on, commonDir, ref);
  for (const gitDir of gitDirs) {
    const what = operationOn(gitDir, ref);
    if (what !== "") throw underWay(merging, { what, path: path ?? merging.repo });
  }
  if (another !== undefined && path !== undefined)
    throw new UserError(
      "checked-out-twice",
      `${merging.into} is checked out in ${path} and in ${another}. Only one of them could follow.`,
      { next: `git -C '${another}' switch --detach`, exit: GATE },
    );
  return path;
}

/** Paths at which a ref of a repository is checked out. */
async function checkoutsOf(on: On, commonDir: string, ref: string): Promise<readonly string[]> {
  const args = ["worktree", "list", "--porcelain", "-z"];
  const listing = await git(on.env, { cwd: commonDir, gitDir: commonDir, args });
  return listing.split("\0\0").flatMap((each) => {
    const lines = each.split("\0");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length) ?? "";
    // One whose folder is gone has nothing that could follow.
    return lines.includes(`branch ${ref}`) && gitDirOf(path) !== undefined ? [path] : [];
  });
}

/** What a merge would do, or why it would be refused. Nothing is touched. */
export async function forecastMerge(on: On, merging: Merging): Promise<Plan | UserError> {
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

async function requireClean({ on, merging }: Site, checkout: Checkout, old: string): Promise<void> {
  const changed = await changesIn(on, checkout, old);
  if (changed.length > 0) throw dirty(merging, checkout.path, changed);
}

type Making = Extract<Plan, { readonly tree: string }> & { readonly old: string };

/** The commit that the target will be at, in the user's repository. No ref has moved yet. */
async function commitOf(site: Site, { how, tree, old }: Making): Promise<MadeCommit> {
  const { on, merging, commonDir } = site;
  const { commit: work, message } = merging;
  if (how === "ff") return { commit: work, notes: [] };
  const { isSigned } = await settingsOf(on, merging.repo);
  return withObjects(on, { commonDir, oid: old }, async (plain) => {
    const call = { ...plain, durable: true };
    const made = await mergedTree(on, call, { old, work });
    if (made.tree !== tree || made.conflicts.length > 0)
      throw new Error(`merging ${work} into ${old} gave ${tree} and then ${made.tree}`);
    const author = merging.author ?? (await authorOf(on, merging.repo, "the merge commit"));
    const parents = how === "squash" ? ["-p", old] : ["-p", old, "-p", work];
    const input = message.endsWith("\n") ? message : `${message}\n`;
    const args = ["commit-tree", tree, ...parents, "-F", "-"];
    return commitTree(on, { ...call, args, input, author }, isSigned);
  });
}

type Way = { readonly old: string; readonly now: string };

/** Before anything is touched: the folders can be written to, and no other git is changing the same things. */
async function requireWritable({ commonDir, ref, merging }: Site, path: string | undefined): Promise<void> {
  const gitDir = path === undefined ? undefined : gitDirOf(path);
  const places = [commonDir, join(commonDir, "objects"), ...(path === undefined ? [] : [path])];
  const closed = places.find(
    (place) => unless(CLOSED, () => (accessSync(place, constants.W_OK), true)) === undefined,
  );
  if (closed !== undefined) throw notWritable(merging, closed);
  const locks = gitDir === undefined ? [] : [join(gitDir, "index.lock"), join(gitDir, "HEAD.lock")];
  for (const file of [join(commonDir, `${ref}.lock`), ...locks]) await requireFree(commonDir, file);
}

const CLOSED = ["EROFS", "EACCES", "EPERM"];

/** The user's repository need not have the handover commit: it could not be written to, or the branch was deleted. */
async function copyWork({ on, merging }: Site): Promise<void> {
  const problem = await bringOver(on, merging);
  if (problem !== "") throw notCopied(merging, problem);
}

async function moveCheckout(site: Site, { old, now, path }: Way & { readonly path: string }): Promise<void> {
  const { on, merging, ref } = site;
  const { repo } = merging;
  await withCheckout(on, path, async (checkout) => {
    await requireClean(site, checkout, old);
    noteFollowing(on, { repo, path, ref, old, now });
    const obstacle = await follow(on, checkout, { old, now });
    if (obstacle !== undefined) {
      forgetFollowing(on, repo);
      throw blocked(merging, path, obstacle);
    }
    try {
      await moveRef(site, { old, now, gitDir: checkout.gitDir });
    } catch (error) {
      // The branch stays where it was, and so must its checkout. What stands in the way of that is found by the next call.
      if ((await follow(on, checkout, { old: now, now: old })) === undefined) forgetFollowing(on, repo);
      throw error;
    }
    forgetFollowing(on, repo);
  });
}

/** From exactly where it was looked at: a ref that moved meanwhile is not overwritten. */
async function moveRef(site: Site, of: Way & { readonly gitDir: string }): Promise<void> {
  const { on, merging, ref, commonDir } = site;
  const args = ["update-ref", "-m", `signalbox: task ${merging.run} merged`, ref, of.now, of.old];
  const call: Call = { cwd: commonDir, gitDir: of.gitDir, args, durable: true };
  failpoint("merge.before-ref");
  await updateRef(on, commonDir, call);
  failpoint("merge.after-ref");
}

/**
 * What arrived is what was planned, as the user's own git sees it: the commit is in the branch, all its objects are there, and its tree
 * is the merge of the target and the work.
 */
async function requireArrived(site: Site, of: Way & { readonly tree: string }): Promise<void> {
  const { on, merging, ref } = site;
  const { into, repo, run, commit: work } = merging;
  const ask = asking(on.env, inRepository(site));
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
    { next: `git -C '${repo}' diff ${of.tree} '${into}'`, exit: FAILED },
  );
}

async function noTarget({ on, commonDir, merging }: Site): Promise<UserError> {
  const { into, repo } = merging;
  const fetched = await tipIn(on, commonDir, defaultRefs(into).fetched);
  return new UserError("no-branch", `${repo} has no branch ${into} to merge into. Nothing was changed.`, {
    next:
      fetched === undefined
        ? "signalbox project update --default-branch NAME"
        : `git -C '${repo}' branch ${into} origin/${into}`,
    exit: GATE,
  });
}
