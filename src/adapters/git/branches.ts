/** What a person may want to know of a repository's branches before something is begun on one of them. */

import type { Env } from "../home/paths.ts";
import { git, tryGit } from "./call.ts";
import { defaultBranchOf } from "./default-refs.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";

export type Branches = {
  readonly names: readonly string[];
  /** The working tree that a branch is checked out in. */
  readonly heldBy: ReadonlyMap<string, string>;
};

/** `repo` is the main working tree. */
export async function branchesOf(repo: string, env: Env): Promise<Branches> {
  const call = callIn(repo);
  const [refs, trees] = await Promise.all([
    git(env, { ...call, args: ["for-each-ref", "--format=%(refname)", "refs/heads"] }),
    git(env, { ...call, args: ["worktree", "list", "--porcelain", "-z"] }),
  ]);
  const names = refs.split("\n").filter((name) => name !== "");
  const heldBy = trees.split("\0\0").flatMap((each) => {
    const lines = each.split("\0");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length) ?? "";
    const branch = lines.find((line) => line.startsWith("branch refs/heads/"));
    return branch === undefined ? [] : [[branch.slice("branch refs/heads/".length), path] as const];
  });
  return { names: names.map((name) => name.slice("refs/heads/".length)), heldBy: new Map(heldBy) };
}

/** The commit that a branch is at; undefined where there is none. */
export async function tipOfBranch(repo: string, branch: string, env: Env): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`];
  const { code, out } = await tryGit(env, { ...callIn(repo), args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

/** The tree of a commit: the digest of a workspace that begins there, before anybody has touched it. */
export async function treeOfCommit(repo: string, commit: string, env: Env): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`];
  const { code, out } = await tryGit(env, { ...callIn(repo), args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

type Origin = {
  readonly url: string;
  /** The branch that `origin` has for the usual one. */
  readonly branch: string;
  /** A branch here with a usual name, for a repository with a detached HEAD. */
  readonly usual: string;
};

/** Where a repository is cloned from, and the branches that its default branch may be; each may be empty. */
export async function originOf(repo: string, env: Env): Promise<Origin> {
  const call = callIn(repo);
  const [url, head] = await Promise.all([
    tryGit(env, { ...call, args: ["config", "--get", "remote.origin.url"] }),
    tryGit(env, { ...call, args: ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"] }),
  ]);
  const said = (answer: { code: number; out: Buffer }): string =>
    answer.code === 0 ? answer.out.toString("utf8").trim() : "";
  const branch = said(head).replace(/^refs\/remotes\/origin\//, "");
  return { url: said(url), branch, usual: defaultBranchOf(repo, "") ?? "" };
}

function callIn(repo: string): { readonly cwd: string; readonly gitDir: string } {
  const gitDir = commonDirOf(gitDirOf(repo) ?? repo);
  return { cwd: repo, gitDir };
}
