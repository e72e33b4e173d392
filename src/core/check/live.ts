/**
 * For each state, what may still be read before it begins anew: artifacts, counters, and where the run came from.
 *
 * What nothing reads any more makes no difference, so the checker forgets it; this is what keeps the product small.
 */

import type { Workflow } from "../compile.ts";
import { ORIGIN, type Condition, type Move } from "../workflow.ts";
import { conditionsOf } from "./outcomes.ts";

type Live = ReadonlyMap<string, readonly string[]>;

const cache = new WeakMap<Workflow, Live>();

export function liveArtifacts(workflow: Workflow): Live {
  const live = cache.get(workflow) ?? computeArtifacts(workflow);
  cache.set(workflow, live);
  return live;
}

function computeArtifacts(workflow: Workflow): Live {
  const order = Object.keys(workflow.definition.artifacts);
  const outliving = toldWhenStale(workflow);
  const artifactsPer = (scope: string): readonly string[] => workflow.artifactsPer[scope] ?? [];
  return flow(workflow, order, {
    read: (state) => artifactsReadIn(workflow, state),
    renewed: (move, to) => [
      ...[...["entry", to, ...move.renew, ...move.count].flatMap(artifactsPer), ...move.waive].filter(
        (name) => !outliving.has(name),
      ),
      ...settledBy(workflow, move),
    ],
  });
}

/** Artifacts of which a guard tells an old one from none at all: they matter even when they begin anew. */
export function toldWhenStale(workflow: Workflow): ReadonlySet<string> {
  const names = conditionsOf(workflow).flatMap((condition) =>
    condition.type === "artifact" && condition.in.includes("stale") !== condition.in.includes("missing")
      ? [condition.artifact]
      : [],
  );
  return new Set(names);
}

export function liveCounters(workflow: Workflow): Live {
  const order = Object.keys(workflow.definition.counters);
  return flow(workflow, order, {
    read: (state) => countersReadIn(workflow, state),
    renewed: (move, to) => ["entry", to, ...move.renew].flatMap((scope) => workflow.countersPer[scope] ?? []),
  });
}

/** Whether where a run came from makes a difference: something asks for it, or questions can be nested too deep. */
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

function flow(
  workflow: Workflow,
  order: readonly string[],
  on: { read: (state: string) => string[]; renewed: (move: Move, to: string) => string[] },
): Live {
  const { states, moves } = workflow.definition;
  const live = new Map(Object.keys(states).map((state) => [state, new Set(on.read(state))]));
  const edges = moves.flatMap((move) =>
    (move.to === ORIGIN ? originsOf(moves, move.from) : [move.to]).map((to) => ({
      from: live.get(move.from),
      to,
      renewed: new Set(on.renewed(move, to)),
    })),
  );
  let changed = true;
  while (changed) {
    changed = false;
    for (const { from, to, renewed } of edges) {
      if (from === undefined) continue;
      for (const name of live.get(to) ?? []) {
        if (renewed.has(name) || from.has(name)) continue;
        from.add(name);
        changed = true;
      }
    }
  }
  // The order of the definition keeps keys comparable.
  return new Map([...live].map(([state, names]) => [state, order.filter((name) => names.has(name))]));
}

/** Where a run that is here may have come from: only moves that remember lead back. One that leads back itself may come from anywhere. */
function originsOf(moves: readonly Move[], state: string): readonly string[] {
  const remembering = moves.filter(({ remember }) => remember);
  if (remembering.some(({ to }) => to === ORIGIN)) return [...new Set(moves.map(({ from }) => from))];
  return remembering.flatMap(({ from, to }) => (to === state ? [from] : []));
}

/** Into a final state by a move whose own condition answers every claim about that state, nothing else is read. */
function settledBy(workflow: Workflow, move: Move): string[] {
  if (workflow.definition.states[move.to]?.final === undefined) return [];
  const claims = workflow.definition.assertions.filter(
    (claim) => claim.type !== "eventually" && claim.in.includes(move.to),
  );
  const isAnswered = claims.every((claim) =>
    claim.unless.some((clause) =>
      clause.every((condition) => move.when.some((own) => implies(own, condition))),
    ),
  );
  const own = new Set(
    move.when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  );
  return isAnswered ? artifactsReadIn(workflow, move.to).filter((name) => !own.has(name)) : [];
}

function implies(own: Condition, other: Condition): boolean {
  return (
    own.type === "artifact" &&
    other.type === "artifact" &&
    own.artifact === other.artifact &&
    own.in.every((standing) => other.in.includes(standing))
  );
}

function conditionsIn(workflow: Workflow, state: string): Condition[] {
  const claims = workflow.definition.assertions.filter((assertion) => assertion.in.includes(state));
  return [
    ...(workflow.movesFrom[state] ?? []).flatMap((move) => move.when),
    ...claims.flatMap((claim) => [...claim.when, ...claim.unless].flat()),
  ];
}

function artifactsReadIn(workflow: Workflow, state: string): string[] {
  const needed = (workflow.movesFrom[state] ?? []).flatMap((move) => move.need);
  const direct = [
    ...needed,
    ...conditionsIn(workflow, state).flatMap((condition) =>
      "artifact" in condition ? [condition.artifact] : [],
    ),
  ];
  // A fan-out takes its members from another artifact.
  // So does what an artifact is bound to: its change makes the artifact stale.
  return closure(direct, (name) => {
    const artifact = workflow.definition.artifacts[name];
    return [...(artifact?.bind ?? []), ...(artifact?.each === undefined ? [] : [artifact.each.artifact])];
  });
}

function countersReadIn(workflow: Workflow, state: string): string[] {
  const { ends, asks, states } = workflow.definition;
  const ask = states[state]?.ask;
  return [
    ...(workflow.movesFrom[state] ?? []).flatMap((move) => move.count),
    ...conditionsIn(workflow, state).flatMap((condition) =>
      condition.type === "counter" ? [condition.counter] : [],
    ),
    ...ends.flatMap((end) => (end.in === state && end.count !== undefined ? [end.count] : [])),
    ...(ask === undefined ? [] : [asks[ask]?.reask ?? ""]),
  ];
}

/** All that these lead to, themselves included. */
function closure(names: readonly string[], next: (name: string) => readonly string[]): string[] {
  const all = new Set(names);
  for (const name of all) for (const other of next(name)) all.add(other);
  return [...all];
}
