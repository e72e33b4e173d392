/** Gates that wait for results of ordered effects: a check, child runs, a commit. */

import type { Workflow } from "../../model/compile.ts";
import { FACTS } from "../../model/vocabulary.ts";
import type { Artifact } from "../../model/artifact.ts";
import { ORIGIN, type Action, type Move } from "../../model/workflow.ts";
import type { Defect } from "../defect.ts";

/** For each state, the results that were ordered on some path to it. */
export type OrderedResults = ReadonlyMap<string, ReadonlySet<string>>;

export function checkOrders(workflow: Workflow): Defect[] {
  const names = Object.entries(workflow.definition.artifacts).flatMap(([name, { reader }]) =>
    reader.type === "check" || reader.type === "children" || deedBehind(reader) !== undefined ? [name] : [],
  );
  if (names.length === 0) return [];
  const some = orderedIn(workflow);
  const all = orderedOnAllWays(workflow, names);
  return names.flatMap((name) => [
    ...neverOrdered(workflow, some, name),
    ...notOnEveryWay(workflow, { some, all }, name),
  ]);
}

function neverOrdered(workflow: Workflow, ordered: OrderedResults, name: string): Defect[] {
  const move = workflow.definition.moves.find(
    (each) => waitsFor(each, name) && ordered.get(each.from)?.has(name) === false,
  );
  if (move === undefined) return [];
  const message = `${move.from} to ${move.to} needs ${name}, but nothing on the way to ${move.from} ${deedOf(workflow, name)}`;
  return [{ code: "no-producer", at: move.at, message, trace: [] }];
}

/** A path into the state neither orders the result nor brings a result that is still valid. */
function notOnEveryWay(
  workflow: Workflow,
  orders: { some: OrderedResults; all: OrderedResults },
  name: string,
): Defect[] {
  const { moves, states } = workflow.definition;
  return moves
    .filter((entry) => {
      const state = states[entry.to];
      if (state === undefined || state.waits || orders.some.get(entry.to)?.has(name) !== true) return false;
      const isAwaited = moves.some(
        (move) => move.from === entry.to && move.by.includes("engine") && waitsFor(move, name),
      );
      return (
        isAwaited && !isMissed(moves, entry.to, name) && !broughtBy(workflow, entry, orders.all).has(name)
      );
    })
    .map((entry) => {
      const anew = renewedBy(workflow, entry).includes(name) ? " anew" : "";
      const message = `${entry.to} needs ${name}${anew}, but on this way to ${entry.to} nothing ${deedOf(workflow, name)}`;
      return { code: "no-producer", at: entry.at, message, trace: [] };
    });
}

/** A state with a move for the missing result does not wait for the result. */
function isMissed(moves: readonly Move[], state: string, name: string): boolean {
  return moves.some(
    (move) =>
      move.from === state &&
      move.by.includes("engine") &&
      move.when.some(
        (condition) =>
          condition.type === "artifact" && condition.artifact === name && condition.in.includes("missing"),
      ),
  );
}

/** Results that are certainly ordered when the move has been taken. */
function broughtBy(workflow: Workflow, move: Move, all: OrderedResults): Set<string> {
  const renewed = new Set(renewedBy(workflow, move));
  const before = [...(all.get(move.from) ?? [])].filter((name) => !renewed.has(name));
  return new Set([...before, ...orderedBy(workflow, move)]);
}

/** For each state, the results that were ordered on every path to it. */
function orderedOnAllWays(workflow: Workflow, names: readonly string[]): OrderedResults {
  const { states, moves } = workflow.definition;
  const all = new Map(Object.keys(states).map((state) => [state, new Set(names)]));
  let changed = true;
  while (changed) {
    changed = false;
    for (const move of moves) {
      const targets = move.to === ORIGIN ? originsOf(moves, move) : [move.to];
      for (const target of targets) {
        const brought = broughtBy(workflow, { ...move, to: target }, all);
        for (const name of all.get(target) ?? []) {
          if (brought.has(name)) continue;
          all.get(target)?.delete(name);
          changed = true;
        }
      }
    }
  }
  return all;
}

