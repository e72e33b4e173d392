/**
 * A task's branch is merged into the branch that it is for: a person's own act, done without any working tree where that is possible.
 *
 * What the merge gives is worked out first, from objects alone. Then everything that could be in the way is looked at. Only then the
 * branch moves, in one step, from where it was looked at; and before it the one checkout that has to follow.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { authorOf } from "./author.ts";
import { failed, git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import {
  changesIn,
  follow,
  followingIn,
  forgetFollowing,
  noteFollowing,
  operationOn,
  takeBack,
  withCheckout,
} from "./checkout.ts";
import { makeDurable } from "./durable.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import type { Bench, On } from "./own.ts";
import { withObjects } from "./plain.ts";
import { isSameWork, type Looked } from "./same-work.ts";
import { updateRef } from "./update-ref.ts";

export type Merging = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  /** The branch that it is merged into. */
  readonly into: string;
  readonly strategy?: "ff" | "merge";
  /** Of the merge commit, where there is one. */
  readonly message: string;
  /** Only this is merged: whatever the branch got since it was looked at is not. */
  readonly looked?: Looked;
};

export type Landed = {
  readonly how: "already" | "ff" | "merge";
  /** Where the branch is that it was merged into. */
  readonly commit: string;
  /** The checkout that has followed; empty for none. */
  readonly checkout: string;
};

const GATE = 5;
const CONFLICT = 6;
const NAMES_SHOWN = 10;

export function mergeBranch(on: On, merging: Merging): Promise<Landed> {
  return whileLocked({ folder: on.home.locks, repo: merging.repo }, () => merge(on, merging));
}

type Site = {
  readonly on: On;
  readonly merging: Merging;
  readonly commonDir: string;
  readonly ref: string;
};

async function merge(on: On, merging: Merging): Promise<Landed> {
  const gitDir = gitDirOf(merging.repo);
  if (gitDir === undefined)
    throw new UserError("no-repository", `${merging.repo} is no git repository any more.`, "put it back");
  const site: Site = { on, merging, commonDir: commonDirOf(gitDir), ref: `refs/heads/${merging.into}` };
  await finishOrTakeBack(site);
  const old = await oidOf(site, site.ref);
  const tip = await oidOf(site, `refs/heads/${merging.branch}`);
  if (tip === undefined) throw gone(merging.branch, merging.run);
  if (old === undefined) throw noDefault(merging.into);
  if (merging.looked !== undefined && !(await isSameWork(on, { ...site, tip }, merging.looked)))
    throw movedOn(merging);
  const result = await workedOut(site, { old, tip });
  if (result.how === "already") return { ...result, checkout: "" };
  const path = await checkoutOf(site);
  if (path === undefined) await moveRef(site, { old, now: result.commit, gitDir: site.commonDir });
  else await moveCheckout(site, { old, now: result.commit, path });
  return { ...result, checkout: path ?? "" };
}

function inRepository({ commonDir }: Site): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

