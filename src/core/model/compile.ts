/** A definition with its look-up tables, so that the cost of a step does not depend on the size of the definition. */

import type { Artifact } from "./artifact.ts";
import type { Definition, EndRule, Move, Phase, Stage } from "./workflow.ts";

export type Workflow = {
  readonly definition: Definition;
  /** The content hash, computed on first use. */
  hash(): string;
  readonly movesFrom: Readonly<Record<string, readonly Move[]>>;
  readonly engineMovesFrom: Readonly<Record<string, readonly Move[]>>;
  readonly ends: Readonly<Record<string, EndRule>>;
  /** The index of a move in the definition. */
  readonly ruleOf: ReadonlyMap<Move, number>;
  /** Counters that are reset when a scope starts, by scope. */
  readonly countersPer: Readonly<Record<string, readonly string[]>>;
  /** Artifacts that must change after a scope starts or a counter changes, by the name of the scope or counter. */
  readonly artifactsPer: Readonly<Record<string, readonly string[]>>;
  /** For an artifact with lists of fan-out members: the lists, and the maximum number of members of each. */
  readonly fanOuts: Readonly<Record<string, readonly NonNullable<Artifact["each"]>[]>>;
  /** Fan-outs whose members are processed one after the other. */
  readonly inTurn: readonly string[];
  /** The phase of each state. */
  readonly phases: Readonly<Record<string, Scheduled>>;
  /** Runs work in the user's checkout instead of private clones. */
  readonly isInPlace: boolean;
};

/** A phase and its stage. */
export type Scheduled = { readonly stage: Stage; readonly phase: Phase };

export const NONE: readonly never[] = [];

/** The name of the resource that represents the user's checkout. */
export const PLACE = "place";

export function compile(definition: Definition, hash: () => string): Workflow {
  return {
    definition,
    hash,
    movesFrom: groupBy(definition.moves, (move) => move.from),
    engineMovesFrom: groupBy(
      definition.moves.filter((move) => move.by.includes("engine") && move.answer === undefined),
      (move) => move.from,
    ),
    ruleOf: new Map(definition.moves.map((move, rule) => [move, rule])),
    ends: Object.fromEntries(definition.ends.map((end) => [endKey(end.role, end.in), end])),
    countersPer: namesBy(definition.counters, (counter) => counter.per),
    artifactsPer: namesBy(definition.artifacts, (artifact) => artifact.fresh),
    fanOuts: groupBy(
      Object.values(definition.artifacts).flatMap(({ each }) => (each === undefined ? [] : [each])),
      (each) => each.artifact,
    ),
    inTurn: Object.entries(definition.artifacts).flatMap(([name, { each }]) =>
      each?.inOrder === true ? [name] : [],
    ),
    phases: Object.fromEntries(
      scheduleOf(definition).flatMap((entry) => entry.phase.states.map((state) => [state, entry])),
    ),
    isInPlace: definition.moves.some(({ reserve }) => reserve.includes(PLACE)),
  };
}

/** All phases, in the order in which a run passes through them. A definition of an earlier version has none. */
export function scheduleOf({ stages = NONE }: Definition): Scheduled[] {
  return stages.flatMap((stage) => (stage.phases ?? NONE).map((phase) => ({ stage, phase })));
}

export function endKey(role: string, state: string): string {
  return `${role} in ${state}`;
}

function groupBy<T>(list: readonly T[], key: (item: T) => string): Record<string, T[]> {
  const groups: Record<string, T[]> = {};
  for (const item of list) (groups[key(item)] ??= []).push(item);
  return groups;
}

function namesBy<T>(record: Readonly<Record<string, T>>, key: (item: T) => string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name, item] of Object.entries(record)) (groups[key(item)] ??= []).push(name);
  return groups;
}
