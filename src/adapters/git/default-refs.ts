/**
 * The refs by which a project's default branch is known: here, as we fetched it, and as somebody else has fetched it.
 *
 * Only files are looked at, so that whoever only looks does not pay for git.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { branchAt, isTabled, refAt } from "./refs.ts";

const GUESSES = ["main", "master"];
const HEADS = "refs/heads/";

/** The project's, or where nobody has said which: that of the remote, a usual name, or what is checked out. */
export function defaultBranchOf(repo: string, named: string): string | undefined {
  if (named !== "") return named;
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return undefined;
  const commonDir = commonDirOf(gitDir);
  const guess = GUESSES.find((name) => refAt(commonDir, `${HEADS}${name}`) !== undefined);
  return guess ?? branchAt(gitDir)?.replace(HEADS, "");
}

export function defaultRefs(branch: string): readonly string[] {
  return [`${HEADS}${branch}`, `refs/signalbox/upstream/${branch}`, `refs/remotes/origin/${branch}`];
}

/** Whether one of them may have moved since a moment. More often yes than needed, never no when it has. */
export function mayHaveMoved(repo: string, named: string, since: number): boolean {
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return false;
  const commonDir = commonDirOf(gitDir);
  const branch = defaultBranchOf(repo, named);
  const files = isTabled(commonDir)
    ? ["reftable/tables.list"]
    : ["packed-refs", ...(branch === undefined ? [] : defaultRefs(branch))];
  return files.some((file) => {
    const stat = statSync(join(commonDir, file), { throwIfNoEntry: false });
    return stat !== undefined && Math.max(stat.mtimeMs, stat.ctimeMs) >= since;
  });
}
