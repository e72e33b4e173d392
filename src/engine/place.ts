/** Where a run's files are, and which of them are artifacts. */

import type { Workflow } from "../core/compile.ts";
import type { Run } from "../core/run.ts";
import type { Box } from "./box.ts";
import type { Place, WorkspaceRow } from "./ports.ts";

/** The workspace of a run, while it has one. */
export function boundWorkspace({ store }: Pick<Box, "store">, run: string): WorkspaceRow | undefined {
  const row = store.workspace(run);
  return row?.status === "bound" ? row : undefined;
}

export function placeOf(
  box: Box,
  of: { readonly run: Run; readonly workflow: Workflow; readonly id: string },
): Place {
  const root = boundWorkspace(box, of.id)?.path ?? box.folders(of.id).files;
  return { root, run: of.run, workflow: of.workflow };
}

/** Paths of artifacts and projections as patterns of git: they are not part of the work. */
export function artifactPaths(workflow: Workflow, run: string): string[] {
  const { artifacts, projections } = workflow.definition;
  const files = [...Object.values(artifacts), ...projections].map(({ file }) => file);
  const named = files.filter((file) => file !== "").map((file) => fillPath(file, run));
  return [...new Set(named)];
}

function fillPath(file: string, run: string): string {
  return file.replaceAll(/\{(?:run|session|change)\}/g, run).replaceAll("{slot}", "*");
}
