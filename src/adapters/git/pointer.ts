/** The file `.git` of a worktree, by which git knows what it belongs to. */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../home/folders.ts";
import { gitDirOf } from "./locate.ts";
import { moveInto } from "./move.ts";
import type { Bench } from "./own.ts";

/** Puts it back where it is missing. What points elsewhere, or is a repository of somebody's, is moved aside. */
export function repairPointer({ path, gitDir }: Pick<Bench, "path" | "gitDir">, aside: string): void {
  const named = gitDirOf(path);
  if (named !== undefined && realpathSync(named) === realpathSync(gitDir)) return;
  const file = join(path, ".git");
  if (existsSync(file)) moveInto(Buffer.from(file), aside, "dot-git");
  writePrivate(file, `gitdir: ${gitDir}\n`);
}
