/** The worst case before a person must act: agents started by role, counters, questions, moves. */

import type { Components } from "../explore/components.ts";
import { HUMAN, nodesOf, type SituationGraph } from "../explore/graph.ts";

export type WorstCase = Readonly<Record<string, number>>;

/** Needs a graph without unbounded loops. Linear in the edges, for all counted names at once. */
export function worstCase(graph: SituationGraph, components: Components): WorstCase {
  const names = [...new Set(graph.costs.flatMap((cost) => Object.keys(cost)))].toSorted();
  const costs = graph.costs.map((cost) => names.map((name) => cost[name] ?? 0));
  const width = names.length;
  // Components come in reverse topological order, so all successors of a component are known before it.
  const after = new Float64Array(components.count * width);
  const worst = new Float64Array(width);
  const raise = (into: Float64Array, offset: number, edge: number): void => {
    const cost = costs[graph.edgeCost.at(edge)] ?? [];
    const next = (components.of[graph.edgeTo.at(edge)] ?? 0) * width;
    for (let index = 0; index < width; index += 1) {
      into[offset + index] = Math.max(
        into[offset + index] ?? 0,
        (cost[index] ?? 0) + (after[next + index] ?? 0),
      );
    }
  };
  for (const node of nodesByComponent(graph, components)) {
    const component = components.of[node] ?? 0;
    for (let edge = graph.firstEdge.at(node); edge < graph.firstEdge.at(node + 1); edge += 1) {
      const isHuman = (graph.edgeBits.at(edge) & HUMAN) !== 0;
      if (!isHuman && components.of[graph.edgeTo.at(edge)] !== component)
        raise(after, component * width, edge);
    }
  }
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if ((graph.edgeBits.at(edge) & HUMAN) !== 0) raise(worst, 0, edge);
  }
  return Object.fromEntries(names.map((name, index) => [name, worst[index] ?? 0]));
}

function nodesByComponent(graph: SituationGraph, components: Components): Int32Array {
  const size = nodesOf(graph);
  const starts = new Int32Array(components.count + 1);
  for (let node = 0; node < size; node += 1)
    starts[(components.of[node] ?? 0) + 1] = (starts[(components.of[node] ?? 0) + 1] ?? 0) + 1;
  for (let index = 0; index < components.count; index += 1)
    starts[index + 1] = (starts[index + 1] ?? 0) + (starts[index] ?? 0);
  const order = new Int32Array(size);
  for (let node = 0; node < size; node += 1) {
    const component = components.of[node] ?? 0;
    order[starts[component] ?? 0] = node;
    starts[component] = (starts[component] ?? 0) + 1;
  }
  return order;
}
