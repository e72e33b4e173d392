/** The worst that can happen before a person must act: agents started by role, counters, questions, moves. */

import type { Components } from "./components.ts";
import { HUMAN, nodesOf, type Graph } from "./graph.ts";

export type Worst = Readonly<Record<string, number>>;

/** Needs a graph without unbounded loops. Linear in the edges, for each thing that is counted. */
export function worstCase(graph: Graph, components: Components): Worst {
  const names = [...new Set(graph.costs.flatMap((cost) => Object.keys(cost)))].toSorted();
  const order = nodesByComponent(graph, components);
  return Object.fromEntries(
    names.map((name) => [
      name,
      worstOf(graph, components, { order, costs: graph.costs.map((cost) => cost[name] ?? 0) }),
    ]),
  );
}

function worstOf(
  graph: Graph,
  components: Components,
  on: { order: Int32Array; costs: readonly number[] },
): number {
  // Components come in reverse topological order, so everything that follows one is known before it.
  const after = new Float64Array(components.count);
  for (const node of on.order) {
    const component = components.of[node] ?? 0;
    for (let edge = graph.firstEdge.at(node); edge < graph.firstEdge.at(node + 1); edge += 1) {
      if ((graph.edgeBits.at(edge) & HUMAN) !== 0) continue;
      const to = components.of[graph.edgeTo.at(edge)] ?? 0;
      if (to === component) continue;
      after[component] = Math.max(
        after[component] ?? 0,
        (on.costs[graph.edgeCost.at(edge)] ?? 0) + (after[to] ?? 0),
      );
    }
  }
  let worst = 0;
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    const cost = on.costs[graph.edgeCost.at(edge)] ?? 0;
    if ((graph.edgeBits.at(edge) & HUMAN) !== 0)
      worst = Math.max(worst, cost + (after[components.of[graph.edgeTo.at(edge)] ?? 0] ?? 0));
  }
  return worst;
}

function nodesByComponent(graph: Graph, components: Components): Int32Array {
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
