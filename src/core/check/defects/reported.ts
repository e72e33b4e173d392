/** Turns the observations of the survey, and broken assertions, into defects with traces. */

import type { SourcePlace } from "../../model/workflow.ts";
import { placeOfState, type Defect } from "../defect.ts";
import { findUnreached } from "./endings.ts";
import type { Sighting, Survey } from "./survey.ts";
import { pathTo, tell, type Explored, type Trace } from "../trace.ts";
import type { Workflow } from "../../model/compile.ts";

export function fromSurvey(explored: Explored, seen: Survey): Defect[] {
  const { workflow } = explored;
  const trace = (sighting: Sighting): Trace => storyOf(explored, sighting);
  const state = (name: string): Defect["at"] => placeOfState(workflow, name);
  const all = <T extends Sighting>(
    sightings: ReadonlyMap<string, T>,
    tellOne: (sighting: T) => Omit<Defect, "trace">,
  ): Defect[] =>
    [...sightings.values()].map((sighting) => ({ ...tellOne(sighting), trace: trace(sighting) }));
  return [
    ...all(seen.deaths, (s) => ({
      code: "death-without-rule",
      at: state(s.state),
      message: `${s.role} may be at work in ${s.state}, but no rule says what follows when it ends there`,
    })),
    ...all(seen.alive, (s) => ({
      code: "left-alive",
      at: state(s.state),
      message: `${s.role} may still be at work in ${s.state}, which is final: stop it`,
    })),
    ...all(seen.stranded, (s) => ({
      code: "gate-without-exit",
      at: state(s.state),
      message: `when ${s.artifact} is ${s.standing} in ${s.state}, no move follows`,
    })),
    ...all(seen.unspent, (s) => ({
      code: "budget-without-exit",
      at: state(s.state),
      message: `when ${s.counter} is spent in ${s.state}, no move follows`,
    })),
    ...all(seen.ambiguous, ({ moves }) => ({
      code: "ambiguous-move",
      at: moves[1]?.at ?? state(moves[0]?.from ?? ""),
      message: `from ${moves[0]?.from ?? ""} the moves to ${moves.map((move) => move.to).join(" and to ")} are open at the same time`,
    })),
  ];
}

/** States in which a run stays and no person is asked, unless another defect of the state or of one of its moves explains it. */
export function checkDeadlocks(explored: Explored, seen: Survey, others: readonly Defect[]): Defect[] {
  const { workflow } = explored;
  const isTold = ({ line, col }: SourcePlace): boolean =>
    others.some(({ at }) => at.line === line && at.col === col);
  return [...seen.deadlocks.values()].flatMap((sighting): Defect[] => {
    const { state, reason } = sighting;
    const at = placeOfState(workflow, state);
    if ([at, ...(workflow.movesFrom[state] ?? []).map((move) => move.at)].some(isTold)) return [];
    const message = `a run can stay in ${state} with no person asked: ${reason}`;
    return [{ code: "dead-end", at, message, trace: storyOf(explored, sighting) }];
  });
}

/** From every situation, with the help of people, a run can finish. */
export function checkEndings(explored: Explored, deadEnds: readonly Defect[]): Defect[] {
  const { workflow, exploration } = explored;
  const finals = finalsOf(workflow);
  if (finals.length === 0 || deadEnds.length > 0) return [];
  const [node] = findUnreached(exploration, finals);
  if (node === undefined) return [];
  const name = exploration.graph.states[exploration.graph.nodeState.at(node)] ?? "";
  const message = `from ${name} a run can never finish, even with the help of people`;
  return [
    {
      code: "no-way-to-finish",
      at: placeOfState(workflow, name),
      message,
      trace: storyOf(explored, { key: name, node }),
    },
  ];
}

export function checkAssertions(explored: Explored, seen: Survey): Defect[] {
  const { workflow, exploration } = explored;
  const violated = [...seen.violations].map(([claim, sighting]): Defect => {
    const message = `this does not hold: ${claim.text}`;
    return {
      code: "assertion-violated",
      at: claim.at,
      message,
      trace: storyOf(explored, sighting),
    };
  });
  // If a run cannot finish at all, only that is reported.
  const hopeless = new Set(findUnreached(exploration, finalsOf(workflow)));
  const promised = workflow.definition.assertions.flatMap((claim): Defect[] => {
    if (claim.type !== "eventually") return [];
    const node = findUnreached(exploration, claim.in).find((each) => !hopeless.has(each));
    if (node === undefined) return [];
    const message = `from here none of ${claim.in.join(", ")} can be reached`;
    return [
      {
        code: "assertion-violated",
        at: claim.at,
        message,
        trace: storyOf(explored, { key: claim.text, node }),
      },
    ];
  });
  return [...violated, ...promised];
}

/** A shortest trace to the observed node or edge. */
export function storyOf({ workflow, exploration }: Explored, { node, edge }: Sighting): Trace {
  if (edge === undefined) return tell(workflow, exploration, pathTo(exploration, node ?? 0));
  return tell(workflow, exploration, [...pathTo(exploration, exploration.graph.edgeFrom.at(edge)), edge]);
}

/** The states in which a run ends. */
function finalsOf(workflow: Workflow): string[] {
  const states = Object.entries(workflow.definition.states);
  return states.flatMap(([name, state]) => (state.final === undefined ? [] : [name]));
}
