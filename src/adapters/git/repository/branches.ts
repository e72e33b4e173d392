/** Branches of the user's repository: which is the default one and where it is known, what exists, and what is checked out where. */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Env, Home } from "../../home/paths.ts";
import { git, tryGit } from "../call/call.ts";
import { commitNamed } from "../call/commits.ts";
import { mirrorOf, upstreamRef } from "../mirror/names.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { branchAt, isTabled, refAt } from "./refs.ts";
import { worktreesOf } from "./worktrees.ts";

export type BranchList = {
  readonly names: readonly string[];
  /** Git takes a name for that of a tag first. */
  readonly tags: readonly string[];
  /** The working tree that a branch is checked out in. */
  readonly heldBy: ReadonlyMap<string, string>;
};

/** `repo` is the main working tree. */
export async function branchesOf(repo: string, env: Env): Promise<BranchList> {
  const call = callIn(repo);
  const [refs, trees] = await Promise.all([
    git(env, { ...call, args: ["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"] }),
    worktreesOf(env, repo),
  ]);
  const below = (folder: string): readonly string[] =>
    refs.split("\n").flatMap((ref) => (ref.startsWith(folder) ? [ref.slice(folder.length)] : []));
  const heldBy = trees
    .filter(({ ref }) => ref.startsWith("refs/heads/"))
    .map(({ path, ref }) => [ref.slice("refs/heads/".length), path] as const);
  return { names: below("refs/heads/"), tags: below("refs/tags/"), heldBy: new Map(heldBy) };
}

/** The commit that a branch is at; undefined where there is none. */
export async function tipOfBranch(repo: string, branch: string, env: Env): Promise<string | undefined> {
  return commitNamed(env, callIn(repo), `refs/heads/${branch}`);
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

const GUESSES = ["main", "master"];
const HEADS = "refs/heads/";

/** The project's; where it is not configured, a usual name or the branch that is checked out. */
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
