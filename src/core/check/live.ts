/**
 * For each state, what may still be read before it begins anew: artifacts, counters, and where the run came from.
 *
 * What nothing reads any more makes no difference, so the checker forgets it; this is what keeps the product small.
 */

import type { Workflow } from "../compile.ts";
import type { Run } from "../run.ts";
import { ORIGIN, type Condition, type Move } from "../workflow.ts";
import { conditionsOf } from "./outcomes.ts";

/** What is live where a run is, and what is live in a state wherever runs in it came from. */
type Live = { at(run: Run): readonly string[]; in(state: string): readonly string[] };

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
    read: (here) => artifactsReadIn(workflow, here),
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
    read: (here) => countersReadIn(workflow, here),
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

/** A place that runs can be in: a state, with where they came from if it remembers that, and the moves that are not ruled out by it. */
type Here = { readonly state: string; readonly origin: string; readonly moves: readonly Move[] };

function flow(
  workflow: Workflow,
  order: readonly string[],
  on: { read: (here: Here) => string[]; renewed: (move: Move, to: string) => string[] },
): Live {
  const places = placesOf(workflow);
  const live = new Map([...places].map(([name, here]) => [name, new Set(on.read(here))]));
  const edges = [...places].flatMap(([name, here]) =>
    here.moves.flatMap((move) => {
      const to = move.to === ORIGIN ? here.origin : move.to;
      const renewed = new Set(on.renewed(move, to));
      return landingsOf(places, here, { move, to }).map((target) => ({
        from: live.get(name),
        to: live.get(target),
        renewed,
      }));
    }),
  );
  let changed = true;
  while (changed) {
    changed = false;
    for (const { from, to, renewed } of edges) {
      for (const name of to ?? []) {
        if (renewed.has(name) || from?.has(name) !== false) continue;
        from.add(name);
        changed = true;
      }
    }
  }
  return answering(workflow, order, { places, live });
}

function answering(
  workflow: Workflow,
  order: readonly string[],
  { places, live }: { places: ReadonlyMap<string, Here>; live: ReadonlyMap<string, ReadonlySet<string>> },
): Live {
  // The order of the definition keeps keys comparable.
  const sorted = (names: ReadonlySet<string>): readonly string[] => order.filter((name) => names.has(name));
  const own = new Map([...live].map(([place, names]) => [place, sorted(names)]));
  const whole = new Map<string, Set<string>>();
  for (const [place, { state }] of places)
    whole.set(state, new Set([...(whole.get(state) ?? []), ...(live.get(place) ?? [])]));
  const all = new Map([...whole].map(([state, names]) => [state, sorted(names)]));
  const isTold = usesOrigin(workflow);
  return {
    in: (state) => all.get(state) ?? [],
    at: ({ state, frames }) => {
      const frame = isTold ? frames.at(-1) : undefined;
      const place = frame?.state === state ? placeName(state, frame.from) : state;
      return (isTold ? own : all).get(place) ?? all.get(state) ?? [];
    },
  };
}

function placeName(state: string, origin: string): string {
  return origin === "" ? state : `${state}<${origin}`;
}

function placesOf({ definition, movesFrom }: Workflow): ReadonlyMap<string, Here> {
  const remembered = definition.moves.flatMap(({ from, to, remember }) =>
    remember ? [{ state: to, origin: from }] : [],
  );
  const plain = Object.keys(definition.states).map((state) => ({ state, origin: "" }));
  return new Map(
    [...plain, ...remembered].map(({ state, origin }) => [
      placeName(state, origin),
      { state, origin, moves: (movesFrom[state] ?? []).filter((move) => mayBeOpen(move, origin)) },
    ]),
  );
}

/** A way back is read also where nothing is remembered: it is no way out, and it is told as such. */
function mayBeOpen({ when }: Move, origin: string): boolean {
  return when.every((condition) => condition.type !== "origin" || condition.in.includes(origin));
}

/** Who goes back to a question finds it as it was: it still remembers, and nobody here knows what. */
function landingsOf(
  places: ReadonlyMap<string, Here>,
  here: Here,
  { move, to }: { move: Move; to: string },
): readonly string[] {
  if (move.remember) return [placeName(to, here.state)];
  if (to !== here.origin) return [to];
  return [...places].flatMap(([name, { state }]) => (state === to ? [name] : []));
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
  const there = { state: move.to, origin: "", moves: [] };
  return isAnswered ? artifactsReadIn(workflow, there).filter((name) => !own.has(name)) : [];
}

function implies(own: Condition, other: Condition): boolean {
  return (
    own.type === "artifact" &&
    other.type === "artifact" &&
    own.artifact === other.artifact &&
    own.in.every((standing) => other.in.includes(standing))
  );
}

function conditionsIn(workflow: Workflow, { state, moves }: Here): Condition[] {
  const claims = workflow.definition.assertions.filter((assertion) => assertion.in.includes(state));
  return [
    ...moves.flatMap((move) => move.when),
    ...claims.flatMap((claim) => [...claim.when, ...claim.unless].flat()),
  ];
}

function artifactsReadIn(workflow: Workflow, here: Here): string[] {
  const direct = [
    ...here.moves.flatMap((move) => move.need),
    ...conditionsIn(workflow, here).flatMap((condition) =>
      "artifact" in condition ? [condition.artifact] : [],
    ),
  ];
  // A fan-out takes its members from another artifact.
  // So does what an artifact is bound to: its change makes the artifact stale.
  return closure(direct, (name) => {
    const artifact = workflow.definition.artifacts[name];
    const lists = [artifact?.each, artifact?.every].flatMap((from) =>
      from === undefined ? [] : [from.artifact],
    );
    const reader = artifact?.reader;
    const named = reader?.type === "files" && "tasks" in reader ? [reader.tasks] : [];
    return [...(artifact?.bind ?? []), ...lists, ...named];
  });
}

function countersReadIn(workflow: Workflow, here: Here): string[] {
  const { ends, asks, states } = workflow.definition;
  const ask = states[here.state]?.ask;
  return [
    ...here.moves.flatMap((move) => move.count),
    ...conditionsIn(workflow, here).flatMap((condition) =>
      condition.type === "counter" ? [condition.counter] : [],
    ),
    ...ends.flatMap((end) => (end.in === here.state && end.count !== undefined ? [end.count] : [])),
    ...(ask === undefined ? [] : [asks[ask]?.reask ?? ""]),
  ];
}

/** All that these lead to, themselves included. */
function closure(names: readonly string[], next: (name: string) => readonly string[]): string[] {
  const all = new Set(names);
  for (const name of all) for (const other of next(name)) all.add(other);
  return [...all];
}
