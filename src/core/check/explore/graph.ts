/** The product of states, counters, artifacts and agents, as a graph in flat arrays: 100,000 nodes must fit. */

/** Integers in a growing typed array. */
export class Ints {
  #data = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#data.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#data[index] ?? -1;
  }
}

/** Bits of an edge. */
export const HUMAN = 1;
export const MOVES = 2;
export const STARTS = 4;

/** The cost of one edge: agents started, counters raised, questions, moves; by name. */
export type Cost = Readonly<Record<string, number>>;

export type SituationGraph = {
  /** The state of each node, as an index into `states`. */
  readonly nodeState: Ints;
  /** The edge that first reached each node; the first path is a shortest one. */
  readonly cameBy: Ints;
  /** Edges of node n are from `firstEdge.at(n)` to before `firstEdge.at(n + 1)`. */
  readonly firstEdge: Ints;
  readonly edgeFrom: Ints;
  readonly edgeTo: Ints;
  readonly edgeBits: Ints;
  /** The index of the event in the list of possible events. */
  readonly edgeChoice: Ints;
  readonly edgeCost: Ints;
  readonly states: readonly string[];
  readonly costs: readonly Cost[];
};

export function nodesOf(graph: SituationGraph): number {
  return graph.nodeState.length;
}

/** Strongly connected components of a part of the graph, in reverse topological order (Tarjan, without recursion). */

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