async function oidOf(site: Site, ref: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { code, out } = await tryGit(site.on.env, { ...inRepository(site), args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

/** Whoever was killed over a checkout has left it between two commits. */
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

type Ends = { readonly old: string; readonly tip: string };

/** The commit that the branch will be at. Nothing has moved yet. */
async function workedOut(site: Site, { old, tip }: Ends): Promise<Omit<Landed, "checkout">> {
  const { on, merging, commonDir } = site;
  const { strategy, into, branch, run } = merging;
  return withObjects(on, { commonDir, oid: old }, async (plain) => {
    const isIn = async (one: string, other: string): Promise<boolean> =>
      (await tryGit(on.env, { ...plain, args: ["merge-base", "--is-ancestor", one, other] })).code === 0;
    if (await isIn(tip, old)) return { how: "already", commit: old };
    const isAhead = await isIn(old, tip);
    if (isAhead && strategy !== "merge") return { how: "ff", commit: tip };
    if (strategy === "ff")
      throw new UserError("not-fast-forward", `${into} has commits that ${branch} does not have`, {
        next: `signalbox task merge ${run} --strategy merge`,
        exit: GATE,
      });
    const call: Call = {
      ...plain,
      args: ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", old, tip],
      durable: true,
    };
    const answer = await tryGit(on.env, call);
    const [tree = "", ...names] = answer.out.toString("utf8").split("\0");
    if (answer.code === 1) throw conflicts(merging, names);
    if (answer.code !== 0) throw failed(call, answer);
    const author = await authorOf(on, commonDir, "the merge commit");
    const args = ["commit-tree", tree, "-p", old, "-p", tip, "-F", "-"];
    const input = merging.message.endsWith("\n") ? merging.message : `${merging.message}\n`;
    const commit = await git(on.env, { ...plain, args, input, author, durable: true });
    await makeDurable(on, { commonDir, from: commit, until: tip });
    return { how: "merge", commit };
  });
}

function conflicts({ branch, into, run }: Merging, names: readonly string[]): UserError {
  const files = names.filter((name) => name !== "");
  return new UserError(
    "merge-conflict",
    `${branch} cannot be merged into ${into} without somebody who decides: both have changed ${listed(files)}`,
    { next: `signalbox task request-changes ${run} "merge ${into} into your branch"`, exit: GATE },
  );
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Where the branch is checked out; undefined for nowhere. Refuses where something is under way with it. */
async function checkoutOf(site: Site): Promise<string | undefined> {
  const { on, ref, commonDir, merging } = site;
  const main = join(commonDir, "worktrees");
  const gitDirs = [
    commonDir,
    ...(unless(["ENOENT"], () => readdirSync(main)) ?? []).map((name) => join(main, name)),
  ];
  const call = { ...inRepository(site), args: ["worktree", "list", "--porcelain", "-z"] };
  const paths = (await git(on.env, call)).split("\0\0").flatMap((each) => {
    const lines = each.split("\0");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length) ?? "";
    // One whose folder is gone has nothing that could follow.
    return lines.includes(`branch ${ref}`) && gitDirOf(path) !== undefined ? [path] : [];
  });
  const [path, another] = paths;
  for (const gitDir of gitDirs) {
    const what = operationOn(gitDir, ref);
    if (what !== "") throw underWay(merging, { what, path: path ?? merging.repo });
  }
  if (another !== undefined && path !== undefined)
    throw new UserError(
      "checked-out-twice",
      `${merging.into} is checked out in ${path} and in ${another}: only one of them could follow`,
      { next: `git -C '${another}' switch --detach`, exit: GATE },
    );
  return path;
}

function underWay({ into, run }: Merging, of: { readonly what: string; readonly path: string }): UserError {
  const end = of.what === "bisect" ? "bisect reset" : `${of.what} --continue`;
  return new UserError("checkout-busy", `a ${of.what} of ${into} is under way in ${of.path}`, {
    next: `git -C '${of.path}' ${end}, then: signalbox task merge ${run}`,
    exit: GATE,
  });
}

type Way = { readonly old: string; readonly now: string };

/** What a merge would be refused for in the checkout that has to follow, looked at and not touched; undefined where nothing is. */
export async function checkoutProblem(on: On, merging: Merging): Promise<UserError | undefined> {
  const gitDir = gitDirOf(merging.repo);
  if (gitDir === undefined) return undefined;
  const site: Site = { on, merging, commonDir: commonDirOf(gitDir), ref: `refs/heads/${merging.into}` };
  try {
    const [path, old] = [await checkoutOf(site), await oidOf(site, site.ref)];
    if (path !== undefined && old !== undefined)
      await withCheckout(on, path, (bench) => requireClean(site, bench, old));
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

async function requireClean({ on, merging }: Site, bench: Bench, old: string): Promise<void> {
  const changed = await changesIn(on, bench, old);
  if (changed.length === 0) return;
  const { path } = bench;
  throw new UserError(
    "checkout-dirty",
    `${merging.into} is checked out in ${path}, and there are changes that are not committed: ${listed(changed)}`,
    { next: `git -C '${path}' stash, then: signalbox task merge ${merging.run}`, exit: GATE },
  );
}

async function moveCheckout(site: Site, { old, now, path }: Way & { readonly path: string }): Promise<void> {
  const { on, merging, ref } = site;
  const { repo } = merging;
  await withCheckout(on, path, async (bench) => {
    await requireClean(site, bench, old);
    noteFollowing(on, { repo, path, ref, old, now });
    const inTheWay = await follow(on, bench, { old, now });
    if (inTheWay !== "") {
      forgetFollowing(on, repo);
      throw blocked(merging, path, inTheWay);
    }
    await moveRef(site, { old, now, gitDir: bench.gitDir });
    forgetFollowing(on, repo);
  });
}

function blocked({ into, run }: Merging, path: string, said: string): UserError {
  const names = said.split("\n").filter((line) => line.startsWith("\t"));
  const single = /Untracked working tree file '(.+)'|Entry '(.+)'/.exec(said);
  const name = single?.[1] ?? single?.[2] ?? names.map((line) => line.trim()).join(", ");
  return new UserError(
    "checkout-dirty",
    `${into} is checked out in ${path}, and ${name === "" ? said : name} is in the way there`,
    { next: `git -C '${path}' status, move it away, then: signalbox task merge ${run}`, exit: GATE },
  );
}

/** From exactly where it was looked at: whoever was faster is not overwritten. */
async function moveRef(site: Site, of: Way & { readonly gitDir: string }): Promise<void> {
  const { on, merging, ref, commonDir } = site;
  const args = ["update-ref", "-m", `signalbox: task ${merging.run} merged`, ref, of.now, of.old];
  const call: Call = { cwd: commonDir, gitDir: of.gitDir, args, durable: true };
  failpoint("merge.before-ref");
  await updateRef(on, commonDir, call);
  failpoint("merge.after-ref");
}

function gone(branch: string, run: string): UserError {
  return new UserError("no-branch", `the branch ${branch} is gone`, {
    next: `signalbox task show ${run}`,
    exit: GATE,
  });
}

function movedOn({ branch, run }: Merging): UserError {
  return new UserError("conflict", `${branch} was changed while it was looked at: nothing is merged`, {
    next: `signalbox task merge ${run}`,
    exit: CONFLICT,
  });
}

function noDefault(into: string): UserError {
  return new UserError("no-branch", `there is no branch ${into} here to merge into`, {
    next: `git branch ${into} origin/${into}`,
    exit: GATE,
  });
}
