/** Which files a run has: the paths of artifacts and projections, with everything in braces filled in. */

import { ownArtifact } from "../gates/shape-of-run.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { Run } from "../model/run.ts";
import { fillPath } from "./fill-path.ts";

export type FileOf = {
  readonly artifact: string;
  readonly of: Artifact;
  readonly slot: string;
  readonly file: string;
};

/** Of artifacts that have a file. A fan-out has one for each member that the run knows. */
export function filesOf({
  run,
  workflow,
}: {
  readonly run: Run;
  readonly workflow: Workflow;
}): readonly FileOf[] {
  return Object.entries(workflow.definition.artifacts).flatMap(([artifact, of]) => {
    if (of.file === "") return [];
    const slots = of.every === undefined ? slotsIn(run, artifact, of) : membersOf(run, of.every);
    const own = ownArtifact(run.params, of);
    return slots.map((slot) => ({ artifact, of: own, slot, file: fillPath(run, of.file, slot) }));
  });
}

/** The list as the run took it in. */
function membersOf(run: Run, { artifact, list }: NonNullable<Artifact["every"]>): readonly string[] {
  return [...new Set(run.held[artifact]?.reading.lists[list])];
}

function slotsIn(run: Run, artifact: string, of: Artifact): readonly string[] {
  if (of.each === undefined) return [""];
  const held = Object.keys(run.held).filter((key) => key.startsWith(`${artifact}/`));
  const opened = Object.keys(run.slots[artifact] ?? {});
  return [...new Set([...opened, ...held.map((key) => key.slice(artifact.length + 1))])];
}

/** A path as people wrote it. */
export function shownPath(file: string): string {
  return file.replaceAll("\0", "/");
}