function deedOf(workflow: Workflow, name: string): string {
  const reader = workflow.definition.artifacts[name]?.reader;
  const deed = reader === undefined ? undefined : deedBehind(reader);
  if (deed !== undefined) return `performs ${deed}`;
  if (reader?.type !== "children") return `runs ${name}`;
  return reader.only === undefined ? `starts the tasks of ${reader.tasks}` : `starts the run of ${name}`;
}

/** The effect whose result the fact is; undefined for a fact that needs no order. */
function deedBehind(reader: Artifact["reader"]): string | undefined {
  return reader.type === "fact" ? FACTS[reader.fact]?.deed : undefined;
}

/**
 * For each state, results that may have been ordered on some path to it and may still arrive. Child runs report their result only
 * where they were started.
 */
export function dueIn(workflow: Workflow): OrderedResults {
  const { artifacts } = workflow.definition;
  return spread(workflow, (name) => artifacts[name]?.reader.type !== "children");
}

/** A result arrives only after its effect was ordered. An effect that is never ordered is a separate defect. */
export function isTooEarly(
  { definition }: Workflow,
  name: string,
  at: { ordered: OrderedResults; state: string },
): boolean {
  const reader = definition.artifacts[name]?.reader;
  const isTold =
    reader?.type === "check" ||
    reader?.type === "children" ||
    (reader !== undefined && deedBehind(reader) !== undefined);
  if (!isTold || at.ordered.get(at.state)?.has(name) === true) return false;
  return [...at.ordered.values()].some((names) => names.has(name));
}

function orderedIn(workflow: Workflow): OrderedResults {
  return spread(workflow, () => true);
}

/** `stays`: a result that was ordered in one state may also arrive in a later one. */
function spread(workflow: Workflow, stays: (name: string) => boolean): OrderedResults {
  const { states, moves } = workflow.definition;
  const ordered = new Map(Object.keys(states).map((state) => [state, new Set<string>()]));
  let changed = true;
  while (changed) {
    changed = false;
    for (const move of moves) {
      const renewed = new Set(renewedBy(workflow, move));
      const before = [...(ordered.get(move.from) ?? [])].filter((name) => !renewed.has(name) && stays(name));
      for (const target of move.to === ORIGIN ? originsOf(moves, move) : [move.to]) {
        const set = ordered.get(target);
        for (const name of [...before, ...orderedBy(workflow, { ...move, to: target })]) {
          if (set === undefined || set.has(name)) continue;
          set.add(name);
          changed = true;
        }
      }
    }
  }
  return ordered;
}

function originsOf(moves: readonly Move[], back: Move): string[] {
  return moves.flatMap((move) => (move.to === back.from && move.remember ? [move.from] : []));
}

function renewedBy(workflow: Workflow, move: Move): string[] {
  return ["entry", move.to, ...move.renew, ...move.count].flatMap(
    (scope) => workflow.artifactsPer[scope] ?? [],
  );
}

/** Results ordered by a move, by the state that it enters, and by the ends of agents in that state. */
function orderedBy(workflow: Workflow, move: Move): string[] {
  const { states, ends, artifacts } = workflow.definition;
  const deaths = ends.flatMap((end) => (end.in === move.to ? [...end.then, ...end.do] : []));
  const actions: readonly Action[] = [...move.do, ...(states[move.to]?.enter ?? []), ...deaths];
  return actions.flatMap((action) => {
    if (action.type === "run") return [action.check];
    return Object.entries(artifacts).flatMap(([name, { reader }]) =>
      isOrdered(reader, action) ? [name] : [],
    );
  });
}

function isOrdered(reader: Artifact["reader"], action: Action): boolean {
  if (action.type === "perform") return deedBehind(reader) === action.name;
  return action.type === "start-tasks" && reader.type === "children" && reader.tasks === action.artifact;
}

function waitsFor(move: Move, name: string): boolean {
  return (
    move.need.includes(name) ||
    move.when.some(
      (condition) =>
        condition.type === "artifact" &&
        condition.artifact === name &&
        !condition.in.includes("missing") &&
        !condition.in.includes("stale"),
    )
  );
}
