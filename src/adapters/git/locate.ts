/** Where git keeps what belongs to a folder. Read directly: it is asked before every call. */

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { unless } from "../files/errno.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** `undefined` where the folder is no working tree, or what it names is gone. */
export function gitDirOf(path: string): string | undefined {
  const dot = join(path, ".git");
  const stat = unless(MISSING, () => lstatSync(dot));
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dot;
  const named = /^gitdir: (.+?)\n*$/s.exec(unless(MISSING, () => readFileSync(dot, "utf8")) ?? "")?.[1];
  if (named === undefined) return undefined;
  const gitDir = resolve(path, named);
  return unless(MISSING, () => lstatSync(gitDir))?.isDirectory() === true ? gitDir : undefined;
}

/** A folder, and no link to one: what a link in its place leads to is not ours. */
export function isFolder(path: string): boolean {
  return unless([...MISSING, "EACCES", "ELOOP"], () => lstatSync(path))?.isDirectory() === true;
}

export function isThere(path: string): boolean {
  return unless(MISSING, () => lstatSync(path)) !== undefined;
}

/** The folder that all worktrees of a repository share. */
export function commonDirOf(gitDir: string): string {
  const named = unless(MISSING, () => readFileSync(join(gitDir, "commondir"), "utf8"))?.trim();
  return named === undefined || named === "" ? gitDir : resolve(gitDir, named);
}

/** Git's own folder for the worktree at a path, whether or not the worktree is still there. */
export function registrationOf(commonDir: string, path: string): string | undefined {
  const all = join(commonDir, "worktrees");
  const names = unless(MISSING, () => readdirSync(all)) ?? [];
  return names
    .map((name) => join(all, name))
    .find((gitDir) => {
      const named = unless(MISSING, () => readFileSync(join(gitDir, "gitdir"), "utf8"))?.trim();
      return named !== undefined && resolve(dirname(resolve(gitDir, named))) === path;
    });
}
