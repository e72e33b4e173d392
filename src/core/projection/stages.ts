/** The stages of a workflow as one run passes through them. */

import type { Workflow } from "../model/compile.ts";
import type { Run } from "../model/run.ts";
import type { Definition, Stage } from "../model/workflow.ts";

type StageProgress = "pending" | "in_progress" | "completed" | "skipped";

export function isEnabled({ enabled }: Stage, { params }: Pick<Run, "params">): boolean {
  return typeof enabled === "object" ? params[enabled.param] === true : enabled;
}

/** By name and in order. A disabled stage is always skipped. */
export function progressOf(workflow: Workflow, run: Run): Record<string, StageProgress> {
  const stages = workflow.definition.stages ?? [];
  const here = stages.findIndex(({ name }) => name === stageOf(workflow.definition, run));
  return Object.fromEntries(
    stages.map((stage, index) => {
      if (!isEnabled(stage, run)) return [stage.name, "skipped"];
      return [stage.name, here < 0 ? madeIn(workflow, run, stage) : besides(index - here)];
    }),
  );
}

/** A question outside of all stages belongs to the stage that it returns to. */
function stageOf({ states }: Definition, { state, frames }: Run): string | undefined {
  return states[state]?.stage ?? states[frames.findLast((frame) => frame.state === state)?.from ?? ""]?.stage;
}

function besides(distance: number): StageProgress {
  if (distance === 0) return "in_progress";
  return distance < 0 ? "completed" : "pending";
}

/** Outside of all stages, only the artifacts tell how far each stage came. */
function madeIn({ definition }: Workflow, { state, held }: Run, { makes }: Stage): StageProgress {
  if (definition.states[state]?.final === "done") return "completed";
  const isHeld = (name: string): boolean => held[name] !== undefined;
  if (isHeld(makes.at(-1) ?? "")) return "completed";
  return makes.some(isHeld) ? "in_progress" : "pending";
}
