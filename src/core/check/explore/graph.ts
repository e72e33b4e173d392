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
