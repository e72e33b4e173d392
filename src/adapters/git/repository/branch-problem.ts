/** Whether a branch can be made, or a name be given to one. */

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inQuotes, shellWord } from "../../../core/text/shell-word.ts";
import { unless } from "../../files/errno.ts";
import type { Env } from "../../home/paths.ts";
import { UserError } from "../../user-error.ts";
import { git, tryGit } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import { isBranchName, isMisleading } from "../mirror/names.ts";
import { commonDirIn, commonDirOf, gitDirOf, goneRepository } from "./locate.ts";
import { branchAt, isTabled } from "./refs.ts";
import { worktreesOf } from "./worktrees.ts";

const CONFLICT = 6;

type UserRepository = { readonly env: Env; readonly commonDir: string };

/** `undefined` where it can be the name of a branch. */
export async function badName(
  { env, commonDir }: UserRepository,
  branch: string,
): Promise<UserError | undefined> {
  if (isBranchName(branch)) return undefined;
  const isOdd = isMisleading(branch) || branch.includes("\0");
  const call = { ...inRepository(commonDir), args: ["check-ref-format", `refs/heads/${branch}`] };
  if (!isOdd && (await tryGit(env, call)).code === 0) return undefined;
  const sentence = `${JSON.stringify(branch)} cannot be the name of a branch.`;
  return new UserError("branch-name", sentence, "git help check-ref-format");
}

/** The worktree that a branch is checked out in. Git is only asked where some HEAD names the branch. */
export async function holderOf(
  { env, repo }: { readonly env: Env; readonly repo: string },
  branch: string,
): Promise<string | undefined> {
  const commonDir = commonDirIn(repo);
  const names = unless(["ENOENT", "ENOTDIR"], () => readdirSync(join(commonDir, "worktrees"))) ?? [];
  const gitDirs = [commonDir, ...names.map((name) => join(commonDir, "worktrees", name))];
  const isElsewhere = (gitDir: string): boolean => {
    const isFile = lstatSync(join(gitDir, "HEAD"), { throwIfNoEntry: false })?.isFile() === true;
    return isFile && branchAt(gitDir) !== `refs/heads/${branch}`;
  };
  if (!isTabled(commonDir) && gitDirs.every(isElsewhere)) return undefined;
  return (await worktreesOf(env, repo)).find(({ ref }) => ref === `refs/heads/${branch}`)?.path;
}

/** `git diff main...v1` shows the tag. */
export function likeTag(branch: string): UserError {
  const sentence = `${branch} is the name of a tag, and git takes it for the tag wherever a command names the branch.`;
  return new UserError("branch-name", sentence, { next: "choose another name", exit: CONFLICT });
}

export function elsewhere(branch: string, path: string): UserError {
  const sentence = `The branch ${branch} is checked out in ${path}, and git allows that in one place only.`;
  return new UserError("branch-in-use", sentence, {
    next: `git -C '${path}' switch --detach`,
    exit: CONFLICT,
  });
}

export type BranchRequest = {
  readonly repo: string;
  readonly branch: string;
  /** The worktree that may be on it already. */
  readonly path?: string;
};

/** Why the branch of a run cannot get this name; `undefined` where it can. For commands that want to say so before anything happens. */
export async function branchProblem(
  env: Env,
  { repo, branch, path }: BranchRequest,
): Promise<UserError | undefined> {
  const mainDir = gitDirOf(repo);
  if (mainDir === undefined) return goneRepository(repo);
  const where = { env, commonDir: commonDirOf(mainDir) };
  const bad = await badName(where, branch);
  if (bad !== undefined) return bad;
  const holder = await holderOf({ env, repo }, branch);
  if (holder !== undefined) return holder === path ? undefined : elsewhere(branch, holder);
  return taken(where, { repo, branch });
}

/** A branch or a tag of this name exists, or a branch that git cannot have beside it: `a` and `a/b`. */
async function taken(
  { env, commonDir }: UserRepository,
  { repo, branch }: BranchRequest,
): Promise<UserError | undefined> {
  const above = branch.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
  const heads = above.map((name) => `refs/heads/${name}`);
  const tag = `refs/tags/${branch}`;
  const call = { ...inRepository(commonDir), args: ["for-each-ref", "--format=%(refname)", ...heads, tag] };
  const listed = (await git(env, call)).split("\n");
  if (listed.includes(tag)) return likeTag(branch);
  // Given a name, git also lists what is below it.
  const first = listed
    .find((ref) => heads.includes(ref) || ref.startsWith(`refs/heads/${branch}/`))
    ?.slice("refs/heads/".length);
  if (first === undefined) return undefined;
  const sentence =
    first === branch
      ? `There is a branch ${branch} already.`
      : `Git cannot have a branch ${branch} while there is a branch ${first}.`;
  return new UserError("branch-name", sentence, {
    next: `git -C ${inQuotes(repo)} branch -m ${shellWord(first)} NEW-NAME`,
    exit: CONFLICT,
  });
}
