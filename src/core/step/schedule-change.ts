/** What a move means for the schedule. The event of the move records it, so that a replay looks nothing up. */

import { scheduleOf, type Workflow } from "../model/compile.ts";
import type { StepDraft } from "./draft.ts";
import type { PhaseChange } from "../model/event.ts";
import { START, type Move } from "../model/workflow.ts";

export function changeOf(
  { workflow, run }: Pick<StepDraft, "workflow" | "run">,
  to: string,
  move: Move,
): { phase?: PhaseChange } {
  const entered = workflow.phases[to];
  const at = run.progress;
  if (entered !== undefined) {
    const { stage, phase } = entered;
    const isAnew = move.from !== START && move.renew.includes(stage.name);
    const isInside = at?.phase === phase.id && at.is === "begun";
    if (isInside && !isAnew) return {};
    const isRestart = isAnew && stage.phases?.some(({ id }) => at?.phases[id] !== undefined) === true;
    return {
      phase: { type: "begun", phase: phase.id, ...(isRestart ? { restarts: stage.name } : {}) },
    };
  }
  if (at === undefined || at.is === "left") return {};
  const { states, stages = [] } = workflow.definition;
  if (stages.some(({ blocked = [] }) => blocked.includes(to)))
    return { phase: { type: "failed", phase: at.phase } };
  // A question on the way returns to its origin, and a cancelled run has not finished its phase.
  const isAside = move.remember || run.frames.some(({ state }) => state === to);
  const final = states[to]?.final ?? "done";
  return isAside || final !== "done" ? {} : { phase: { type: "left", phase: at.phase } };
}

export function answeredFor({ definition }: Workflow, artifact: string): { phase?: string } {
  const entry = scheduleOf(definition).find(({ phase }) => phase.makes.includes(artifact));
  return entry === undefined ? {} : { phase: entry.phase.id };
}
