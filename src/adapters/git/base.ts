/**
 * The commit that work begins from which names none: the newest of the default branch, here and where it is fetched from.
 *
 * Where both have commits of their own, it is the one here: that is where work is merged to.
 */

import { UserError } from "../user-error.ts";
import { tryGit, type Call } from "./call.ts";
import { defaultBranchOf } from "./default-refs.ts";
import { fetchDefault, withoutPassword } from "./fetch.ts";
import { commonDirOf, gitDirOf, goneRepository } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import { inMirror, refreshMirror } from "./mirror.ts";
import { upstreamRef } from "./names.ts";
import type { On } from "./own.ts";

export type Project = {
  readonly repo: string;
  readonly defaultBranch: string;
  readonly remote: string;
};

const HEADS = "refs/heads/";

export async function baseOf(
  on: On,
  of: Project,
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  const gitDir = repositoryAt(of.repo);
  const commonDir = commonDirOf(gitDir);
  const branch = defaultBranchOf(of.repo, of.defaultBranch);
  if (branch === undefined) throw noBase(of.repo, "");
  const commitIn = async (call: Omit<Call, "args">, ref: string): Promise<string | undefined> => {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const answer = await tryGit(on.env, { ...call, args });
    return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
  };
  const inRepository = { cwd: commonDir, gitDir };
  const here = await commitIn(inRepository, `${HEADS}${branch}`);
  const elsewhere = async (): Promise<string | undefined> =>
    commitIn(inRepository, `refs/remotes/origin/${branch}`);
  if (of.remote === "") {
    const base = here ?? (await elsewhere());
    if (base === undefined) throw noBase(of.repo, branch);
    return { base, notes: [] };
  }
  const mirror = await whileLocked({ folder: on.home.locks, repo: of.repo }, () =>
    refreshMirror(on, of.repo),
  );
  const notes = await fetchDefault(on, { mirror, repo: of.repo, url: of.remote, branch });
  const there = await commitIn(inMirror(mirror), upstreamRef(branch));
  const base = here ?? there ?? (await elsewhere());
  if (base === undefined) throw noBase(of.repo, branch);
  if (here === undefined || there === undefined || here === there) return { base, notes };
  const isOlder = async (one: string, other: string): Promise<boolean> => {
    const args = ["merge-base", "--is-ancestor", one, other];
    return (await tryGit(on.env, { ...inMirror(mirror), args })).code === 0;
  };
  if (await isOlder(here, there)) return { base: there, notes };
  if (await isOlder(there, here)) return { base: here, notes };
  const told = `${branch} has commits here that ${withoutPassword(of.remote)} does not have, and the other way round: the work begins from the one here`;
  return { base: here, notes: [...notes, told] };
}

function repositoryAt(repo: string): string {
  const gitDir = gitDirOf(repo);
  if (gitDir !== undefined) return gitDir;
  throw goneRepository(repo);
}

function noBase(repo: string, branch: string): UserError {
  const what = branch === "" ? "no default branch" : `no branch ${branch}`;
  const next = "signalbox project update --default-branch NAME";
  return new UserError("no-base", `${repo} has ${what} that work could begin from.`, next);
}
