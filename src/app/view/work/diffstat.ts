/** What a run has changed, from the engine's mirror: the last handover against the commit that the run began from. */

import { refAt } from "../../../adapters/git/repository/refs.ts";
import { mirrorOf, runRef } from "../../../adapters/git/mirror/names.ts";
import type { Env, Home } from "../../../adapters/home/paths.ts";
import { isInPlace } from "../../../engine/submit/place.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import { quoted } from "../../start/typed-command.ts";
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
  const base = refAt(mirror, runRef(run.id, "base")) ?? workspace.base;
  if (commit === undefined || base === "" || commit === base) return null;
  const { branch } = workspace;
  // Once the branch is merged, a comparison with the default branch shows nothing.
  const into = isFinished(row) ? "" : (await store.projectAt(row.repo))?.defaultBranch;
  const from = into || base.slice(0, HASH_SHOWN);
  const diff = `git diff ${quoted(from)}...${quoted(branch)}`;
  return { branch, commit, base, diff, ...(await linesIn(on.env, mirror, { base, commit })) };
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
