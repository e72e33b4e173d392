/** Proves that a workflow ends, or shows how it does not. */

import type { Workflow } from "../compile.ts";
import { ORIGIN, START, type Move, type Place } from "../workflow.ts";
import { componentsOf } from "./components.ts";
import type { Defect } from "./defect.ts";
import { findDeadEnds, findUnreached } from "./endings.ts";
import { explore, NODES_MAX, type Exploration } from "./explore.ts";
import { nodesOf } from "./graph.ts";
import { findLoops, isByEngineOrAgent, runaway, type Loop } from "./loops.ts";
import { checkOrders } from "./orders.ts";
import { checkPrompts } from "./prompts.ts";
import { survey, type Sighting, type Survey } from "./survey.ts";
import { pathTo, tell } from "./trace.ts";
import { neverTaken } from "./untaken.ts";
import { variantsOf } from "./variants.ts";
import { worstCase, type Worst } from "./worst.ts";

export type Report = {
  readonly defects: readonly Defect[];
  /** Empty where there are defects: nothing is promised then. */
  readonly worst: Worst;
  readonly nodes: number;
  readonly edges: number;
};

export function check(given: Workflow, nodesMax: number = NODES_MAX): Report {
  // Which definition it is makes no difference to what it does, and hashing it takes longer than checking it.
  const workflow: Workflow = { ...given, hash: () => "" };
  const first = [...checkShape(workflow), ...checkPrompts(workflow), ...checkOrders(workflow)];
  if (first.some((defect) => defect.code === "no-start"))
    return { defects: first, worst: {}, nodes: 0, edges: 0 };
  const seen = survey(workflow);
  const exploration = explore(workflow, variantsOf(workflow), seen, nodesMax);
  const { graph } = exploration;
  const size = { nodes: nodesOf(graph), edges: graph.edgeTo.length };
  if (!exploration.complete) return { defects: [...first, tooLarge(workflow, nodesMax)], worst: {}, ...size };
  const runaways = [...seen.runaways.values()].map((s) =>
    runaway(workflow, s.rules, tell(workflow, exploration, pathOf(exploration, s))),
  );
  // Whatever else is seen on the way through such a loop comes from it.
  if (runaways.length > 0)
    return { defects: byPlace([...first, ...runaways.map((loop) => loop.defect)]), worst: {}, ...size };
  const components = componentsOf(graph, isByEngineOrAgent(graph));
  const loops = findLoops(workflow, exploration, components);
  const deadEnds = findDeadEnds(workflow, exploration);
  const defects = [
    ...first,
    ...loops.filter((loop) => !isOfSpentBudget(loop, seen)).map((loop) => loop.defect),
    ...deadEnds,
    ...fromSurvey(workflow, exploration, seen),
    ...neverTaken(workflow, exploration, { taken: seen.taken, excused: excused(workflow, seen, loops) }),
    ...checkEndings(workflow, exploration, deadEnds),
    ...checkAssertions(workflow, exploration, seen),
  ];
  return { defects: byPlace(defects), worst: loops.length > 0 ? {} : worstCase(graph, components), ...size };
}

/** An agent that is started again and again because nothing follows from the spent budget. */
function isOfSpentBudget({ states, moves }: Loop, seen: Survey): boolean {
  return moves.length === 0 && [...seen.unspent.values()].some((sighting) => states.includes(sighting.state));
}

/** Moves that are never taken for a reason that is told already. */
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

function checkShape(workflow: Workflow): Defect[] {
  const { states, moves, places } = workflow.definition;
  const top = Object.values(places)[0] ?? NOWHERE;
  const starts = moves.filter((move) => move.from === START);
  return [
    ...(starts.length === 0
      ? [
          defect(
            "no-start",
            { ...top, line: 1, col: 1 },
            `no move leads from "${START}": a run could never begin`,
          ),
        ]
      : []),
    ...(Object.values(states).some((state) => state.final !== undefined)
      ? []
      : [defect("no-final", { ...top, line: 1, col: 1 }, "no state is final: a run could never end")]),
    ...moves
      .filter((move) => states[move.from]?.final !== undefined)
      .map((move) => defect("move-out-of-final", move.at, `${move.from} is final: nothing leads out of it`)),
    ...moves
      .filter((move) => move.to === ORIGIN && !isRemembered(moves, move))
      .map((move) =>
        defect(
          "never-possible",
          move.at,
          `no move into ${move.from} says "remember", so there is no origin to go back to`,
        ),
      ),
  ];
}

function isRemembered(moves: readonly Move[], back: Move): boolean {
  return moves.some((move) => move.to === back.from && move.remember);
}

