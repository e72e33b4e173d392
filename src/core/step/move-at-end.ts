/**
 * The move that the end of an agent may take on its behalf. An agent that exited by itself with success has done its work if that
 * move is open. For an agent that was stopped or failed, the move additionally needs an output that is new since its start.
 */

import { endKey, NONE, type Workflow } from "../model/compile.ts";
import type { Incoming } from "../model/event.ts";
import { targetOf } from "../gates/gate.ts";
import { slotKey, type Agent, type Run } from "../model/run.ts";
import type { Move } from "../model/workflow.ts";

export function ownMoves({ ends, movesFrom }: Workflow, run: Run, role: string): readonly Move[] {
  const to = ends[endKey(role, run.state)]?.try;
  if (to === undefined) return NONE;
  return (movesFrom[run.state] ?? NONE).filter(
    (move) => targetOf(run, move) === to && move.by.includes(role),
  );
}

/** Whether the move depends on an output of this agent that is new: by its scope, or because none existed before. */
export function isProof({ definition }: Workflow, move: Move, { role, slot, seen }: Agent): boolean {
  return move.need.some((name) => {
    const artifact = definition.artifacts[name];
    if (artifact === undefined || !artifact.by.includes(role)) return false;
    const key = artifact.each === undefined ? name : slotKey(name, slot);
    return artifact.fresh !== "run" || (seen[key] ?? "") === "";
  });
}

export function endedWell({
  cause,
  code = 0,
}: Pick<Extract<Incoming, { type: "agent-ended" }>, "cause" | "code">): boolean {
  return cause === "exited" && code === 0;
}

/** Whether the run waits for this role: the end of its agent in this state leads to a move or is counted. */
export function isExpected(
  { ends }: Pick<Workflow, "ends">,
  { state }: Pick<Run, "state">,
  role: string,
): boolean {
  const rule = ends[endKey(role, state)];
  return rule !== undefined && (rule.try !== undefined || rule.count !== undefined);
}
