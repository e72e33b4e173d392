/**
 * Whether agents can use git in their workspace: lock files that a dead process left behind are moved away, and an interrupted
 * operation is named, so that the next agent is told of it.
 */

import { readdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { unless } from "../files/errno.ts";
import { operationIn } from "./checkout.ts";
import { isGitAtWork } from "./leftover-lock.ts";
import { isFolder } from "./locate.ts";

const HIDDEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];
const DEPTH_MAX = 12;

/** Gives sentences for the agent. */
export function makeUsable(path: string): readonly string[] {
  const gitDir = join(path, ".git");
  if (!isFolder(gitDir))
    return ["The folder .git of this workspace is missing or damaged: git does not work here."];
  const isAtWork = isGitAtWork({ path, gitDir }) !== false;
  const locks = isAtWork ? [] : [...locksIn(gitDir, 0), ...locksIn(join(gitDir, "refs"), DEPTH_MAX)];
  // Out of the folder of refs: git would take it for one.
  const asideOf = (file: string, place: number) =>
    join(gitDir, `${basename(file)}.stale-${Date.now()}${place}`);
  const moved = locks.filter((file, place) =>
    unless(HIDDEN, () => (renameSync(file, asideOf(file, place)), true)),
  );
  const operation = operationIn(gitDir);
  const undo = operation === "bisect" ? "git bisect reset" : `git ${operation} --abort`;
  return [
    ...(moved.length === 0
      ? []
      : [`A git process was killed here; its ${moved.length} stale lock files were moved away.`]),
    ...(operation === ""
      ? []
      : [`A git ${operation} was interrupted in this workspace: finish it or undo it (${undo}) first.`]),
  ];
}

function locksIn(folder: string, depth: number): readonly string[] {
  const entries = isFolder(folder) ? unless(HIDDEN, () => readdirSync(folder, { withFileTypes: true })) : [];
  return (entries ?? []).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith(".lock")) return [file];
    return entry.isDirectory() && depth > 0 ? locksIn(file, depth - 1) : [];
  });
}
