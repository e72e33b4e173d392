/** The name that people see for the current part of a run: several states may be one phase. No move depends on it. */

import type { Run } from "../model/run.ts";
import type { Definition } from "../model/workflow.ts";

/** A state that remembers its origin, and that origin. */
export type Frame = {
  readonly state: string;
  readonly phase: string;
  readonly from: string;
  readonly fromPhase: string;
};

type States = Pick<Definition, "states">;

/** The state's own name if the definition has no other. */
export function phaseOf({ states }: States, state: string): string {
  return states[state]?.phase ?? state;
}

/** The states that a run returns to, innermost first. */
export function framesOf(definition: States, { frames }: Pick<Run, "frames">): readonly Frame[] {
  return frames.toReversed().map(({ state, from }) => ({
    state,
    phase: phaseOf(definition, state),
    from,
    fromPhase: phaseOf(definition, from),
  }));
}

export function hasPhases({ states }: States): boolean {
  return Object.values(states).some(({ phase }) => phase !== undefined);
}
