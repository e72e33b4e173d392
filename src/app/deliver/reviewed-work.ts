/** The work that is delivered: the branch, the commit of exactly the reviewed tree, and what a person did not see yet. */

import { UserError } from "../../adapters/user-error.ts";
import type { Run } from "../../core/model/run.ts";
import type { Move } from "../../core/model/workflow.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { artifactPaths } from "../../engine/submit/place.ts";
import type { Acting } from "../context.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import { firstLine } from "../view/words.ts";

const NAMES_SHOWN = 10;

/** Known also after the workspace was released. */
export async function requireBranch({ box }: Acting, run: string): Promise<WorkspaceRow> {
  const row = await box.store.workspace(run);
  if (row !== undefined && row.branch !== "") return row;
  throw new UserError("no-branch", `${run} has no branch: it was never started`, {
    next: `signalbox start ${run}`,
    exit: EXIT_GATE,
  });
}

/**
 * Where nothing was reviewed, the person answers for the last handover, which the branch shows. Later changes are handed over now and
 * refused once, so that the person can look at them.
 */
export async function requireShownWork(
  on: Acting,
  kept: Kept,
  { tree, command }: { readonly tree: string; readonly command: string },
): Promise<void> {
  const { id: run, repo } = kept.row;
  const path = (await on.box.store.boundWorkspace(run))?.path;
  if (path === undefined || tree === "") return;
  const { handoverOf, lastWorkOf } = await import("../../adapters/git/snapshot/handover.ts");
  const git = { home: on.home, env: on.door.env };
  const artifacts = artifactPaths(await on.box.workflow(kept.row.definition), kept.run);
  const shown = lastWorkOf(git, { repo, run });
  if (shown === undefined || (await handoverOf(git, { repo, run, tree, artifacts })) === shown) return;
  const { gitBranches } = await import("../../adapters/git/repository/branch-port.ts");
  const changes = await gitBranches(git).changed(path, { from: shown, tree, artifacts });
  await requireHandover(on, kept, tree);
  const { branch } = await requireBranch(on, run);
  throw new UserError(
    "stale",
    `The workspace ${path} changed after its last handover: ${sayNames(changes.map((each) => each.path))}. Nothing was merged. The branch ${branch} has these changes now.`,
    {
      next: `git -C ${shellWord(repo)} diff ${shown} ${shellWord(branch)}, then: ${command}`,
      exit: EXIT_GATE,
    },
  );
}

function sayNames(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Where the workspace is not what the gate is about, the difference is what a person has to know. */
export async function requireSameWork(
  on: Acting,
  { row, run }: Kept,
  { move, tree }: { readonly move: Move; readonly tree: string },
): Promise<void> {
  const path = (await on.box.store.boundWorkspace(row.id))?.path;
  const reviewed = reviewedIn(run, move);
  if (path === undefined || tree === "" || reviewed === "" || reviewed === tree) return;
  const { gitBranches } = await import("../../adapters/git/repository/branch-port.ts");
  const changes = await gitBranches({ home: on.home, env: on.door.env }).changed(path, {
    from: reviewed,
    tree,
    artifacts: [],
  });
  const shown = sayNames(changes.map((each) => each.path));
  const [artifact = ""] = move.need;
  throw new UserError(
    "stale",
    `The workspace ${path} changed after ${artifact} was made: ${shown}. Nothing was merged.`,
    {
      next: `signalbox send-back ${row.id} "TEXT" has it reviewed again; to answer for it yourself: signalbox waive ${row.id} ${artifact} --reason "TEXT", then: signalbox accept ${row.id}`,
      exit: EXIT_GATE,
    },
  );
}

/** The tree that what the move needs is about. */
function reviewedIn(run: Run, { need }: Move): string {
  const trees = need.map((name) => run.waivers[name]?.tree ?? run.held[name]?.tree ?? "");
  return trees.find((tree) => tree !== "") ?? "";
}

/** The commit of exactly this tree. Work for which a person waived the review was not handed over before. */
export async function requireHandover(on: Acting, kept: Kept, tree: string): Promise<string> {
  const { handoverOf } = await import("../../adapters/git/snapshot/handover.ts");
  const { id: run, repo } = kept.row;
  const artifacts = artifactPaths(await on.box.workflow(kept.row.definition), kept.run);
  const find = (): Promise<string | undefined> =>
    handoverOf({ home: on.home, env: on.door.env }, { repo, run, tree, artifacts });
  const path = (await on.box.store.boundWorkspace(run))?.path;
  const known = await find();
  if (known === undefined && path !== undefined) {
    const message = `${titleOf(kept)}\n\nSignalbox-Run: ${run}`;
    await on.box.workspaces.snapshot({ path, repo, run, tree, artifacts, message });
  }
  const commit = known ?? (await find());
  if (commit !== undefined) return commit;
  throw new UserError("no-handover", `${run} has no commit of its reviewed content. Nothing was merged.`, {
    next: `signalbox show ${run}`,
    exit: EXIT_GATE,
  });
}

export function titleOf({ row, run }: Kept): string {
  const { summary } = run.params;
  return firstLine(typeof summary === "string" && summary !== "" ? summary : row.goal);
}

/** The author of commits that a person has the engine make, where the settings name one. */

type CommitAuthor = {
  /** Undefined for the person's own identity. */
  readonly author: { readonly name: string; readonly email: string } | undefined;
  readonly told: readonly string[];
};

/** Settings that cannot be used keep no person from acting: the commit then has the person's own identity. */
export async function configuredAuthor({ box, door }: Acting, repo: string): Promise<CommitAuthor> {
  const { readSettings } = await import("../../adapters/config/read.ts");
  try {
    const { workspace } = await readSettings({ repo, env: door.env, store: box.store });
    return { author: workspace.author, told: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { author: undefined, told: [`workspace.author is not used: ${error.message}`] };
  }
}
