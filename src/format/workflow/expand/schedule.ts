/** The phases of all stages, as data for views: their titles, their states, and the artifacts that they make. */

import type { Path } from "../../problem.ts";
import type { Phase } from "../../../core/model/workflow.ts";
import { listOf, report, requireName, type BuildContext } from "../build/context.ts";
import type { PhaseFile, StageFile, WorkflowFile } from "../schema/schema.ts";
import type { Expanded } from "./sink.ts";

export function buildPhases({ kernel, helpers }: Expanded, { phases }: StageFile): Phase[] {
  return Object.entries(phases).map(([id, phase]) => ({
    id,
    title: phase.title ?? "",
    type: typeOf(phase),
    makes:
      phase.hand === undefined
        ? [id].filter((name) => Object.hasOwn(kernel.artifacts, name))
        : listOf(phase.makes),
    states: phase.hand ?? [id, ...[...helpers].flatMap(([state, of]) => (of === id ? [state] : []))],
  }));
}

function typeOf(phase: PhaseFile): Phase["type"] {
  if (phase.hand !== undefined) return phase.type ?? "inline";
  if (phase.review !== undefined) return "review";
  if (phase.check !== undefined) return "command";
  if (phase.ask !== undefined) return "question";
  return phase.each === undefined && phase.tasks === undefined ? "inline" : "dispatch";
}

/** Every phase has a unique name, and every handwritten state is in one phase only. Returns the duplicate phases. */
export function checkSchedule(context: BuildContext, file: WorkflowFile): Path[] {
  const doubled: Path[] = [];
  const stages = Object.entries(file.stages ?? {});
  const stageOfPhase = new Map<string, string>();
  const made = stages.flatMap(([, { phases }]) => Object.entries(phases));
  const phaseOfState = new Map(made.flatMap(([id, { hand }]) => (hand === undefined ? [[id, id]] : [])));
  for (const [stage, { phases }] of stages) {
    for (const [id, phase] of Object.entries(phases)) {
      const path: Path = ["stages", stage, "phases", id];
      const other = stageOfPhase.get(id);
      if (other !== undefined) {
        const message = `${other} has a phase ${id} already: every phase has a name of its own`;
        report(context, context.keyPlaceOf(path), { code: "bad-phase", message });
        doubled.push(path);
      }
      stageOfPhase.set(id, stage);
      checkHand(context, { file, stage, phase, path, phaseOfState });
    }
  }
  return doubled;
}

type HandPhase = {
  readonly file: WorkflowFile;
  readonly stage: string;
  readonly phase: PhaseFile;
  readonly path: Path;
  readonly phaseOfState: Map<string, string>;
};

function checkHand(context: BuildContext, { file, stage, phase, path, phaseOfState }: HandPhase): void {
  const { hand = [], makes } = phase;
  requireName(context, { kind: "artifact", name: makes, path: [...path, "makes"] });
  for (const [index, name] of hand.entries()) {
    const at: Path = [...path, "hand", index];
    // A state that a stage generates is already part of a phase.
    if (!requireName(context, { kind: "state", name, known: Object.keys(file.states), path: at })) {
      context.told.add(`state ${name}`);
      continue;
    }
    const wrong = problemOf(file.states[name], { name, stage, other: phaseOfState.get(name) });
    if (wrong !== undefined) report(context, context.placeOf(at), { code: "bad-phase", message: wrong });
    phaseOfState.set(name, String(path.at(-1)));
  }
}

function problemOf(
  state: WorkflowFile["states"][string] | undefined,
  {
    name,
    stage,
    other,
  }: { readonly name: string; readonly stage: string; readonly other: string | undefined },
): string | undefined {
  if (other !== undefined) return `${name} is part of ${other} already`;
  if (state?.final !== undefined) return `${name} is final: no phase goes on from there`;
  if (state?.stage !== undefined && state.stage !== stage)
    return `${name} says that it is in ${state.stage}, and this phase is in ${stage}`;
  return undefined;
}
