/** What is wrong with a definition: where, why, and a shortest way to see it happen. */

import type { Place } from "../workflow.ts";
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
  | "too-large";

export type Defect = {
  readonly code: DefectCode;
  readonly at: Place;
  readonly message: string;
  readonly trace: Trace;
};
