/** Explores all possible events breadth first, with the real `step`. */

import type { Workflow } from "../../model/compile.ts";
import type { Effect, Event, Incoming } from "../../model/event.ts";
import { NO_RUN, type Run } from "../../model/run.ts";
import { valueOf } from "../../gates/artifact-status.ts";
import type { Step } from "../../step/step.ts";
import type { ParamValues } from "../../model/value.ts";
import { START } from "../../model/workflow.ts";
import { HUMAN, Ints, MOVES, STARTS, type Cost, type SituationGraph } from "./graph.ts";
import { keysOf, type RunKeys } from "./key.ts";
import { possible, stepsOf, type Happening, type HappeningStep } from "./possible.ts";

/** Gets every node and every edge once, while their runs are in memory. */
export type ExplorationObserver = {
  node(node: number, run: Run): void;
  edge(on: { edge: number; before: Run; happening: Happening; after: Extract<Step, { ok: true }> }): void;
};

export type Exploration = {
  readonly graph: SituationGraph;
  readonly complete: boolean;
  readonly roots: readonly Happening[];
};

/** `check` reports that a larger definition is too large to be proven. */
export const NODES_MAX = 1_000_000;

/** The parameters, the observer, the progress callback and the limit of an exploration. */
export type Journey = {
  readonly params: readonly ParamValues[];
  readonly observer: ExplorationObserver;
  readonly nodesMax: number;
  readonly told?: (nodes: number) => void;
};

/** The number of nodes between two progress reports. */
const TOLD_EVERY = 1024;

export function explore(workflow: Workflow, { params, observer, nodesMax, told }: Journey): Exploration {
  const roots = params.flatMap((values) => startsOf(workflow, values));
  const walk = new Walk(workflow, observer);
  for (const [choice, root] of roots.entries()) walk.try(-1, NO_RUN, { happening: root, choice });
  // A run is dropped after its node was explored: a path rebuilds it on demand.
  for (let node = 0; node < walk.frontier.length && node < nodesMax; node += 1) {
    const run = walk.frontier[node];
    if (run === undefined) continue;
    walk.frontier[node] = undefined;
    if (node % TOLD_EVERY === 0) told?.(walk.frontier.length);
    walk.graph.firstEdge.push(walk.graph.edgeTo.length);
    for (const [choice, happening] of possible(workflow, run).entries())
      walk.try(node, run, { happening, choice });
  }
  const complete = walk.frontier.length <= nodesMax;
  walk.graph.firstEdge.push(walk.graph.edgeTo.length);
  return { graph: walk.graph, complete, roots };
}

export function startsOf(workflow: Workflow, params: ParamValues): Happening[] {
  return (workflow.movesFrom[START] ?? []).map((move): Happening => {
    const event: Incoming = {
      type: "run-started",
      by: { type: "human" },
      at: "",
      run: "RUN",
      definition: workflow.hash(),
      to: move.to,
      params,
      tree: "t0",
      reserved: move.reserve,
    };
    return { human: true, event };
  });
}

class Walk {
  readonly graph: SituationGraph & { states: string[]; costs: Cost[] };
  readonly frontier: (Run | undefined)[] = [];
  readonly #ids = new Map<string, number>();
  readonly #costIds = new Map<string, number>();
  readonly #keyOf: RunKeys;
  readonly #workflow: Workflow;
  readonly #observer: ExplorationObserver;

  constructor(workflow: Workflow, observer: ExplorationObserver) {
    this.#workflow = workflow;
    this.#observer = observer;
    this.#keyOf = keysOf(workflow);
    this.graph = {
      nodeState: new Ints(),
      cameBy: new Ints(),
      firstEdge: new Ints(),
      edgeFrom: new Ints(),
      edgeTo: new Ints(),
      edgeBits: new Ints(),
      edgeChoice: new Ints(),
      edgeCost: new Ints(),
      states: Object.keys(workflow.definition.states),
      costs: [],
    };
  }

