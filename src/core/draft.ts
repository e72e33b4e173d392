/** A step under way: the run as it will be, the events that made it so, and the effects in their order. */

import { apply } from "./apply.ts";
import type { Workflow } from "./compile.ts";
import type { Effect, Event } from "./event.ts";
import type { Run } from "./run.ts";

export type Draft = {
  readonly workflow: Workflow;
  run: Run;
  readonly events: Event[];
  readonly effects: Effect[];
};

export function open(workflow: Workflow, run: Run): Draft {
  return { workflow, run, events: [], effects: [] };
}

export function record(draft: Draft, event: Event): void {
  draft.events.push(event);
  draft.run = apply(draft.run, event);
}
