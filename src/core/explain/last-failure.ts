/**
 * The last failure in a run: its state, and the failed command, the rejecting review, the unfinished tasks, or the agent without
 * a valid result. Computed from the events, so that the next agent learns what the journal knows.
 */

import { change, type OwnRun } from "../step/apply.ts";
import { endKey, type Workflow } from "../model/compile.ts";
import type { Event, Reading } from "../model/event.ts";
import { NO_RUN, type Run } from "../model/run.ts";
import { standingOfSlot, valueOf } from "../gates/artifact-status.ts";

/** As `STATE: FAILURE`; null if nothing has failed so far. */
export function lastFailed(workflow: Workflow, events: Iterable<Event>): string | null {
  const run: OwnRun = { ...NO_RUN };
  let failed: string | null = null;
  let ended = "";
  for (const event of events) {
    change(run, event);
    if (event.type === "moved") ended = "";
    else if (event.type === "agent-ended") ended = event.role;
    else if (event.type === "agent-crashed") failed = `${run.state}: ${event.role}`;
    else if (event.type === "counted" && isDeath(workflow, run, { role: ended, counter: event.counter }))
      failed = `${run.state}: ${ended}`;
    else if (event.type === "artifact-read" && isRefusal(workflow, run, event.reading))
      failed = `${run.state}: ${whatOf(workflow, run, event.reading)}`;
  }
  return failed;
}

type Death = { readonly role: string; readonly counter: string };

function isDeath({ ends }: Workflow, { state }: Run, { role, counter }: Death): boolean {
  return role !== "" && ends[endKey(role, state)]?.count === counter;
}

/** Readings from before the start of the run are not failures of the run. */
function isRefusal(workflow: Workflow, run: Run, reading: Reading): boolean {
  if (run.entry === 0) return false;
  const standing = standingOfSlot(workflow, run, reading);
  return ["needs_fix", "reject", "some", "none"].includes(standing);
}

function whatOf({ definition }: Workflow, run: Run, { artifact, lists }: Reading): string {
  const reader = definition.artifacts[artifact]?.reader;
  if (reader?.type !== "check") return artifact;
  const { commands = [], exit_codes: codes = [] } = lists;
  const red = commands.find((_, index) => codes[index] !== undefined && Number(codes[index]) !== 0);
  const only = commands.length === 0 ? String(valueOf(run, reader.command)) : "";
  return red ?? (only === "" ? artifact : only);
}
