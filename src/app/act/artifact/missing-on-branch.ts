/** What of its work a run cannot hand over at this moment. */

import { UserError } from "../../../adapters/user-error.ts";
import { artifactPaths, ownWorkspace } from "../../../engine/submit/place.ts";
import type { Kept } from "../../../engine/ports/journal.ts";
import type { Acting } from "../../context.ts";

/** Why the branch will not have all of the work; empty where it will. */
export async function missingOnBranch({ box }: Acting, { row, run }: Kept): Promise<string> {
  const workspace = await ownWorkspace(box, row.id);
  if (workspace === undefined) return "";
  const { path, repo } = workspace;
  try {
    const tree = await box.workspaces.digest(path, artifactPaths(await box.workflow(row.definition), run));
    await box.workspaces.requireDeliverable({ path, repo, run: row.id, tree });
    return "";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}
