/** Plays a trace again from its words alone, with the real core: a story that cannot happen is no counterexample. */

import { startsOf } from "../../src/core/check/explore/explore.ts";
import {
  possible,
  stepsOf,
  type Happening,
  type HappeningStep,
} from "../../src/core/check/explore/possible.ts";
import { variantsOf } from "../../src/core/check/explore/variants.ts";
import { sayConsequences, sayEvent } from "../../src/core/check/words.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";

const AGAIN = "again and again: ";

/** The runs that a trace may lead to; none when some line of it cannot happen. */
export function replay(workflow: Workflow, trace: readonly string[], times = 1): Run[] {
  const before = trace.filter((line) => !line.startsWith(AGAIN));
  const loop = trace.filter((line) => line.startsWith(AGAIN)).map((line) => line.slice(AGAIN.length));
  let runs: Run[] = [NO_RUN];
  for (const line of before) runs = follow(workflow, runs, line);
  for (let round = 0; round < times && loop.length > 0; round += 1)
    for (const line of loop) runs = follow(workflow, runs, line);
  return runs;
}

/** Several happenings may have the same words; which one was meant shows later. */
const RUNS_MAX = 20;

function follow(workflow: Workflow, runs: readonly Run[], line: string): Run[] {
  const after = runs.flatMap((run) =>
    nextOf(workflow, run).flatMap(({ event, after: next }) => {
      const consequences = sayConsequences(next.events);
      const suffix = consequences.length === 0 ? "" : ` (${consequences.join(", ")})`;
      return withoutCounts(`${sayEvent(workflow, next.run, event)}${suffix}`) === withoutCounts(line)
        ? [next.run]
        : [];
    }),
  );
  return after.slice(0, RUNS_MAX);
}

/** The first step of each happening: what the engine sees just before an event has a line of its own. */
function nextOf(workflow: Workflow, run: Run): readonly HappeningStep[] {
  return happeningsOf(workflow, run).flatMap((happening) => {
    const all = stepsOf(workflow, run, happening);
    return all.slice(0, 1);
  });
}

function happeningsOf(workflow: Workflow, run: Run): readonly Happening[] {
  if (run.seq > 0) return possible(workflow, run);
  return variantsOf(workflow).flatMap((params) => startsOf(workflow, params));
}

/** A counter that nothing reads goes up for ever. */
function withoutCounts(line: string): string {
  return line.replaceAll(/\b[\w.-]+ is \d+(?:, )?/g, "");
}
