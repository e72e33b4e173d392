/** What people see of terminals: the session of a run, and the window of an agent. Sessions and windows are found by ids. */

import type { Role } from "../../core/model/workflow.ts";
import type { Box } from "../box.ts";
import type { RunRow } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import { projectNameOf } from "../queue/project-name.ts";
import type { Attempt } from "../../core/model/run.ts";

export async function titleOf(
  { store }: Pick<Box, "store">,
  { id, repo }: Pick<RunRow, "id" | "repo">,
  { branch }: Pick<WorkspaceRow, "branch">,
): Promise<string> {
  return `${(await store.projectAt(repo))?.name ?? projectNameOf(repo)}/${branch === "" ? "place" : branch}~${id}`;
}

/** Whoever goes on through attempts has one window; each attempt of the others has its own. */
export function windowName({ role, slot, attempt }: Attempt, { session }: Pick<Role, "session">): string {
  const who = slot === "" ? role : `${role}-${slot}`;
  return session === "persistent" ? who : `${who}-${attempt}`;
}
