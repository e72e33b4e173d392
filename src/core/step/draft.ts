/** A step in progress: the resulting run, the events that lead to it, and the effects in order. */

import { change, type OwnRun } from "./apply.ts";
import { NONE, type Workflow } from "../model/compile.ts";
import type { Effect, Event, Incoming } from "../model/event.ts";
import type { Run } from "../model/run.ts";

export type StepDraft = {
  readonly workflow: Workflow;
  /** Resources that the edge has reserved for this event. */
  readonly reserved: readonly string[];
  /** The run that holds each other resource. */
  readonly taken?: Readonly<Record<string, string>>;
  /** A copy, so that a refusal leaves the original run unchanged. */
  readonly run: OwnRun;
  readonly events: Event[];
  readonly effects: Effect[];
};

export function open(workflow: Workflow, run: Run, event: Incoming): StepDraft {
  const reserved = "reserved" in event ? (event.reserved ?? NONE) : NONE;
  const taken = "taken" in event && event.taken !== undefined ? { taken: event.taken } : {};
  return { workflow, reserved, ...taken, run: { ...run }, events: [], effects: [] };
}

export function record(draft: StepDraft, event: Event): void {
  draft.events.push(event);
  change(draft.run, event);
}
