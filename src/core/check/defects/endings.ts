/** Whether every run can end: dead ends, and nodes from which a promised state cannot be reached. */

import type { Workflow } from "../../model/compile.ts";
import { placeOfState, type Defect } from "../defect.ts";
import type { Exploration } from "../explore/explore.ts";
import { nodesOf, type SituationGraph } from "../explore/graph.ts";
import { pathTo, tell } from "../trace.ts";

export function findDeadEnds(workflow: Workflow, exploration: Exploration): Defect[] {
  const { graph } = exploration;
  const isFinal = graph.states.map((state) => workflow.definition.states[state]?.final !== undefined);
  const seen = new Set<number>();
  const defects: Defect[] = [];
  for (let node = 0; node < nodesOf(graph); node += 1) {
    const state = graph.nodeState.at(node);
    if (isFinal[state] === true || seen.has(state) || hasWayOut(graph, node)) continue;
    seen.add(state);
    const name = graph.states[state] ?? "";
    defects.push({
      code: "dead-end",
      at: placeOfState(workflow, name),
      message: `a run can be in ${name} with no possible event left`,
      trace: tell(workflow, exploration, pathTo(exploration, node)),
    });
  }
  return defects;
}

/** Nodes from which none of the goal states can be reached, even with the help of people. */
export function findUnreached({ graph }: Exploration, goals: readonly string[]): readonly number[] {
  const known = found.get(graph) ?? new Map<string, readonly number[]>();
  found.set(graph, known);
  const key = goals.toSorted().join();
  const lost = known.get(key) ?? walkBack(graph, goals);
  known.set(key, lost);
  return lost;
}

/** The definition's assertions and the check itself ask for the same goals, so results are cached. */
const found = new WeakMap<SituationGraph, Map<string, readonly number[]>>();

function walkBack(graph: SituationGraph, goals: readonly string[]): number[] {
  const size = nodesOf(graph);
  const isGoal = graph.states.map((state) => goals.includes(state));
  const reaches = new Uint8Array(size);
  const queue: number[] = [];
  const { first, edges } = incoming(graph);
  for (let node = 0; node < size; node += 1) {
    if (isGoal[graph.nodeState.at(node)] !== true) continue;
    reaches[node] = 1;
    queue.push(node);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at] ?? 0;
    for (let index = first[node] ?? 0; index < (first[node + 1] ?? 0); index += 1) {
      const from = graph.edgeFrom.at(edges[index] ?? 0);
      if (from < 0 || reaches[from] === 1) continue;
      reaches[from] = 1;
      queue.push(from);
    }
  }
  const lost: number[] = [];
  for (let node = 0; node < size; node += 1) if (reaches[node] === 0) lost.push(node);
  return lost;
}

function hasWayOut(graph: SituationGraph, node: number): boolean {
  for (let edge = graph.firstEdge.at(node); edge < graph.firstEdge.at(node + 1); edge += 1) {
    if (graph.edgeTo.at(edge) !== node) return true;
  }
  return false;
}

function incoming(graph: SituationGraph): { first: Int32Array; edges: Int32Array } {
  const size = nodesOf(graph);
  const first = new Int32Array(size + 1);
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1)
    first[graph.edgeTo.at(edge) + 1] = (first[graph.edgeTo.at(edge) + 1] ?? 0) + 1;
  for (let node = 0; node < size; node += 1) first[node + 1] = (first[node + 1] ?? 0) + (first[node] ?? 0);
  const next = first.slice();
  const edges = new Int32Array(graph.edgeTo.length);
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    const to = graph.edgeTo.at(edge);
    edges[next[to] ?? 0] = edge;
    next[to] = (next[to] ?? 0) + 1;
  }
  return { first, edges };
}
