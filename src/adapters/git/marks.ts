/**
 * Files of ours in git's own folder for a worktree: whose it is and that it is whole, or that it is free and how it was left.
 *
 * A free one that is no longer as it was left is somebody's: what is in it is kept before it is used.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { branchAt, headAt } from "./refs.ts";

const READY = "signalbox-ready";
const POOL = "signalbox-pool";
const MISSING = ["ENOENT", "ENOTDIR"];

/** What a worktree that waits for the next run needs of git's own folder for it. */
const LASTING = new Set(["HEAD", "commondir", "gitdir", "index", "locked", POOL]);

/** The run that works in it: it is whole. */
export function ownerAt(gitDir: string): string | undefined {
  return textOf(join(gitDir, READY));
}

export function markReady(gitDir: string, run: string): void {
  writePrivate(join(gitDir, READY), `${run}\n`);
  rmSync(join(gitDir, POOL), { force: true });
}

/** Somebody is making it theirs: what is half done from here on was done by us. */
export function markTaken(gitDir: string, run: string): void {
  writePrivate(join(gitDir, POOL), `taken ${run}\n`);
}

export function markFree(gitDir: string, commit: string): void {
  writePrivate(join(gitDir, POOL), `free ${commit} ${indexDigest(gitDir)}\n`);
}

/** Free, and as it was left. */
export function isFreeAt(gitDir: string): boolean {
  if (existsSync(join(gitDir, READY))) return false;
  const [word, commit, digest] = textOf(join(gitDir, POOL))?.split(" ") ?? [];
  if (word !== "free" || branchAt(gitDir) !== undefined) return false;
  return headAt(gitDir) === commit && indexDigest(gitDir) === digest;
}

/** Nobody has worked in it since we did: it is free, or half made. */
export function isUnused(gitDir: string): boolean {
  if (existsSync(join(gitDir, READY))) return false;
  const mark = textOf(join(gitDir, POOL));
  if (mark === undefined) return branchAt(gitDir) !== undefined;
  return mark.startsWith("taken ") || isFreeAt(gitDir);
}

/** Settings of one worktree are not ours to take along, and not ours to leave to the next one. */
export function isPlain(gitDir: string): boolean {
  return !existsSync(join(gitDir, "config.worktree")) && !existsSync(join(gitDir, "info", "sparse-checkout"));
}

/** What was the last run's in it: logs, refs of its own, messages. What they held is kept by then. */
export function forgetRun(gitDir: string): void {
  for (const name of readdirSync(gitDir))
    if (!LASTING.has(name)) rmSync(join(gitDir, name), { recursive: true, force: true });
}

export function lockFor(gitDir: string, reason: string): void {
  const file = join(gitDir, "locked");
  if (textOf(file) !== reason) writePrivate(file, `${reason}\n`);
}

function indexDigest(gitDir: string): string {
  const bytes = unless(MISSING, () => readFileSync(join(gitDir, "index")));
  // Loaded when it is needed: it takes longer than most of what git commands do here.
  const { hash } = process.getBuiltinModule("node:crypto");
  return bytes === undefined ? "none" : hash("sha1", bytes, "hex");
}

function textOf(file: string): string | undefined {
  return unless(MISSING, () => readFileSync(file, "utf8"))?.trim();
}
