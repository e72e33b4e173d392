/** A run from its journal. */

import { apply } from "./apply.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event } from "../model/event.ts";
import { NO_RUN, type Run } from "../model/run.ts";

/** Throws when the journal belongs to another definition: a run never changes its own. */
export function replay(workflow: Workflow, events: Iterable<Event>): Run {
  let run = NO_RUN;
  for (const event of events) run = apply(run, event);
  if (run.seq > 0 && run.definition !== workflow.hash()) {
    throw new Error(`run ${run.id} belongs to definition ${run.definition}, not to ${workflow.hash()}`);
  }
  return run;
}
