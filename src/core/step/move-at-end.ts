/**
 * The move that an agent's death may take for it. Whoever came to an end by itself, and says that all went well, has done what it was called for
 * if that move is open. Whoever was ended, or failed, has said nothing: then something must be there that was not there when it was called.
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

/** It stands on something that this agent writes, and that is new: by its scope, or because there was none. */
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

/** Whether the run waits for this role: the end of its agent here leads somewhere or is counted. */
export function isExpected(
  { ends }: Pick<Workflow, "ends">,
  { state }: Pick<Run, "state">,
  role: string,
): boolean {
  const rule = ends[endKey(role, state)];
  return rule !== undefined && (rule.try !== undefined || rule.count !== undefined);
}
