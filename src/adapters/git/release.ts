/**
 * Gives a workspace back without losing a byte, and without ever forcing git.
 *
 * 1. What is not committed becomes a salvage commit, durable before anything else happens. Every file is read for that: nothing
 *    counts as unchanged because somebody's index says so.
 * 2. A note in our folder for the workspace says which tree was saved: from here on, a file that is missing was removed by us.
 * 3. What git does not hold is moved to a folder.
 * 4. Git removes the files, each only if it still is what was saved.
 * 5. The folders, empty now, are removed one by one; git forgets the worktree. The branch stays.
 */

import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { includeAgain } from "./exclude.ts";
import { keepOperation, keepRest } from "./keep.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { commonDirOf, gitDirOf, isFolder, isThere, registrationOf } from "./locate.ts";
import { moveInto } from "./move.ts";
import { salvageRef } from "./names.ts";
import { repairPointer } from "./pointer.ts";
import { salvage } from "./salvage.ts";
import { at, benchOf, forgetBench, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";
import { isTooLong, keepTooLong } from "./too-long.ts";
import { addAll, withCopy } from "./tree.ts";

export type Leaving = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly keep: string;
};

export type Released = { readonly salvage: string; readonly kept: string };

const SAVED = "saved";
const REMOVE_MS = 30 * 60_000;
const TRIES_MAX = 3;

export type Registered = {
  readonly run: string;
  readonly commonDir: string;
  readonly bench: Bench;
  /** Where what git does not hold is moved to. */
  readonly keep: string;
};

/** Called under the repository's lock. */
export async function release(on: On, leaving: Leaving): Promise<Released> {
  const { run, repo, path, keep } = leaving;
  const mainDir = gitDirOf(repo);
  if (mainDir === undefined) return withoutRepository(leaving);
  const commonDir = commonDirOf(mainDir);
  const gitDir = registrationOf(commonDir, path);
  if (gitDir !== undefined) {
    const registered = { run, commonDir, keep, bench: await benchOf(on, { path, gitDir }) };
    if (isFolder(path)) await emptyWhole(on, registered);
    else if (isThere(path)) moveInto(Buffer.from(path), keep, "worktree");
    await removeRegistration(on, registered);
  } else if (isThere(path)) {
    // Git does not know it any more: nobody can tell what of it is committed.
    moveInto(Buffer.from(path), keep, "worktree");
  }
  includeAgain({ commonDir, run });
  return { salvage: await refOf(on, commonDir, salvageRef(run)), kept: isFilled(keep) ? keep : "" };
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

async function refOf(on: On, commonDir: string, ref: string): Promise<string> {
  const answer = await tryGit(on.env, {
    cwd: commonDir,
    gitDir: commonDir,
    args: ["rev-parse", "--verify", "--quiet", ref],
  });
  return answer.code === 0 ? ref : "";
}

function isFilled(folder: string): boolean {
  return (unless(["ENOENT"], () => readdirSync(folder)) ?? []).length > 0;
}

/** What lies too deep for anybody to reach by its path is kept first, and only where it turns out to be there: looking takes time. */
async function emptyWhole(on: On, registered: Registered): Promise<void> {
  try {
    await empty(on, registered);
  } catch (error) {
    if (!isTooLong(error) || !keepTooLong(registered.bench.path, registered.keep)) throw error;
    await empty(on, registered);
  }
}

/** Takes everything out of the worktree. */
async function empty(on: On, { run, commonDir, bench, keep }: Registered): Promise<void> {
  repairPointer(bench, keep);
  await freeIndexLock(bench);
  const tree = await save(on, { run, commonDir, bench, keep });
  // Only now: what is missing from here on was taken away by us.
  await keepRest(on, bench, { tree, keep });
  failpoint("workspace.before-clear");
  await clear(on, bench, tree);
  failpoint("workspace.after-clear");
}

/** Gives the tree that was saved. While somebody still writes there, what is new is saved as well. */
async function save(on: On, { run, bench }: Registered): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const saved = await savedTree(on, bench);
    if (saved !== undefined) return saved;
    const { tree } = await salvage({ on, bench, run }, { isThere: true });
    failpoint("workspace.before-saved");
    writePrivate(join(bench.own, SAVED), `${tree}\n`);
    failpoint("workspace.after-saved");
  }
  const saved = await savedTree(on, bench);
  if (saved === undefined) throw new Error(`somebody keeps writing to ${bench.path}: it is left as it is`);
  return saved;
}

/** The tree that was saved, if nothing is there that it does not hold. */
async function savedTree(on: On, bench: Bench): Promise<string | undefined> {
  const saved = unless(["ENOENT"], () => readFileSync(join(bench.own, SAVED), "utf8"))?.trim();
  if (saved === undefined) return undefined;
  const now = await withCopy(on, bench, async (index) => {
    await addAll(on, bench, index);
    return git(on.env, { ...at(bench, index), args: ["write-tree", "--missing-ok"] });
  });
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--no-renames",
    "--diff-filter=d",
    "--name-only",
    "--no-ext-diff",
    "--no-textconv",
    saved,
    now,
  ];
  const added = await gitRecords(on.env, {
    ...within(bench),
    args,
  });
  return added.length === 0 ? saved : undefined;
}

/** Without force: git looks at each file, and refuses to remove one that is not what was saved. */
async function clear(on: On, bench: Bench, saved: string): Promise<void> {
  await withScratch(on, async (index) => {
    const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: REMOVE_MS };
    const nothing = await git(on.env, { ...call, args: ["hash-object", "-t", "tree", "-w", "--stdin"] });
    await git(on.env, { ...call, args: ["read-tree", saved] });
    await tryGit(on.env, { ...call, args: ["update-index", "-q", "--ignore-missing", "--refresh"] });
    await git(on.env, { ...call, args: ["read-tree", "-m", "-u", "--no-sparse-checkout", nothing] });
  });
}

/** Removes a worktree that is empty, or whose folder is gone. What only git's own folder for it knows is kept first. */
export async function removeRegistration(on: On, { run, commonDir, bench, keep }: Registered): Promise<void> {
  const call: Omit<Call, "args"> = { cwd: commonDir, gitDir: commonDir, limitMs: REMOVE_MS };
  await freeIndexLock(bench);
  if (!isFolder(bench.path) && !existsSync(join(bench.own, SAVED)))
    await salvage({ on, bench, run }, { isThere: false });
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
