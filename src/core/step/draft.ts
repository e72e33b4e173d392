/** A step under way: the run as it will be, the events that made it so, and the effects in their order. */

import { change, type OwnRun } from "./apply.ts";
import { NONE, type Workflow } from "../model/compile.ts";
import type { Effect, Event, Incoming } from "../model/event.ts";
import type { Run } from "../model/run.ts";

export type Draft = {
  readonly workflow: Workflow;
  /** Resources that the edge holds ready for this event. */
  readonly reserved: readonly string[];
  /** Of others, the run that has them. */
  readonly taken?: Readonly<Record<string, string>>;
  /** A copy of its own, so that a refusal leaves the run as it was. */
  readonly run: OwnRun;
  readonly events: Event[];
  readonly effects: Effect[];
};

export function open(workflow: Workflow, run: Run, event: Incoming): Draft {
  const reserved = "reserved" in event ? (event.reserved ?? NONE) : NONE;
  const taken = "taken" in event && event.taken !== undefined ? { taken: event.taken } : {};
  return { workflow, reserved, ...taken, run: { ...run }, events: [], effects: [] };
}

export function record(draft: Draft, event: Event): void {
  draft.events.push(event);
  change(draft.run, event);
}
