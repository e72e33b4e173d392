/**
 * The refs by which a project's default branch is known: in the user's repository, as its user fetched it, and as the engine fetched it.
 *
 * Only files are read, so that commands which only look do not pay for git.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { mirrorOf, upstreamRef } from "./names.ts";
import { branchAt, isTabled, refAt } from "./refs.ts";

const GUESSES = ["main", "master"];
const HEADS = "refs/heads/";

/** The project's, or where nobody has said which: a usual name, or what is checked out. */
export function defaultBranchOf(repo: string, named: string): string | undefined {
  if (named !== "") return named;
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return undefined;
  const commonDir = commonDirOf(gitDir);
  const guess = GUESSES.find((name) => refAt(commonDir, `${HEADS}${name}`) !== undefined);
  return guess ?? branchAt(gitDir)?.replace(HEADS, "");
}

/** `local` and `fetched` are in the user's repository, `upstream` is in the mirror. */
export type DefaultRefs = Readonly<Record<"local" | "fetched" | "upstream", string>>;

export function defaultRefs(branch: string): DefaultRefs {
  return {
    local: `${HEADS}${branch}`,
    fetched: `refs/remotes/origin/${branch}`,
    upstream: upstreamRef(branch),
  };
}

/** Whether one of them may have moved since a moment. More often yes than needed, never no when it has. */
export function mayHaveMoved(
  home: Home,
  { repo, named }: { readonly repo: string; readonly named: string },
  since: number,
): boolean {
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return false;
  const commonDir = commonDirOf(gitDir);
  const branch = defaultBranchOf(repo, named);
  const refs = branch === undefined ? undefined : defaultRefs(branch);
  const inRepository = isTabled(commonDir)
    ? ["reftable/tables.list"]
    : ["packed-refs", ...(refs === undefined ? [] : [refs.local, refs.fetched])];
  const inMirror = refs === undefined ? [] : [refs.upstream];
  const files = [
    ...inRepository.map((file) => join(commonDir, file)),
    ...inMirror.map((file) => join(mirrorOf(home, repo), file)),
  ];
  return files.some((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat !== undefined && Math.max(stat.mtimeMs, stat.ctimeMs) >= since;
  });
}
