/**
 * Judges: agents of roles that may only read the work (`access: read`).
 *
 * Each attempt of a judge has its own checkout (judge-checkout.ts). The engine reads a judge's artifacts only from there: when the judge
 * submits them, asks for a move or ends. It then writes what was accepted to the place of the run: the workspace, or the run's folder in
 * the state home. A file in that place never counts as a verdict of a judge, because other agents can write there.
 */

import type { Artifact } from "../../core/model/artifact.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import type { AgentRow } from "../ports/registry.ts";

export function isJudge({ definition }: Workflow, role: string): boolean {
  return definition.roles[role]?.access === "read";
}

/** The folder in which a judge works. */
export function checkoutOf({ dir }: Pick<AgentRow, "dir">): string {
  return `${dir}/work`;
}

/** The readings of artifacts that this agent may write. */
export function ownOf(
  { definition }: Workflow,
  author: Pick<AgentRow, "role" | "slot">,
  readings: readonly Reading[],
): readonly Reading[] {
  return readings.filter((reading) => isOwn(definition.artifacts[reading.artifact], author, reading));
}

/** Where each agent of a fan-out writes its own copy of an artifact, an agent owns only the copy of its slot. */
export function isOwn(
  artifact: Artifact | undefined,
  { role, slot }: Pick<AgentRow, "role" | "slot">,
  reading: Reading,
): boolean {
  return artifact?.by.includes(role) === true && (artifact.each === undefined || reading.slot === slot);
}
