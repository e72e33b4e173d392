/**
 * Gives a workspace back without losing a byte, and without ever forcing git.
 *
 * 1. What is not committed becomes a salvage commit, durable before anything else happens. Every file is read for that: nothing
 *    counts as unchanged because somebody's index says so.
 * 2. A note in our folder for the workspace says which tree was saved: from here on, a file that is missing was removed by us.
 * 3. What git does not hold is moved to a folder.
 * 4. Git removes the files, each only if it still is what was saved. The branch stays.
 * 5. A worktree of a pool rests at the commit that the run began from, with nothing of the run in it. Any other goes: its folders,
 *    empty now, are removed one by one; git forgets the worktree.
 */

import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { includeAgain } from "./exclude.ts";
import { keepOperation } from "./keep.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { commonDirOf, gitDirOf, isFolder, isThere, registrationOf } from "./locate.ts";
import { forgetRun, isFreeAt, isPlain, lockFor, markFree, ownerAt } from "./marks.ts";
import { moveInto } from "./move.ts";
import { baseRef, salvageRef } from "./names.ts";
import { salvage } from "./salvage.ts";
import { benchOf, forgetBench } from "./own.ts";
import type { On } from "./own.ts";
import { reuseTest } from "./reuse.ts";
import { headOf } from "./tree.ts";
import { isSaved, vacate, type Registered, type Rest } from "./vacate.ts";
import { updateRef } from "./update-ref.ts";

export type Leaving = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly keep: string;
  /** Of a pool: the worktree waits for the next run, with these ignored paths in it. */
  readonly stays?: { readonly reuse: readonly string[] };
};

export type Released = { readonly salvage: string; readonly kept: string; readonly stays?: true };

const REMOVE_MS = 30 * 60_000;

/** Called under the repository's lock. */
export async function release(on: On, leaving: Leaving): Promise<Released> {
  const { run, repo, path, keep } = leaving;
  const mainDir = gitDirOf(repo);
  if (mainDir === undefined) return withoutRepository(leaving);
  const commonDir = commonDirOf(mainDir);
  const gitDir = registrationOf(commonDir, path);
  let stays = false;
  if (gitDir !== undefined && isOthers(gitDir, leaving)) {
    stays = true;
  } else if (gitDir !== undefined) {
    const registered = { run, commonDir, keep, bench: await benchOf(on, { path, gitDir }) };
    stays = await giveBack(on, registered, leaving);
  } else if (isThere(path)) {
    // Git does not know it any more: nobody can tell what of it is committed.
    moveInto(Buffer.from(path), keep, "worktree");
  }
  includeAgain({ commonDir, run });
  const ref = await refOf(on, commonDir, salvageRef(run));
  return {
    salvage: ref === undefined ? "" : salvageRef(run),
    kept: isFilled(keep) ? keep : "",
    ...(stays ? { stays } : {}),
  };
}

/** A worktree of a pool that was given back before, and has been somebody else's since. */
function isOthers(gitDir: string, { run, stays }: Leaving): boolean {
  const owner = ownerAt(gitDir);
  return stays !== undefined && owner !== undefined && owner !== run;
}

/** Whether the worktree is still there. */
async function giveBack(on: On, registered: Registered, { path, stays }: Leaving): Promise<boolean> {
  const { bench, keep } = registered;
  if (stays !== undefined && isFolder(path) && isPlain(bench.gitDir)) {
    if (!isFreeAt(bench.gitDir)) await park(on, registered, stays.reuse);
    forgetBench(bench);
    return true;
  }
  if (isFolder(path)) await vacate(on, registered);
  else if (isThere(path)) moveInto(Buffer.from(path), keep, "worktree");
  await removeRegistration(on, registered);
  return false;
}

/** Leaves a worktree clean, at a commit that we hold, with nothing in it or in git's own folder for it that was the run's. */
export async function park(on: On, registered: Registered, reuse: readonly string[]): Promise<void> {
  const { run, commonDir, bench, keep } = registered;
  const commit = (await refOf(on, commonDir, baseRef(run))) ?? (await headOf(on, bench));
  if (commit === undefined) throw new Error(`there is no commit that ${bench.path} could rest at`);
  const rest: Rest = { commit, isReused: reuseTest(reuse) };
  await vacate(on, registered, rest);
  keepOperation(bench, keep);
  failpoint("workspace.before-park");
  await updateRef(on, commonDir, {
    cwd: commonDir,
    gitDir: bench.gitDir,
    args: ["update-ref", "--no-deref", "-m", `signalbox: run ${run} is over`, "HEAD", commit],
  });
  lockFor(bench.gitDir, `signalbox pool ${basename(bench.path)}`);
  failpoint("workspace.before-free");
  markFree(bench.gitDir, commit);
  forgetRun(bench.gitDir);
  failpoint("workspace.after-free");
}

/** Where both are gone there is nothing left to keep. */
function withoutRepository({ repo, path, keep }: Leaving): Released {
  if (isThere(path))
    throw new UserError(
      "no-repository",
      `${repo} is no git repository any more: its workspace ${path} is left as it is.`,
      "put it back; if it is gone: signalbox doctor --repair",
    );
  return { salvage: "", kept: isFilled(keep) ? keep : "" };
}

async function refOf(on: On, commonDir: string, ref: string): Promise<string | undefined> {
  const answer = await tryGit(on.env, {
    cwd: commonDir,
    gitDir: commonDir,
    args: ["rev-parse", "--verify", "--quiet", ref],
  });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}

function isFilled(folder: string): boolean {
  return (unless(["ENOENT"], () => readdirSync(folder)) ?? []).length > 0;
}

/** Removes a worktree that is empty, or whose folder is gone. What only git's own folder for it knows is kept first. */
export async function removeRegistration(on: On, { run, commonDir, bench, keep }: Registered): Promise<void> {
  const call: Omit<Call, "args"> = { cwd: commonDir, gitDir: commonDir, limitMs: REMOVE_MS };
  await freeIndexLock(bench);
  if (!isFolder(bench.path) && !isSaved(bench)) await salvage({ on, bench, run }, { isThere: false });
  keepOperation(bench, keep);
  failpoint("workspace.before-detach");
  if (isFolder(bench.path)) removeFolders(bench.path);
  failpoint("workspace.after-detach");
  if (existsSync(join(bench.gitDir, "locked")))
    await git(on.env, { ...call, args: ["worktree", "unlock", bench.path] });
  failpoint("workspace.before-remove");
  // With its folder gone there is nothing that git could remove but what it knows of it.
  await git(on.env, { ...call, args: ["worktree", "remove", "--", bench.path] });
  forgetBench(bench);
  failpoint("workspace.after-remove");
}

/** Whatever is in one of them by now keeps it, and all that are above it. */
function removeFolders(path: string): void {
  removeBelow(Buffer.from(path));
  if (readdirSync(path).some((name) => name !== ".git"))
    throw new Error(`somebody keeps writing to ${path}: it is left as it is`);
  rmSync(join(path, ".git"), { force: true });
  rmdirSync(path);
}

function removeBelow(folder: Buffer): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    if (!entry.isDirectory() || entry.name.toString("latin1") === ".git") continue;
    const below = Buffer.concat([folder, Buffer.from("/"), entry.name]);
    removeBelow(below);
    unless(["ENOTEMPTY"], () => rmdirSync(below));
  }
}