function fromSurvey(workflow: Workflow, exploration: Exploration, seen: Survey): Defect[] {
  const trace = (sighting: Sighting): readonly string[] =>
    tell(workflow, exploration, pathOf(exploration, sighting));
  const state = (name: string): Place => workflow.definition.places[`states.${name}`] ?? NOWHERE;
  return [
    ...[...seen.deaths.values()].map((s) =>
      defect(
        "death-without-rule",
        state(s.state),
        `${s.role} may be at work in ${s.state}, but no rule says what follows when it ends there`,
        trace(s),
      ),
    ),
    ...[...seen.alive.values()].map((s) =>
      defect(
        "left-alive",
        state(s.state),
        `${s.role} may still be at work in ${s.state}, which is final: stop it`,
        trace(s),
      ),
    ),
    ...[...seen.stranded.values()].map((s) =>
      defect(
        "gate-without-exit",
        state(s.state),
        `when ${s.artifact} is ${s.standing} in ${s.state}, no move follows`,
        trace(s),
      ),
    ),
    ...[...seen.unspent.values()].map((s) =>
      defect(
        "budget-without-exit",
        state(s.state),
        `when ${s.counter} is spent in ${s.state}, no move follows`,
        trace(s),
      ),
    ),
    ...[...seen.ambiguous.values()].map((s) =>
      defect(
        "ambiguous-move",
        s.moves[1]?.at ?? NOWHERE,
        `from ${s.moves[0]?.from ?? ""} the moves to ${s.moves.map((move) => move.to).join(" and to ")} are open at the same time`,
        trace(s),
      ),
    ),
  ];
}

function checkEndings(workflow: Workflow, exploration: Exploration, deadEnds: readonly Defect[]): Defect[] {
  const finals = finalsOf(workflow);
  if (finals.length === 0 || deadEnds.length > 0) return [];
  const [node] = findUnreached(exploration, finals);
  if (node === undefined) return [];
  const name = exploration.graph.states[exploration.graph.nodeState.at(node)] ?? "";
  return [
    defect(
      "no-way-to-finish",
      workflow.definition.places[`states.${name}`] ?? NOWHERE,
      `from ${name} a run can never finish, whatever people do`,
      tell(workflow, exploration, pathTo(exploration, node)),
    ),
  ];
}

function checkAssertions(workflow: Workflow, exploration: Exploration, seen: Survey): Defect[] {
  const violated = [...seen.violations].map(([claim, node]) =>
    defect(
      "assertion-violated",
      claim.at,
      `this does not hold: ${claim.text}`,
      tell(workflow, exploration, pathTo(exploration, node)),
    ),
  );
  // Where a run cannot finish at all, that is what is told.
  const hopeless = new Set(findUnreached(exploration, finalsOf(workflow)));
  const promised = workflow.definition.assertions
    .filter((claim) => claim.type === "eventually")
    .flatMap((claim) => {
      const node = findUnreached(exploration, claim.in).find((each) => !hopeless.has(each));
      return node === undefined
        ? []
        : [
            defect(
              "assertion-violated",
              claim.at,
              `from here none of ${claim.in.join(", ")} can be reached`,
              tell(workflow, exploration, pathTo(exploration, node)),
            ),
          ];
    });
  return [...violated, ...promised];
}

function finalsOf(workflow: Workflow): string[] {
  return Object.entries(workflow.definition.states).flatMap(([name, state]) =>
    state.final === undefined ? [] : [name],
  );
}

function pathOf(exploration: Exploration, { node, edge }: Sighting): number[] {
  if (edge !== undefined) return [...pathTo(exploration, exploration.graph.edgeFrom.at(edge)), edge];
  return pathTo(exploration, node ?? 0);
}

function tooLarge(workflow: Workflow, nodesMax: number): Defect {
  const at = Object.values(workflow.definition.places)[0] ?? NOWHERE;
  return defect(
    "too-large",
    { ...at, line: 1, col: 1 },
    `it has more than ${nodesMax} situations; smaller budgets or fewer artifacts make it provable`,
  );
}

const NOWHERE: Place = { file: "", line: 1, col: 1 };

function defect(code: Defect["code"], at: Place, message: string, trace: readonly string[] = []): Defect {
  return { code, at, message, trace };
}

function byPlace(defects: readonly Defect[]): Defect[] {
  return defects.toSorted((a, b) =>
    a.at.file < b.at.file ? -1 : a.at.file > b.at.file ? 1 : a.at.line - b.at.line || a.at.col - b.at.col,
  );
}
