/** The states in which a run ends. */

import type { Workflow } from "../../model/compile.ts";

export function finalsOf(workflow: Workflow): string[] {
  const states = Object.entries(workflow.definition.states);
  return states.flatMap(([name, state]) => (state.final === undefined ? [] : [name]));
}
