/** Loops that neither a budget nor a person bounds. */

import { endKey, type Workflow } from "../../model/compile.ts";
import type { Event } from "../../model/event.ts";
import type { Move, SourcePlace } from "../../model/workflow.ts";
import { HUMAN, MOVES, STARTS, type Components, type SituationGraph } from "../explore/graph.ts";
import type { Defect } from "../defect.ts";
import type { Exploration } from "../explore/explore.ts";
import { stepsAlong, pathTo, runAfter, tell, type Explored } from "../trace.ts";

export type Loop = {
  readonly defect: Defect;
  readonly states: readonly string[];
  readonly moves: readonly Move[];
};

/**
 * Counters are part of a node, so on a cycle without a person's edge every counter returns to its value: nothing bounds the
 * cycle. Repeated submissions without effect are not a loop of the workflow.
 *
 * One loop is reported for each place to fix.
 */
export function findLoops(workflow: Workflow, exploration: Exploration, components: Components): Loop[] {
  const { graph } = exploration;
  const seen = new Set<string>();
  const loops = new Map<string, Loop>();
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if (!isLooping(graph, components, edge)) continue;
    // A loop between the same states is the same loop, independent of the counters outside it.
    const way = `${graph.nodeState.at(graph.edgeFrom.at(edge))} ${graph.nodeState.at(graph.edgeTo.at(edge))}`;
    if (seen.has(way)) continue;
    seen.add(way);
    const loop = loopOf(workflow, exploration, [edge, ...wayBack(graph, components, edge)]);
    const { line, col } = loop.defect.at;
    if (!loops.has(`${line}:${col}`)) loops.set(`${line}:${col}`, loop);
  }
  return [...loops.values()];
}

export function isByEngineOrAgent(graph: SituationGraph): (edge: number) => boolean {
  return (edge) => (graph.edgeBits.at(edge) & HUMAN) === 0;
}

/** A loop that the engine runs through by itself, within a single step. */
export function runaway(workflow: Workflow, rules: readonly number[], trace: readonly string[]): Loop {
  const last = rules.length - 1;
  const period = rules.slice(rules.lastIndexOf(rules[last] ?? -1, last - 1) + 1);
  const moves = period.flatMap((rule) => workflow.definition.moves[rule] ?? []);
  const entered = rules.map((rule) => workflow.definition.moves[rule]?.to ?? "");
  const states = [...new Set(entered)].filter((state) => moves.some((move) => move.to === state));
  const at = backMove(moves, (state) => entered.indexOf(state))?.at;
  return { defect: unbounded(at ?? NOWHERE, states, trace), states, moves };
}

function loopOf(workflow: Workflow, exploration: Exploration, found: readonly number[]): Loop {
  const { graph } = exploration;
  const cycle = fromEarliest(graph, found);
  const path = pathTo(exploration, graph.edgeFrom.at(cycle[0] ?? 0));
  const before = tell(workflow, exploration, path);
  const again = tell(workflow, exploration, [...path, ...cycle]).slice(before.length);
  const events = eventsOf({ workflow, exploration }, path, cycle);
  const moves = events.flatMap((event) =>
    event.type === "moved" ? (workflow.definition.moves[event.rule] ?? []) : [],
  );
  const first = stateOf(graph, graph.edgeFrom.at(cycle[0] ?? 0));
  const states = [
    ...new Set([first, ...events.flatMap((event) => (event.type === "moved" ? [event.to] : []))]),
  ];
  const at =
    backMove(moves, (state) => states.indexOf(state))?.at ??
    placeOfDeath(workflow, events, first) ??
    placeOf(workflow, first);
  return {
    defect: unbounded(at, states, [...before, ...again.map((line) => `again and again: ${line}`)]),
    states,
    moves,
  };
}

/** The same cycle, starting at the node that a run reaches first. */
function fromEarliest(graph: SituationGraph, cycle: readonly number[]): number[] {
  const nodes = cycle.map((edge) => graph.edgeFrom.at(edge));
  const start = nodes.indexOf(Math.min(...nodes));
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}

function eventsOf(explored: Explored, path: readonly number[], cycle: readonly number[]): Event[] {
  const { workflow, exploration } = explored;
  let run = runAfter(workflow, exploration, path);
  const events: Event[] = [];
  for (const edge of cycle) {
    for (const { after } of stepsAlong(explored, run, edge)) {
      events.push(...after.events);
      ({ run } = after);
    }
  }
  return events;
}

/** The move that closes a loop: it leads to the state that was reached first. */
function backMove(moves: readonly Move[], order: (state: string) => number): Move | undefined {
  return moves.toSorted((a, b) => order(a.to) - order(b.to))[0];
}

function placeOfDeath(workflow: Workflow, events: readonly Event[], state: string): SourcePlace | undefined {
  const ended = events.find((event) => event.type === "agent-ended");
  return ended === undefined ? undefined : workflow.ends[endKey(ended.role, state)]?.at;
}

function unbounded(at: SourcePlace, states: readonly string[], trace: readonly string[]): Defect {
  const message = `nothing bounds the loop through ${states.join(", ")}: no budget runs out and no person must act`;
  return { code: "unbounded-loop", at, message, trace };
}

function isLooping(graph: SituationGraph, components: Components, edge: number): boolean {
  const bits = graph.edgeBits.at(edge);
  const from = graph.edgeFrom.at(edge);
  if (from < 0 || (bits & HUMAN) !== 0 || (bits & (MOVES | STARTS)) === 0) return false;
  return components.of[from] === components.of[graph.edgeTo.at(edge)];
}

/** A shortest path from the end of an edge to its start, inside one component. */
function wayBack(graph: SituationGraph, components: Components, edge: number): number[] {
  const goal = graph.edgeFrom.at(edge);
  const start = graph.edgeTo.at(edge);
  const keep = isByEngineOrAgent(graph);
  const cameBy = new Map<number, number>([[start, -1]]);
  const queue = [start];
  for (const node of queue) {
    if (node === goal) break;
    for (let next = graph.firstEdge.at(node); next < graph.firstEdge.at(node + 1); next += 1) {
      const to = graph.edgeTo.at(next);
      if (!keep(next) || components.of[to] !== components.of[goal] || cameBy.has(to)) continue;
      cameBy.set(to, next);
      queue.push(to);
    }
  }
  const way: number[] = [];
  for (let by = cameBy.get(goal) ?? -1; by >= 0; by = cameBy.get(graph.edgeFrom.at(by)) ?? -1) way.push(by);
  return way.toReversed();
}

function stateOf(graph: SituationGraph, node: number): string {
  return graph.states[graph.nodeState.at(node)] ?? "";
}

const NOWHERE: SourcePlace = { file: "", line: 1, col: 1 };

function placeOf(workflow: Workflow, state: string): SourcePlace {
  return workflow.definition.places[`states.${state}`] ?? NOWHERE;
}
