/** What people call the stretch that a run is in: several states may be one phase. Nothing moves by it. */

import type { Run } from "../model/run.ts";
import type { Definition } from "../model/workflow.ts";

/** The state that remembers it, and where that leads back to. */
export type Frame = {
  readonly state: string;
  readonly phase: string;
  readonly from: string;
  readonly fromPhase: string;
};

type States = Pick<Definition, "states">;

/** The state's own name where the definition says none. */
export function phaseOf({ states }: States, state: string): string {
  return states[state]?.phase ?? state;
}

/** Where a run goes back to, the innermost first. */
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
