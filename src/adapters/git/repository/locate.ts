/** Where git keeps what belongs to a folder. Read directly: it is asked before every call. */

import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { unless } from "../../files/errno.ts";
import { textOfOwn } from "../../home/own-file.ts";
import { UserError } from "../../user-error.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** `undefined` where the folder is not a working tree, or where its git directory is missing. */
export function gitDirOf(path: string): string | undefined {
  const dot = join(path, ".git");
  const isLink = unless(MISSING, () => lstatSync(dot))?.isSymbolicLink() === true;
  const named = isLink ? dot : /^gitdir: (.+?)\n*$/s.exec(textOfOwn(dot) ?? "")?.[1];
  const gitDir = named === undefined ? dot : resolve(path, named);
  return unless([...MISSING, "EACCES", "ELOOP"], () => statSync(gitDir))?.isDirectory() === true
    ? gitDir
    : undefined;
}

/** A folder, and no link to one: what a link in its place leads to is not ours. */
export function isFolder(path: string): boolean {
  return unless([...MISSING, "EACCES", "ELOOP"], () => lstatSync(path))?.isDirectory() === true;
}

export function isThere(path: string): boolean {
  return unless(MISSING, () => lstatSync(path)) !== undefined;
}

/** The first of these folders that cannot be written to. */
export function unwritableOf(folders: readonly string[]): string | undefined {
  const isWritable = (folder: string): true => (accessSync(folder, constants.W_OK), true);
  return folders.find((folder) => unless(UNWRITABLE, () => isWritable(folder)) === undefined);
}

const UNWRITABLE = ["EROFS", "EACCES", "EPERM"];

/** The folder that all worktrees of a repository share. */
export function commonDirOf(gitDir: string): string {
  const named = textOfOwn(join(gitDir, "commondir"))?.trim();
  return named === undefined || named === "" ? gitDir : resolve(gitDir, named);
}

/** The git directory that all worktrees of the user's repository share. */
export function commonDirIn(repo: string): string {
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) throw goneRepository(repo);
  return commonDirOf(gitDir);
}

/** The user has moved or deleted the repository of a project. */
export function goneRepository(repo: string): UserError {
  return new UserError("no-repository", `There is no git repository at ${repo} any more.`, {
    next: `move it back to ${repo}; if it is gone: signalbox doctor --repair`,
  });
}
