/** Loops that neither a budget nor a person bounds. */

import type { Workflow } from "../compile.ts";
import type { Components } from "./components.ts";
import type { Defect } from "./defect.ts";
import type { Exploration } from "./explore.ts";
import { HUMAN, MOVES, STARTS, type Graph } from "./graph.ts";
import { pathTo, tell } from "./trace.ts";

/**
 * Counters are part of a node, so a cycle of edges without a person's is a loop in which every counter is back where it
 * was: nothing bounds it. Submitting again and again without effect is not a loop of the workflow.
 */
export function findLoops(workflow: Workflow, exploration: Exploration, components: Components): Defect[] {
  const { graph } = exploration;
  const seen = new Set<string>();
  const defects: Defect[] = [];
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if (!isLooping(graph, components, edge)) continue;
    const from = graph.edgeFrom.at(edge);
    const cycle = [edge, ...wayBack(graph, components, edge)];
    const states = [...new Set(cycle.map((each) => stateOf(graph, graph.edgeTo.at(each))))];
    const name = states.toSorted().join(" ");
    if (seen.has(name)) continue;
    seen.add(name);
    const at =
      workflow.definition.moves.find(
        (move) => states.includes(move.from) && states.includes(move.to) && !move.by.includes("human"),
      )?.at ?? placeOf(workflow, stateOf(graph, from));
    const before = tell(workflow, exploration, pathTo(exploration, from));
    const all = tell(workflow, exploration, [...pathTo(exploration, from), ...cycle]);
    const loop = all.slice(before.length).map((line) => `again and again: ${line}`);
    defects.push({
      code: "unbounded-loop",
      at,
      message: `nothing bounds the loop through ${states.join(", ")}: no budget runs out and no person must act`,
      trace: [...before, ...loop],
    });
  }
  return defects;
}

export function isByEngineOrAgent(graph: Graph): (edge: number) => boolean {
  return (edge) => (graph.edgeBits.at(edge) & HUMAN) === 0;
}

function isLooping(graph: Graph, components: Components, edge: number): boolean {
  const bits = graph.edgeBits.at(edge);
  const from = graph.edgeFrom.at(edge);
  if (from < 0 || (bits & HUMAN) !== 0 || (bits & (MOVES | STARTS)) === 0) return false;
  return components.of[from] === components.of[graph.edgeTo.at(edge)];
}

/** A shortest way from the end of an edge to its beginning, inside one component. */
function wayBack(graph: Graph, components: Components, edge: number): number[] {
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

function stateOf(graph: Graph, node: number): string {
  return graph.states[graph.nodeState.at(node)] ?? "";
}

function placeOf(workflow: Workflow, state: string): Defect["at"] {
  return workflow.definition.places[`states.${state}`] ?? { file: "", line: 1, col: 1 };
}
