/** What people call the stretch that a run is in: several states may be one phase. Nothing moves by it. */

import type { Definition } from "./workflow.ts";

type States = Pick<Definition, "states">;

/** The state's own name where the definition says none. */
export function phaseOf({ states }: States, state: string): string {
  return states[state]?.phase ?? state;
}

export function hasPhases({ states }: States): boolean {
  return Object.values(states).some(({ phase }) => phase !== undefined);
}
