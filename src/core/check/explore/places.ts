/** The places that a run can be in, and the moves that lead out of them. */

import type { Workflow } from "../../model/compile.ts";
import type { Run } from "../../model/run.ts";
import { ORIGIN, type Move } from "../../model/workflow.ts";

/** A state, with the origin of the run if the state remembers it. */
export type Here = {
  readonly state: string;
  readonly origin: string;
  /** Moves that this place does not exclude. */
  readonly moves: readonly Move[];
  /** Moves that only the parameters exclude. */
  readonly shut: readonly Move[];
};

export type RunPlaces = ReadonlyMap<string, Here>;

/** Without parameters, for all values of them. */
export function placesOf(workflow: Workflow, params?: Run["params"]): RunPlaces {
  const { definition, movesFrom } = workflow;
  const remembered = usesOrigin(workflow)
    ? definition.moves.flatMap(({ from, to, remember }) => (remember ? [{ state: to, origin: from }] : []))
    : [];
  const plain = Object.keys(definition.states).map((state) => ({ state, origin: "" }));
  return new Map(
    [...plain, ...remembered].map(({ state, origin }) => {
      const here = (movesFrom[state] ?? []).filter((move) => isFrom(move, origin));
      const moves = here.filter((move) => params === undefined || isWith(move, params));
      return [
        placeName(state, origin),
        { state, origin, moves, shut: here.filter((move) => !moves.includes(move)) },
      ];
    }),
  );
}

export function placeName(state: string, origin: string): string {
  return origin === "" ? state : `${state}<${origin}`;
}

/** Whether the origin of a run matters: a condition reads it, or questions can be nested too deep. */
export function usesOrigin({ definition }: Workflow): boolean {
  const { moves } = definition;
  const isAsked = moves.some(
    (move) => move.to === ORIGIN || move.when.some((condition) => condition.type === "origin"),
  );
  return (
    isAsked ||
    moves.some((inner) => inner.remember && moves.some((outer) => outer.remember && outer.to === inner.from))
  );
}

/** A move back also counts where nothing is remembered: `check` reports it as a defect. */
function isFrom({ when }: Move, origin: string): boolean {
  return when.every((condition) => condition.type !== "origin" || condition.in.includes(origin));
}

function isWith({ when }: Move, params: Run["params"]): boolean {
  return when.every(
    (condition) => condition.type !== "param" || condition.in.includes(params[condition.param] ?? ""),
  );
}
