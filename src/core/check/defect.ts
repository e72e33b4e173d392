/** A defect of a definition: its position, its reason, and a shortest trace that shows it. */

import type { Workflow } from "../model/compile.ts";
import type { SourcePlace } from "../model/workflow.ts";
import type { Trace } from "./trace.ts";

export type DefectCode =
  | "unreachable-state"
  | "dead-end"
  | "unbounded-loop"
  | "no-producer"
  | "ambiguous-move"
  | "gate-without-exit"
  | "budget-without-exit"
  | "death-without-rule"
  | "left-alive"
  | "assertion-violated"
  | "no-way-to-finish"
  | "never-possible"
  | "move-out-of-final"
  | "no-start"
  | "no-final"
  | "bad-prompt"
  | "bad-child"
  | "too-large";

export type Defect = {
  readonly code: DefectCode;
  readonly at: SourcePlace;
  readonly message: string;
  readonly trace: Trace;
};

export function placeOfState({ definition }: Workflow, state: string): SourcePlace {
  return definition.places[`states.${state}`] ?? { file: "", line: 1, col: 1 };
}

/** The top of the file, for defects of the whole definition. */
export function topOf({ definition }: Workflow): SourcePlace {
  const [any] = Object.values(definition.places);
  return { file: any?.file ?? "", line: 1, col: 1 };
}
