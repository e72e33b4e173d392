/**
 * One file can be read in several ways, of which one matters where a run is. That it is nothing in the eyes of the others is not worth telling: what
 * nothing ahead of the run asks for cannot hold it up.
 */

import { askerAhead } from "../../../core/explain/still-needed.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import type { Event } from "../../../core/model/event.ts";
import { othersOf } from "../../../core/text/same-file.ts";
import type { Run } from "../../../core/model/run.ts";
import { ORIGIN } from "../../../core/model/workflow.ts";

type Standpoint = Pick<Run, "state" | "frames" | "params">;

/** Whether one that is not as it should be is meant here; `isGood` tells of the others. */
export function isMeant(
  workflow: Workflow,
  run: Standpoint,
  on: { readonly artifact: string; readonly isGood: (other: string) => boolean },
): boolean {
  const others = othersOf(workflow, on.artifact);
  if (others.length === 0) return true;
  const asker = askerAhead(workflow, run, on.artifact);
  if (asker !== "context") return asker === "gate";
  // Whoever reads the file finds in it what another reading has found to be good, or asks for.
  return !others.some((other) => on.isGood(other) || askerAhead(workflow, run, other) === "gate");
}

/** Of what has happened, what people are told: each event as it was meant where the run was then. */
export function meantIn(workflow: Workflow, run: Run): (events: readonly Event[]) => readonly Event[] {
  const known = new Map<string, boolean>();
  const isMeantIn = (state: string, artifact: string, good: ReadonlySet<string>): boolean => {
    const key = JSON.stringify([
      state,
      artifact,
      othersOf(workflow, artifact).filter((other) => good.has(other)),
    ]);
    const there = { state, frames: framesIn(workflow, state), params: run.params };
    const is = known.get(key) ?? isMeant(workflow, there, { artifact, isGood: (other) => good.has(other) });
    known.set(key, is);
    return is;
  };
  return (events) => {
    const good = new Set<string>();
    for (const event of events)
      if (event.type === "artifact-read" && event.reading.faults.length === 0)
        good.add(event.reading.artifact);
    let { state } = run;
    return events
      .toReversed()
      .filter((event) => {
        if (event.type === "moved") state = event.from;
        if (event.type !== "artifact-read" || event.reading.faults.length === 0) return true;
        return isMeantIn(state, event.reading.artifact, good);
      })
      .toReversed();
  };
}

/** Where a run that asks there may have come from. */
function framesIn({ definition, movesFrom }: Workflow, state: string): Run["frames"] {
  if (!(movesFrom[state] ?? []).some(({ to }) => to === ORIGIN)) return [];
  return definition.moves.flatMap(({ from, to, remember }) =>
    to === state && remember ? [{ state, from }] : [],
  );
}
