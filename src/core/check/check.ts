/** Proves that every run of a workflow ends, or shows a run that does not. */

import type { Workflow } from "../model/compile.ts";
import { ORIGIN, START, type Move } from "../model/workflow.ts";
import { componentsOf, nodesOf, HUMAN, type Components, type SituationGraph } from "./explore/graph.ts";
import { topOf, type Defect } from "./defect.ts";
import { findDeadEnds } from "./defects/endings.ts";
import { explore, NODES_MAX } from "./explore/explore.ts";
import { findLoops, isByEngineOrAgent, runaway, type Loop } from "./defects/loops.ts";
import { checkOrders } from "./defects/orders.ts";
import { checkPolicies } from "./defects/policies.ts";
import { checkPrompts } from "./defects/prompts.ts";
import { survey, type Survey } from "./defects/survey.ts";
import { checkAssertions, checkDeadlocks, checkEndings, fromSurvey, storyOf } from "./defects/reported.ts";
import { neverTaken } from "./defects/untaken.ts";
import { isBeyondCounting, variantsOf } from "./explore/variants.ts";
import { notesOn, type CheckNote } from "./defects/verbs.ts";

export type Report = {
  readonly defects: readonly Defect[];
  /** Empty if there are defects: then nothing is guaranteed. */
  readonly worst: WorstCase;
  /** Remarks that are not defects. */
  readonly notes: readonly CheckNote[];
  readonly nodes: number;
  readonly edges: number;
};

/** `told` is called now and then with the number of situations found so far, to show progress. */
export function check(
  given: Workflow,
  nodesMax: number = NODES_MAX,
  told: (nodes: number) => void = () => undefined,
): Report {
  // The hash does not influence what a run does, and computing it takes longer than the check.
  const workflow: Workflow = { ...given, hash: () => "" };
  return { ...prove(workflow, nodesMax, told), notes: notesOn(workflow) };
}

function prove(workflow: Workflow, nodesMax: number, told: (nodes: number) => void): Omit<Report, "notes"> {
  const first = [
    ...checkShape(workflow),
    ...checkPrompts(workflow),
    ...checkPolicies(workflow),
    ...checkOrders(workflow),
  ];
  if (first.some(({ code }) => code === "no-start")) return { defects: first, worst: {}, nodes: 0, edges: 0 };
  if (isBeyondCounting(workflow))
    return { defects: [...first, tooLarge(workflow, nodesMax)], worst: {}, nodes: 0, edges: 0 };
  const seen = survey(workflow);
  const exploration = explore(workflow, { params: variantsOf(workflow), observer: seen, nodesMax, told });
  const { graph } = exploration;
  const on = { workflow, exploration };
  const size = { nodes: nodesOf(graph), edges: graph.edgeTo.length };
  if (!exploration.complete) return { defects: [...first, tooLarge(workflow, nodesMax)], worst: {}, ...size };
  const runaways = [...seen.runaways.values()].map((s) => runaway(workflow, s.rules, storyOf(on, s)));
  // Every other defect on the way through such a loop is a consequence of it.
  if (runaways.length > 0)
    return { defects: byPlace([...first, ...runaways.map((loop) => loop.defect)]), worst: {}, ...size };
  const components = componentsOf(graph, isByEngineOrAgent(graph));
  const loops = findLoops(workflow, exploration, components);
  const deadEnds = findDeadEnds(workflow, exploration);
  const defects = [
    ...first,
    ...loops.filter((loop) => !isOfSpentBudget(loop, seen)).map((loop) => loop.defect),
    ...deadEnds,
    ...fromSurvey(on, seen),
    ...neverTaken(workflow, exploration, { taken: seen.taken, excused: excused(workflow, seen, loops) }),
    ...checkEndings(on, deadEnds),
    ...checkAssertions(on, seen),
  ];
  const all = [...defects, ...checkDeadlocks(on, seen, defects)];
  return { defects: byPlace(all), worst: loops.length > 0 ? {} : worstCase(graph, components), ...size };
}

/** An agent that is restarted without end because no move follows the spent budget. */
function isOfSpentBudget({ states, moves }: Loop, seen: Survey): boolean {
  return moves.length === 0 && [...seen.unspent.values()].some((sighting) => states.includes(sighting.state));
}

/** Moves that are never taken because of a defect that is already reported. */
function excused(workflow: Workflow, seen: Survey, loops: readonly Loop[]): Set<Move> {
  const { moves } = workflow.definition;
  const rivals = [...seen.ambiguous.values()].flatMap((sighting) => sighting.moves);
  const lost = moves.filter((move) => move.to === ORIGIN && !isRemembered(moves, move));
  const looping = new Set(loops.flatMap((loop) => loop.states));
  const afterLoops = moves.filter(
    (move) => looping.has(move.from) && move.when.some((condition) => condition.type === "counter"),
  );
  return new Set([...rivals, ...lost, ...afterLoops]);
}

function tooLarge(workflow: Workflow, nodesMax: number): Defect {
  const message = `it has more than ${nodesMax} situations; smaller budgets or fewer artifacts make it provable`;
  return { code: "too-large", at: topOf(workflow), message, trace: [] };
}

function byPlace(defects: readonly Defect[]): Defect[] {
  return defects.toSorted((a, b) =>
    a.at.file < b.at.file ? -1 : a.at.file > b.at.file ? 1 : a.at.line - b.at.line || a.at.col - b.at.col,
  );
}

/** Defects of the map that need no exploration. */
function checkShape(workflow: Workflow): Defect[] {
  const { states, moves } = workflow.definition;
  const at = topOf(workflow);
  const trace: string[] = [];
  const defects: Defect[] = [];
  if (!moves.some((move) => move.from === START)) {
    defects.push({
      code: "no-start",
      at,
      message: `no move leads from "${START}": a run could never begin`,
      trace,
    });
  }
  if (!Object.values(states).some((state) => state.final !== undefined)) {
    defects.push({ code: "no-final", at, message: "no state is final: a run could never end", trace });
  }
  for (const move of moves) {
    if (states[move.from]?.final !== undefined) {
      const message = `${move.from} is final: nothing leads out of it`;
      defects.push({ code: "move-out-of-final", at: move.at, message, trace });
    }
    if (move.to === ORIGIN && !isRemembered(moves, move)) {
      const message = `no move into ${move.from} says "remember", so no origin is known to go back to`;
      defects.push({ code: "never-possible", at: move.at, message, trace });
    }
  }
  return defects;
}

function isRemembered(moves: readonly Move[], back: Move): boolean {
  return moves.some((move) => move.to === back.from && move.remember);
}

/** The worst case before a person must act: agents started by role, counters, questions, moves. */

type WorstCase = Readonly<Record<string, number>>;

/** Needs a graph without unbounded loops. Linear in the edges, for all counted names at once. */
function worstCase(graph: SituationGraph, components: Components): WorstCase {
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
