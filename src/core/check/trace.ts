/** A shortest path to a node, in words. */

import type { Workflow } from "../model/compile.ts";
import { NO_RUN, type Run } from "../model/run.ts";
import type { Exploration } from "./explore/explore.ts";
import { possible, stepsOf, type HappeningStep } from "./explore/possible.ts";
import { sayConsequences, sayEvent } from "./words.ts";

/** A workflow and its exploration. */
export type Explored = { readonly workflow: Workflow; readonly exploration: Exploration };

export type Trace = readonly string[];

/** The edges from the start to a node. */
export function pathTo({ graph }: Exploration, node: number): number[] {
  const path: number[] = [];
  let at = node;
  while (at >= 0) {
    const edge = graph.cameBy.at(at);
    path.push(edge);
    at = graph.edgeFrom.at(edge);
  }
  return path.toReversed();
}

/** Replays a path. The choices are the same because `possible` returns the same list for runs that behave alike. */
export function tell(workflow: Workflow, exploration: Exploration, path: readonly number[]): Trace {
  const lines: string[] = [];
  let run: Run = NO_RUN;
  for (const edge of path) {
    const steps = stepsAlong({ workflow, exploration }, run, edge);
    if (steps.length === 0) break;
    for (const { event, after } of steps) {
      const consequences = sayConsequences(after.events);
      lines.push(
        `${sayEvent(workflow, after.run, event)}${consequences.length === 0 ? "" : ` (${consequences.join(", ")})`}`,
      );
      ({ run } = after);
    }
  }
  return lines;
}

/** The run at the end of a path. */
export function runAfter(workflow: Workflow, exploration: Exploration, path: readonly number[]): Run {
  let run: Run = NO_RUN;
  for (const edge of path) {
    for (const { after } of stepsAlong({ workflow, exploration }, run, edge)) ({ run } = after);
  }
  return run;
}

/** The steps that lead from this run along an edge. */
export function stepsAlong(explored: Explored, run: Run, edge: number): readonly HappeningStep[] {
  const { workflow, exploration } = explored;
  const { graph, roots } = exploration;
  const choice = graph.edgeChoice.at(edge);
  const happenings = graph.edgeFrom.at(edge) < 0 ? roots : possible(workflow, run);
  const happening = happenings[choice];
  return happening === undefined ? [] : stepsOf(workflow, run, happening);
}
