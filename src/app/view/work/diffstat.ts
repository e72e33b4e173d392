/**
 * What a run would change on the branch that it is merged into, from the engine's mirror.
 *
 * The last handover is compared with the newest commit of that branch which the work contains, as a merge does. The commit that the run
 * began from would hide a worker that merged the branch and threw its changes away.
 */

import { commonDirOf, gitDirOf } from "../../../adapters/git/repository/locate.ts";
import { isTabled, refAt } from "../../../adapters/git/repository/refs.ts";
import { mirrorOf, runRef } from "../../../adapters/git/mirror/names.ts";
import type { Env, Home } from "../../../adapters/home/paths.ts";
import { isInPlace } from "../../../engine/submit/place.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import { shellWord } from "../../../core/text/shell-word.ts";
import type { WorkView } from "../run-view.ts";

const LIMIT_MS = 20_000;
const HASH_SHOWN = 12;

/** Null where nothing was handed over yet. Git is started only where something was. */
export async function workOf(
  { store, row, run }: Seen,
  on: { readonly home: Home; readonly env: Env },
): Promise<WorkView | null> {
  const workspace = await store.workspace(run.id);
  if (workspace === undefined || isInPlace(workspace) || workspace.branch === "") return null;
  const mirror = mirrorOf(on.home, row.repo);
  const commit = refAt(mirror, runRef(run.id, "head"));
  const start = refAt(mirror, runRef(run.id, "base")) ?? workspace.base;
  if (commit === undefined || start === "" || commit === start) return null;
  const { branch } = workspace;
  // Once the branch is merged, a comparison with the default branch shows nothing.
  const into = isFinished(row) ? "" : (await store.projectAt(row.repo))?.defaultBranch;
  const base = (await forkOf(on.env, { repo: row.repo, mirror, commit, into })) ?? start;
  const diff = diffCommand({ repo: row.repo, mirror, branch, base, commit, into });
  return { branch, commit, base, diff, ...(await linesIn(on.env, mirror, { base, commit })) };
}

type Compared = {
  readonly repo: string;
  readonly mirror: string;
  readonly branch: string;
  readonly base: string;
  readonly commit: string;
  /** The branch to compare with; empty for the commit that the run began from. */
  readonly into: string | undefined;
};

/** What a person types to see the work. A branch that a person has moved or deleted does not show it: the mirror does. */
export function diffCommand({ repo, mirror, branch, base, commit, into }: Compared): string {
  const [from, to] = [base.slice(0, HASH_SHOWN), commit.slice(0, HASH_SHOWN)];
  return isBranch({ repo, branch }, commit)
    ? `git diff ${shellWord(into || from)}...${shellWord(branch)}`
    : `git --git-dir ${shellWord(mirror)} diff ${from} ${to}`;
}

/** Whether the user's repository has the branch, at `commit` where that is given. */
export function isBranch({ repo, branch }: Pick<Compared, "repo" | "branch">, commit?: string): boolean {
  const gitDir = gitDirOf(repo);
  const commonDir = gitDir === undefined ? undefined : commonDirOf(gitDir);
  if (commonDir === undefined) return false;
  if (isTabled(commonDir)) return true;
  const at = refAt(commonDir, `refs/heads/${branch}`);
  return at !== undefined && at === (commit ?? at);
}

/** The newest commit that the work and the target have in common; undefined where that says nothing about what a merge changes. */
export async function forkOf(
  env: Env,
  { repo, mirror, commit, into }: Pick<Compared, "repo" | "mirror" | "commit" | "into">,
): Promise<string | undefined> {
  if (into === undefined || into === "") return undefined;
  const [{ tryGit }, { inMirror }] = await Promise.all([
    import("../../../adapters/git/call/call.ts"),
    import("../../../adapters/git/mirror/mirror.ts"),
  ]);
  const gitDir = gitDirOf(repo);
  const commonDir = gitDir === undefined ? undefined : commonDirOf(gitDir);
  const ref = `refs/heads/${into}`;
  // The mirror may not have the newest commit of the target yet; then its own copy of the branch is compared.
  for (const target of [commonDir === undefined ? undefined : refAt(commonDir, ref), ref]) {
    if (target === undefined) continue;
    const args = ["merge-base", commit, target];
    const { code, out } = await tryGit(env, { ...inMirror(mirror), args, limitMs: LIMIT_MS });
    const fork = out.toString("utf8").trim();
    if (code === 0) return fork === commit ? undefined : fork;
  }
  return undefined;
}

async function linesIn(
  env: Env,
  mirror: string,
  { base, commit }: { readonly base: string; readonly commit: string },
): Promise<Pick<WorkView, "files" | "added" | "removed">> {
  const [{ git }, { inMirror }] = await Promise.all([
    import("../../../adapters/git/call/call.ts"),
    import("../../../adapters/git/mirror/mirror.ts"),
  ]);
  const args = ["diff", "--shortstat", "--no-ext-diff", "--no-textconv", base, commit];
  try {
    const said = await git(env, { ...inMirror(mirror), args, limitMs: LIMIT_MS });
    const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(said)?.[1] ?? 0);
    return { files: count("file"), added: count("insertion"), removed: count("deletion") };
  } catch (error) {
    // A mirror that git cannot read hides nothing else of the run.
    if (error instanceof Error && error.name === "GitError") return { files: 0, added: 0, removed: 0 };
    throw error;
  }
}
