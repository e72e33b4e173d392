/**
 * For each place of a run, what may still be read before it is reset: parameters, counters, and properties of artifacts.
 *
 * A value that is never read again makes no difference, so the checker drops it. This keeps the product small.
 */

import type { Workflow } from "../../model/compile.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Run } from "../../model/run.ts";
import type { Value } from "../../model/value.ts";
import { ORIGIN, type Condition, type Move } from "../../model/workflow.ts";
import { conditionsOf } from "./outcomes.ts";
import { placeName, placesOf, usesOrigin, type Here, type RunPlaces } from "./places.ts";
import { artifactsReadIn, conditionsIn, readsOf, type ArtifactRead, type ArtifactReads } from "./reads.ts";

/** The same object each time for the same place and the same parameters. */
export type ReadsAhead = {
  readonly params: readonly string[];
  readonly counters: readonly string[];
  readonly reads: readonly ArtifactRead[];
};

const NOTHING: ReadsAhead = { params: [], counters: [], reads: [] };

/** What may still be read in a run. Moves that its parameters exclude do not count. */
export function aheadOf(workflow: Workflow): (run: Run) => ReadsAhead {
  const reads = readsOf(workflow);
  const isTold = usesOrigin(workflow);
  const guards = guardParams(workflow);
  const byValues = new Map<string, ReadonlyMap<string, ReadsAhead>>();
  const byParams = new WeakMap<Run["params"], ReadonlyMap<string, ReadsAhead>>();
  const aheadWith = (params: Run["params"]): ReadonlyMap<string, ReadsAhead> => {
    const values = JSON.stringify(guards.map((name) => params[name]));
    const ahead = byValues.get(values) ?? compute({ workflow, reads }, params);
    byValues.set(values, ahead);
    byParams.set(params, ahead);
    return ahead;
  };
  return ({ state, frames, params }) => {
    const ahead = byParams.get(params) ?? aheadWith(params);
    const frame = isTold ? frames.at(-1) : undefined;
    return ahead.get(frame?.state === state ? placeName(state, frame.from) : state) ?? NOTHING;
  };
}

/** The artifacts that may still be read in a state, for any parameters and any origin, in the order of the definition. */
export function liveArtifacts(workflow: Workflow): (state: string) => readonly string[] {
  const reads = readsOf(workflow);
  const places = placesOf(workflow);
  const live = flow(places, reads.all, artifactsRead(workflow, reads));
  return (state) => {
    const names = new Set(
      [...places]
        .filter(([, here]) => here.state === state)
        .flatMap(([place]) => live.get(place) ?? [])
        .flatMap((read) => (read.type === "again" ? [] : [read.artifact])),
    );
    return Object.keys(workflow.definition.artifacts).filter((name) => names.has(name));
  };
}

function compute(
  { workflow, reads }: { workflow: Workflow; reads: ArtifactReads },
  params: Run["params"],
): ReadonlyMap<string, ReadsAhead> {
  const { definition } = workflow;
  const places = placesOf(workflow, params);
  const ahead = {
    params: flow(places, Object.keys(definition.params), paramsRead(workflow)),
    counters: flow(places, Object.keys(definition.counters), countersRead(workflow)),
    reads: flow(places, reads.all, artifactsRead(workflow, reads)),
  };
  return new Map(
    [...places.keys()].map((place) => [
      place,
      {
        params: ahead.params.get(place) ?? [],
        counters: ahead.counters.get(place) ?? [],
        reads: ahead.reads.get(place) ?? [],
      },
    ]),
  );
}

/** `across` returns what must be known before a move so that the value is known after it; nothing if the move resets it. */
type Flowing<T> = {
  read: (here: Here) => readonly T[];
  across: (move: Move, to: string) => (thing: T) => T | undefined;
};

