/** What people see of the terminal session of a run. Nothing is found by it: sessions have ids. */

import type { Box } from "./box.ts";
import type { RunRow } from "./ports/journal.ts";
import type { WorkspaceRow } from "./ports/registry.ts";
import { projectNameOf } from "./project-name.ts";

export function titleOf(
  { store }: Pick<Box, "store">,
  { repo }: Pick<RunRow, "repo">,
  { branch }: Pick<WorkspaceRow, "branch">,
): string {
  return `${store.projectAt(repo)?.name ?? projectNameOf(repo)}/${branch}`;
}
