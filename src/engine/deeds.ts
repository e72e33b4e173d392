/** What the world must do after one step: what the core ordered, and what the engine adds around it. */

import type { Workflow } from "../core/compile.ts";
import type { Step } from "../core/step.ts";
import type { Deed } from "./deed.ts";
import type { WorkspaceRow } from "./ports.ts";

type Accepted = Extract<Step, { ok: true }>;

export function deedsOf(workflow: Workflow, step: Accepted, workspace: WorkspaceRow | undefined): Deed[] {
  return [
    ...(workspace === undefined && needsWorkspace(workflow, step) ? [PREPARE] : []),
    ...(workspace === undefined ? [] : snapshotOf(step)),
    ...step.effects,
  ];
}

const PREPARE: Deed = { type: "prepare-resource", resource: "workspace" };

/** Reserved by a move, or needed by what is done now. */
function needsWorkspace({ definition }: Workflow, { events, effects, run }: Accepted): boolean {
  if (definition.states[run.state]?.final !== undefined) return false;
  return (
    effects.some(({ type }) => type === "start-agent" || type === "run-check") ||
    events.some(
      (event) => event.type === "moved" && definition.moves[event.rule]?.reserve.includes("workspace"),
    )
  );
}

/** Every gate that is passed keeps the work as it was there. */
function snapshotOf({ events, run }: Accepted): Deed[] {
  const isMoved = events.some((event) => event.type === "moved");
  if (!isMoved || run.tree === "") return [];
  return [{ type: "snapshot", tree: run.tree, seq: run.seq, state: run.state }];
}
