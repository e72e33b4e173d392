/**
 * A person has reviewed work become a pull request, for a default branch that is merged into elsewhere.
 *
 * The run stays where it is: when the default branch contains the work, the engine proposes its end, and the person accepts that. Done
 * again, it finds the pull request that it has opened.
 */

import { UserError } from "../../adapters/user-error.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import { noteNew } from "../../engine/notes.ts";
import type { Opened } from "../../engine/ports/completion.ts";
import type { Acting } from "../context.ts";
import { EXIT_FAILED, EXIT_GATE } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";
import { requireBranch, requireHandover, titleOf } from "./reviewed-work.ts";

type Proposal = {
  readonly tree: string;
  readonly into: string;
  /** Whether the move that ends the run is open where the run is. */
  readonly isReviewed: boolean;
};

export async function proposeWork(
  on: Acting,
  kept: Kept,
  { tree, into, isReviewed }: Proposal,
): Promise<Outcome<DataOf<"deliver">>> {
  const { row, run } = kept;
  if (!isReviewed)
    throw new UserError("gate-not-met", `${row.id} is in ${run.state}: a pull request is for reviewed work`, {
      next: `signalbox show ${row.id}`,
      exit: EXIT_GATE,
    });
  const { branch } = await requireBranch(on, row.id);
  await requireHandover(on, kept, tree);
  const opened = await open(on, kept, { tree, branch, into });
  if (opened.type === "refused")
    throw new UserError(
      "no-pull-request",
      `There is no pull request: ${opened.reason}. Nothing was merged.`,
      {
        next: `remove that reason, then: signalbox accept ${row.id} --pull-request`,
        exit: EXIT_GATE,
      },
    );
  const { url, commit } = opened;
  const message = `pull request ${url}: ${branch} into ${into}`;
  await noteNew(on.box, { run: row.id, kind: "delivered" }, [message]);
  const data: DataOf<"deliver"> = {
    run: row.id,
    from: run.state,
    to: run.state,
    seq: run.seq,
    branch,
    work: commit,
    into,
    commit,
    how: "pull-request",
    url,
    files: 0,
    checkout: "",
    remote: "kept",
  };
  return success(message, data, {
    next: `when it is merged and you have pulled ${into}: signalbox accept ${row.id}`,
  });
}

async function open(
  { box, home, door }: Acting,
  kept: Kept,
  { tree, branch, into }: { readonly tree: string; readonly branch: string; readonly into: string },
): Promise<Opened> {
  const { id: run, repo, goal } = kept.row;
  const { openPullRequest } = await import("../../adapters/gh/pull-request.ts");
  const remote = (await box.store.projectAt(repo))?.remote ?? "";
  const wish = {
    run,
    repo,
    branch,
    tree,
    remote,
    base: into,
    title: titleOf(kept),
    body: `${goal}\n\nSignalbox-Run: ${run}\n`,
  };
  try {
    return await openPullRequest({ home, env: door.env }, wish);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UserError) throw error;
    throw new UserError("unreachable", `There is no pull request: ${error.message}. Nothing was merged.`, {
      next: `signalbox accept ${run} --pull-request tries it again`,
      exit: EXIT_FAILED,
    });
  }
}