/** In the given order, which keeps keys comparable. */
function flow<T>(
  places: RunPlaces,
  order: readonly T[],
  flowing: Flowing<T>,
): ReadonlyMap<string, readonly T[]> {
  const live = new Map([...places].map(([name, here]) => [name, new Set(flowing.read(here))]));
  type Edge = { readonly from: string; readonly before: (thing: T) => T | undefined };
  const into = new Map<string, Edge[]>([...places.keys()].map((name) => [name, []]));
  for (const [from, here] of places)
    for (const move of here.moves) {
      const to = move.to === ORIGIN ? here.origin : move.to;
      const before = flowing.across(move, to);
      for (const target of landingsOf(places, here, { move, to })) into.get(target)?.push({ from, before });
    }
  const due = [...live].flatMap(([place, things]) => [...things].map((thing) => ({ place, thing })));
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    for (const { from, before } of into.get(next.place) ?? []) {
      const thing = before(next.thing);
      const known = live.get(from);
      if (thing === undefined || known === undefined || known.has(thing)) continue;
      known.add(thing);
      due.push({ place: from, thing });
    }
  }
  return new Map([...live].map(([place, things]) => [place, order.filter((thing) => things.has(thing))]));
}

/** A move back to a question returns to a state that still remembers its origin, and the origin is not known here. */
function landingsOf(
  places: RunPlaces,
  here: Here,
  { move, to }: { move: Move; to: string },
): readonly string[] {
  const remembered = placeName(to, here.state);
  if (move.remember && places.has(remembered)) return [remembered];
  if (move.remember || to !== here.origin) return [to];
  return [...places].flatMap(([name, { state }]) => (state === to ? [name] : []));
}

/** Nothing changes the parameters that guards read. */
function paramsRead(workflow: Workflow): Flowing<string> {
  const { counters, artifacts } = workflow.definition;
  const nameIn = (value: Value): string[] => (typeof value === "object" ? [value.param] : []);
  // The status of a reading is computed again each time.
  const weighed = Object.values(artifacts).flatMap(({ block, each }) => [
    ...nameIn(block),
    ...nameIn(each?.max ?? 0),
  ]);
  return {
    read: (here) => [
      ...weighed,
      ...paramsIn([...conditionsIn(workflow, here), ...here.shut.flatMap(({ when }) => when)]),
      ...countersReadIn(workflow, here).flatMap((name) => nameIn(counters[name]?.max ?? 0)),
    ],
    across: () => (name) => name,
  };
}

function paramsIn(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((condition) => (condition.type === "param" ? [condition.param] : []));
}

function guardParams(workflow: Workflow): string[] {
  return [...new Set(paramsIn(conditionsOf(workflow)))];
}

function countersRead(workflow: Workflow): Flowing<string> {
  return {
    read: (here) => countersReadIn(workflow, here),
    across: (move, to) => {
      const begun = new Set(
        ["entry", to, ...move.renew].flatMap((scope) => workflow.countersPer[scope] ?? []),
      );
      return (name) => (begun.has(name) ? undefined : name);
    },
  };
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

function artifactsRead(workflow: Workflow, reads: ArtifactReads): Flowing<ArtifactRead> {
  const artifactsPer = (scope: string): readonly string[] => workflow.artifactsPer[scope] ?? [];
  return {
    read: (here) => reads.in(here),
    across: (move, to) => {
      const renewed = new Set([
        ...["entry", to, ...move.renew, ...move.count].flatMap(artifactsPer),
        ...move.waive,
      ]);
      const settled = new Set(settledBy(workflow, move));
      return (read) => {
        if (settled.has(read.artifact)) return undefined;
        return renewed.has(read.artifact) ? reads.whenRenewed(read) : read;
      };
    },
  };
}

/** A move into a final state whose own condition implies every assertion about that state: nothing else is read. */
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
  const own = new Set(artifactsIn({ need: [], when: move.when }));
  const there = { state: move.to, origin: "", moves: [], shut: [] };
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
