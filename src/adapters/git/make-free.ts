/**
 * Makes a worktree of a pool before anybody needs it: at a commit, on no branch, and free as a release leaves one.
 *
 * Whatever lies in its place is left alone: it is moved aside by whoever needs the place, and not by somebody who only prepares.
 */

import { existsSync, realpathSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { makeFolder } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { failed, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { checkOut } from "./fill.ts";
import { commonDirOf, gitDirOf, isThere, registrationOf } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import { isFreeAt, isUnused, markFree, markTaken, ownerAt } from "./marks.ts";
import { benchOf, forgetBench } from "./own.ts";
import type { On } from "./own.ts";

export type Vacant = {
  readonly repo: string;
  /** Of its folder. */
  readonly name: string;
  /** The commit that it rests at. */
  readonly base: string;
  /** Called before it is made, and not where it is there. */
  readonly onMake?: () => void;
};

const CHECKOUT_MS = 30 * 60_000;

/** Gives its path, and whether it was there already. */
export async function makeFree(
  on: On,
  vacant: Vacant,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  return whileLocked({ folder: on.home.locks, repo: vacant.repo }, () => make(on, vacant));
}

async function make(
  on: On,
  { repo, name, base, onMake }: Vacant,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const mainDir = gitDirOf(repo);
  if (mainDir === undefined)
    throw new UserError("no-repository", `${repo} is no git repository any more.`, "put it back");
  const commonDir = commonDirOf(mainDir);
  makeFolder(on.home.worktrees);
  const path = join(realpathSync(on.home.worktrees), name);
  const known = registrationOf(commonDir, path);
  if (known !== undefined && isThere(path)) {
    const isDone = isFreeAt(known) || ownerAt(known) !== undefined || !isUnused(known);
    if (isDone) return { path, isNew: false };
  } else if (known !== undefined || isThere(path)) throw taken(path);
  onMake?.();
  const gitDir = known ?? (await register(on, { commonDir, path, name, base }));
  const bench = await benchOf(on, { path, gitDir });
  // Whoever finds it half done knows that nobody has worked in it.
  markTaken(gitDir, "nobody");
  failpoint("workspace.before-checkout");
  await checkOut(on, bench, {
    tip: base,
    aside: join(on.home.quarantine, `checkout-${name}`),
    isReused: () => false,
  });
  failpoint("workspace.after-checkout");
  markFree(gitDir, base);
  failpoint("workspace.after-free");
  forgetBench(bench);
  return { path, isNew: true };
}

async function register(
  on: On,
  of: {
    readonly commonDir: string;
    readonly path: string;
    readonly name: string;
    readonly base: string;
  },
): Promise<string> {
  const { commonDir, path, name, base } = of;
  const reason = ["--lock", "--reason", `signalbox pool ${name}`];
  const call: Call = {
    cwd: commonDir,
    gitDir: commonDir,
    limitMs: CHECKOUT_MS,
    args: ["worktree", "add", "--no-checkout", "--detach", ...reason, "--", path, base],
    durable: true,
  };
  failpoint("workspace.before-worktree");
  makeFolder(path);
  const answer = await tryGit(on.env, call);
  if (answer.code !== 0) {
    if (!existsSync(join(path, ".git"))) rmdirSync(path);
    throw failed(call, answer);
  }
  failpoint("workspace.after-worktree");
  const gitDir = registrationOf(commonDir, path);
  if (gitDir === undefined) throw new Error(`git has made a worktree at ${path} and does not know it`);
  return gitDir;
}

function taken(path: string): UserError {
  return new UserError(
    "in-the-way",
    `${path} is no worktree that could be used; a task that needs its place moves it aside.`,
    `ls -la '${path}'`,
  );
}
