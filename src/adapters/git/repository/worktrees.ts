/** The working trees of the user's repository. */

import type { Env } from "../../home/paths.ts";
import { git } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import { commonDirIn, gitDirOf } from "./locate.ts";

export type Worktree = {
  readonly path: string;
  /** The ref that is checked out; empty for a detached HEAD. */
  readonly ref: string;
};

/** `repo` is the main one: git names its git directory instead where that is elsewhere, as in a submodule. */
export async function worktreesOf(env: Env, repo: string): Promise<readonly Worktree[]> {
  const args = ["worktree", "list", "--porcelain", "-z"];
  const listed = (await git(env, { ...inRepository(commonDirIn(repo)), args })).split("\0\0");
  return listed.flatMap((each, place) => {
    const lines = each.split("\0");
    const named = (what: string): string =>
      lines.find((line) => line.startsWith(`${what} `))?.slice(what.length + 1) ?? "";
    const path = named("worktree");
    if (path === "" || lines.includes("bare")) return [];
    const isElsewhere = place === 0 && gitDirOf(path) === undefined;
    return [{ path: isElsewhere ? repo : path, ref: named("branch") }];
  });
}
