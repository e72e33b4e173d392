/** Commits on a run's branch in the user's repository that the run did not make: a person's, which nobody has reviewed. */

import { git, tryGit } from "./call.ts";
import { asking } from "./containment.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { inMirror } from "./mirror.ts";
import { mirrorOf } from "./names.ts";
import type { On } from "./own.ts";
import { withBoth } from "./plain.ts";
import { tipIn } from "./publish.ts";

export type RunBranch = { readonly run: string; readonly repo: string; readonly branch: string };

export type PersonCommits = {
  /** Where the branch is. */
  readonly tip: string;
  /** Newest first, each as hash, author and subject. */
  readonly commits: readonly string[];
};

const COMMITS_MAX = 100;

/** Undefined where the branch has nothing but the run's own commits, or is gone. */
export async function personCommits(on: On, of: RunBranch): Promise<PersonCommits | undefined> {
  const gitDir = gitDirOf(of.repo);
  if (gitDir === undefined) return undefined;
  const commonDir = commonDirOf(gitDir);
  const tip = await tipIn(on, commonDir, `refs/heads/${of.branch}`);
  if (tip === undefined) return undefined;
  const mirror = mirrorOf(on.home, of.repo);
  const own = await refsOf(on, mirror, of.run);
  if (own.includes(tip)) return undefined;
  const commits = await withBoth(on, { commonDir, mirror, oid: tip }, async (call) => {
    const format = ["--format=%h %an: %s", "--no-commit-header", `--max-count=${COMMITS_MAX}`];
    const input = [tip, ...own.map((oid) => `^${oid}`), ""].join("\n");
    const { code, out } = await tryGit(on.env, { ...call, args: ["rev-list", ...format, "--stdin"], input });
    if (code === 0) return out.toString("utf8").split("\n");
    // What cannot be compared is not the run's.
    return [(await asking(on.env, call)(["log", "-1", "--format=%h %an: %s", tip])).out];
  });
  const found = commits.filter((line) => line !== "");
  return found.length === 0 ? undefined : { tip, commits: found };
}

async function refsOf(on: On, mirror: string, run: string): Promise<readonly string[]> {
  const args = ["for-each-ref", "--format=%(objectname)", `refs/runs/${run}/`];
  return [...new Set((await git(on.env, { ...inMirror(mirror), args })).split("\n"))].filter(Boolean);
}
