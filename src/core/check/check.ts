/** Proves that every run of a workflow ends, or shows a run that does not. */

import type { Workflow } from "../model/compile.ts";
import { ORIGIN, type Move } from "../model/workflow.ts";
import { componentsOf } from "./explore/components.ts";
import { topOf, type Defect } from "./defect.ts";
import { findDeadEnds } from "./defects/endings.ts";
import { explore, NODES_MAX } from "./explore/explore.ts";
import { nodesOf } from "./explore/graph.ts";
import { findLoops, isByEngineOrAgent, runaway, type Loop } from "./defects/loops.ts";
import { checkOrders } from "./defects/orders.ts";
import { checkPolicies } from "./defects/policies.ts";
import { checkPrompts } from "./defects/prompts.ts";
import { checkShape, isRemembered } from "./defects/shape.ts";
import { survey, type Survey } from "./defects/survey.ts";
import { checkAssertions, checkDeadlocks, checkEndings, fromSurvey, storyOf } from "./defects/reported.ts";
import { neverTaken } from "./defects/untaken.ts";
import { isBeyondCounting, variantsOf } from "./explore/variants.ts";
import { notesOn, type CheckNote } from "./defects/verbs.ts";
import { worstCase, type WorstCase } from "./defects/worst.ts";

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
