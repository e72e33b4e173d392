/** Where a run's files are, and which of them are artifacts. */

import type { Workflow } from "../core/compile.ts";
import { fillPath } from "../core/fill-path.ts";
import type { Run } from "../core/run.ts";
import type { Box } from "./box.ts";
import type { Place } from "./ports/files.ts";
import type { WorkspaceRow } from "./ports/registry.ts";

/** The workspace that a run works in, while it has one: its own, or that of the run that it was made for. */
export function boundWorkspace(on: Pick<Box, "store">, run: string): WorkspaceRow | undefined {
  if (on.store.workspace(run) !== undefined) return ownWorkspace(on, run);
  const child = on.store.childAs(run);
  return child === undefined ? undefined : boundWorkspace(on, child.parent);
}

/** The one that is its own to give back. */
export function ownWorkspace({ store }: Pick<Box, "store">, run: string): WorkspaceRow | undefined {
  const row = store.workspace(run);
  return row?.status === "bound" ? row : undefined;
}

export function placeOf(
  box: Box,
  of: { readonly run: Run; readonly workflow: Workflow; readonly id: string },
): Place {
  const { run, workflow } = of;
  const bound = boundWorkspace(box, of.id);
  if (bound !== undefined) return { root: bound.path, run, workflow, isWorkspace: true };
  return { root: box.folders(of.id).files, run, workflow };
}

/** Paths of artifacts and projections as patterns of git: they are not part of the work. */
export function artifactPaths(workflow: Workflow, run: Run): string[] {
  const { artifacts, projections } = workflow.definition;
  const files = [...Object.values(artifacts), ...projections].map(({ file }) => file);
  return [...new Set(files.filter((file) => file !== "").map((file) => fillPath(run, file, "*")))];
}

export { fillPath };
