/** Strongly connected components of a part of the graph, in reverse topological order (Tarjan, without recursion). */

import { nodesOf, type SituationGraph } from "./graph.ts";

export type Components = { readonly of: Int32Array; readonly count: number };

/** `keep` selects the edges of that part. */
export function componentsOf(graph: SituationGraph, keep: (edge: number) => boolean): Components {
  const size = nodesOf(graph);
  const of = new Int32Array(size).fill(-1);
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const nextEdge = new Int32Array(size);
  const stack: number[] = [];
  const calls: number[] = [];
  let counter = 0;
  let count = 0;
  const enter = (node: number): void => {
    index[node] = counter;
    low[node] = counter;
    counter += 1;
    stack.push(node);
    onStack[node] = 1;
    nextEdge[node] = graph.firstEdge.at(node);
    calls.push(node);
  };
  const leave = (node: number): void => {
    calls.pop();
    const caller = calls.at(-1);
    if (caller !== undefined) low[caller] = Math.min(low[caller] ?? 0, low[node] ?? 0);
    if (low[node] !== index[node]) return;
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      onStack[member] = 0;
      of[member] = count;
      if (member === node) break;
    }
    count += 1;
  };
  for (let root = 0; root < size; root += 1) {
    if (index[root] !== -1) continue;
    enter(root);
    for (let node = calls.at(-1); node !== undefined; node = calls.at(-1)) {
      const edge = nextEdge[node] ?? 0;
      if (edge >= graph.firstEdge.at(node + 1)) {
        leave(node);
        continue;
      }
      nextEdge[node] = edge + 1;
      if (!keep(edge)) continue;
      const to = graph.edgeTo.at(edge);
      if (index[to] === -1) enter(to);
      else if (onStack[to] === 1) low[node] = Math.min(low[node] ?? 0, index[to] ?? 0);
    }
  }
  return { of, count };
}