  try(from: number, before: Run, { happening, choice }: { happening: Happening; choice: number }): void {
    const after = joined(stepsOf(this.#workflow, before, happening));
    if (after === undefined) return;
    const { graph } = this;
    const key = this.#keyOf(after.run);
    const known = this.#ids.get(key);
    const edge = graph.edgeTo.length;
    const to = known ?? this.frontier.length;
    graph.edgeFrom.push(from);
    graph.edgeTo.push(to);
    graph.edgeChoice.push(choice);
    graph.edgeBits.push((happening.human ? HUMAN : 0) | bitsOf(after.events, after.effects));
    graph.edgeCost.push(this.#costId(after));
    if (known === undefined) {
      this.#ids.set(key, to);
      this.frontier.push(after.run);
      graph.nodeState.push(graph.states.indexOf(after.run.state));
      graph.cameBy.push(edge);
      this.#observer.node(to, after.run);
    }
    this.#observer.edge({ edge, before, happening, after });
  }

  /** Edges of the same cost share one entry; most cost nothing. */
  #costId(after: Extract<Step, { ok: true }>): number {
    const { events, effects, run } = after;
    let key = "";
    for (const event of events) {
      if (event.type === "moved") key += "m";
      else if (event.type === "counted") key += `c${event.counter} `;
      else if (event.type === "slots-opened")
        key += `o${event.artifact} ${membersOf(this.#workflow, run, event.artifact)} `;
    }
    for (const effect of effects) {
      if (effect.type === "start-agent") key += `s${effect.role} ${effect.fan ?? ""} `;
      else if (effect.type === "ask-person") key += "q";
    }
    const known = this.#costIds.get(key);
    if (known !== undefined) return known;
    this.#costIds.set(key, this.graph.costs.length);
    this.graph.costs.push(costOf(this.#workflow, after));
    return this.graph.costs.length - 1;
  }
}

/** All steps of a happening as one. */
function joined([first, second]: ReturnType<typeof stepsOf>): HappeningStep["after"] | undefined {
  if (first === undefined || second === undefined) return first?.after;
  return {
    ...second.after,
    events: [...first.after.events, ...second.after.events],
    effects: [...first.after.effects, ...second.after.effects],
  };
}

function bitsOf(events: readonly Event[], effects: readonly Effect[]): number {
  let bits = 0;
  for (const { type } of events) if (type === "moved") bits |= MOVES;
  for (const { type } of effects)
    if (type === "start-agent" || type === "run-check" || type === "start-tasks") bits |= STARTS;
  return bits;
}

function costOf(workflow: Workflow, after: Extract<Step, { ok: true }>): Cost {
  const { events, effects } = after;
  const cost: Record<string, number> = {};
  const add = (name: string, amount: number): void => {
    cost[name] = (cost[name] ?? 0) + amount;
  };
  for (const event of events) {
    if (event.type === "moved") add("moves", 1);
    else if (event.type === "counted") add(`counter ${event.counter}`, 1);
  }
  for (const effect of effects) {
    if (effect.type === "start-agent") add(`start ${effect.role}`, weightOf(workflow, effect, after));
    else if (effect.type === "ask-person") add("questions", 1);
  }
  return cost;
}

/** The two abstract members of a fan-out represent the maximum number of members. */
function weightOf(
  workflow: Workflow,
  effect: Extract<Effect, { type: "start-agent" }>,
  { events, run }: Extract<Step, { ok: true }>,
): number {
  const isFirst = events.some((event) => event.type === "slots-opened" && event.artifact === effect.fan);
  return isFirst && effect.fan !== undefined ? membersOf(workflow, run, effect.fan) / 2 : 1;
}

/** The maximum number of members of the fan-out in this run. */
function membersOf(workflow: Workflow, run: Run, fan: string): number {
  const max = workflow.definition.artifacts[fan]?.each?.max;
  return max === undefined ? 2 : Number(valueOf(run, max));
}
