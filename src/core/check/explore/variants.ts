/** The parameter values that a definition is checked with. */

import type { Workflow } from "../../model/compile.ts";
import { SEVERITIES } from "../../model/verdict.ts";
import type { Literal, ParamValues } from "../../model/value.ts";
import { type Action, type Condition, type Move, ORIGIN, type Param, START } from "../../model/workflow.ts";
import { conditionsOf, fieldCombinations } from "./outcomes.ts";

/**
 * Every value of the parameters that guards read, each with all other numbers at their default, minimum and maximum: a budget may
 * be too small for its consequences, or larger than another one that closes the same move.
 *
 * If something is switched off, or only the end differs, the numbers are at their minimum and at one: a loop that a budget of one
 * bounds is bounded for every budget, and the worst case is a run with everything on.
 */
export function variantsOf(workflow: Workflow): ParamValues[] {
  const params = Object.entries(workflow.definition.params);
  const guarded = readParams(workflow);
  let choices: ParamValues[] = [{}];
  for (const [name, param] of params) {
    const values = guarded.has(name) ? valuesOf(param, guarded.get(name) ?? []) : [lenient(workflow, name)];
    choices = choices.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  const switches = [...switchesOf(workflow)].filter((name) => guarded.has(name));
  const late = lateParams(workflow);
  const isOn = (chosen: ParamValues): boolean => switches.every((name) => chosen[name] === true);
  const isUsual = (chosen: ParamValues): boolean =>
    late.every((name) => chosen[name] === workflow.definition.params[name]?.default);
  const isWhole = (chosen: ParamValues): boolean => isOn(chosen) && isUsual(chosen);
  // How a run ends does not depend on what was switched off before.
  choices = choices.filter((chosen) => isOn(chosen) || isUsual(chosen));
  const distinct = new Map(
    choices.map((chosen) => [`${isWhole(chosen)} ${meaningOf(workflow, chosen)}`, chosen]),
  );
  const bounding = boundsIn(workflow);
  const budgets = params.flatMap(([name, param]) =>
    param.type === "int" && !guarded.has(name) && bounding.has(name) ? [{ name, param }] : [],
  );
  const set = (amount: (param: Int) => number): ParamValues =>
    Object.fromEntries(budgets.map(({ name, param }) => [name, amount(param)]));
  const least = set(({ min }) => min);
  const one = set(({ min, max }) => Math.min(Math.max(min, 1), max));
  const usual = [set((param) => param.default), least, set(({ max }) => max)];
  const all = [...distinct.values()].flatMap((chosen) =>
    (isWhole(chosen) ? usual : [least, one]).map((amounts) => ({ ...chosen, ...amounts })),
  );
  return [...new Map(all.map((values) => [JSON.stringify(values), values])).values()];
}

/**
 * Numbers that bound a counter or a fan-out. No step reads other numbers: for example, the engine enforces time limits of agents.
 */
function boundsIn({ definition }: Workflow): ReadonlySet<string> {
  const bounds = [
    ...Object.values(definition.counters).map(({ max }) => max),
    ...Object.values(definition.artifacts).map(({ each }) => each?.max ?? 0),
  ];
  return new Set(bounds.flatMap((bound) => (typeof bound === "object" ? [bound.param] : [])));
}

type Int = Extract<Param, { type: "int" }>;

/** More combinations cannot be explored one by one. */
const COMBINATIONS_MAX = 4096;

export function isBeyondCounting(workflow: Workflow): boolean {
  const guarded = readParams(workflow);
  let count = 1;
  for (const [name, told] of guarded) {
    const param = workflow.definition.params[name];
    if (param !== undefined) count *= valuesOf(param, told).length;
  }
  const artifacts = Object.entries(workflow.definition.artifacts);
  return (
    count > COMBINATIONS_MAX ||
    artifacts.some(([name, artifact]) => fieldCombinations(workflow, name, artifact) > COMBINATIONS_MAX)
  );
}

/** Parameters that a guard, an assertion or a threshold reads, with the values that they are compared with. */
function readParams(workflow: Workflow): Map<string, Literal[]> {
  const read = new Map<string, Literal[]>();
  for (const condition of conditionsOf(workflow)) {
    if (condition.type === "param")
      read.set(condition.param, [...(read.get(condition.param) ?? []), ...condition.in]);
  }
  for (const param of thresholdsOf(workflow, tellsNotes(workflow))) if (!read.has(param)) read.set(param, []);
  return read;
}

/** Parameters with the severity that blocks. */
function thresholdsOf(workflow: Workflow, isMeant: (artifact: string) => boolean): string[] {
  return Object.entries(workflow.definition.artifacts).flatMap(([name, { block }]) =>
    typeof block === "object" && isMeant(name) ? [block.param] : [],
  );
}

/** Whether a guard distinguishes a verdict with notes from one without: only then does it matter which issues are notes. */
function tellsNotes(workflow: Workflow): (artifact: string) => boolean {
  const told = new Set(
    conditionsOf(workflow).flatMap((condition) =>
      condition.type === "artifact" &&
      condition.in.includes("pass") !== condition.in.includes("pass_with_notes")
        ? [condition.artifact]
        : [],
    ),
  );
  return (artifact) => told.has(artifact);
}

/** The default. For a threshold, the value that allows notes, because then a review can have every outcome. */
function lenient(workflow: Workflow, name: string): Literal {
  const param = workflow.definition.params[name];
  if (param?.type === "enum" && thresholdsOf(workflow, () => true).includes(name))
    return SEVERITIES.find((severity) => param.values.includes(severity)) ?? param.default;
  return param?.default ?? "";
}

function valuesOf(param: Param, told: readonly Literal[]): Literal[] {
  switch (param.type) {
    case "int": {
      // Numbers that no guard compares differ only in the budgets that they set.
      const known = [param.default, param.min, param.max, ...told];
      return [...new Set(known)].filter((value) => Number(value) >= param.min && Number(value) <= param.max);
    }
    case "enum":
      return [...param.values];
    case "bool":
      return [false, true];
    case "text":
      return [param.default];
  }
}

/** Parameters that only decide how a run ends: after their guards no agent starts, and nothing is counted. */
export function lateParams(workflow: Workflow): string[] {
  const { params, moves } = workflow.definition;
  return Object.keys(params).filter((name) => {
    const guarded = moves.filter((move) => isGuardedBy(move, name));
    return (
      guarded.length > 0 && guarded.every((move) => isNever(workflow, move) || isQuiet(workflow, move, name))
    );
  });
}

function isGuardedBy({ when }: Move, name: string): boolean {
  return when.some((condition) => condition.type === "param" && condition.param === name);
}

/**
 * Whether neither the move nor the engine's next moves start or count anything, and no other parameter decides there. An act of a
 * person starts a new section.
 */
function isQuiet(workflow: Workflow, first: Move, param: string): boolean {
  const { definition, movesFrom } = workflow;
  const seen = new Set<string>();
  const open = [first];
  for (const move of open) {
    if (move.count.length > 0 || move.do.some(isStart) || readsOther(workflow, move, param)) return false;
    const state = definition.states[move.to];
    if (state === undefined || state.enter.some(isStart)) return false;
    if (seen.has(move.to)) continue;
    seen.add(move.to);
    open.push(...(movesFrom[move.to] ?? []).filter(({ by }) => by.some((who) => who !== "human")));
  }
  return true;
}

/** Whether no run reaches the move with the parameters that the move requires. */
function isNever(workflow: Workflow, { from, when }: Move): boolean {
  return when.some(
    (condition) =>
      condition.type === "param" &&
      condition.in.every((value) => !reachedWith(workflow, { [condition.param]: value }).has(from)),
  );
}

/** Whether another parameter decides. A parameter that has the same value in all runs that reach the move decides nothing. */
function readsOther(workflow: Workflow, { from, when }: Move, param: string): boolean {
  return when.some((condition) => {
    if (condition.type !== "param" || condition.param === param) return false;
    const others = workflow.definition.params[condition.param]?.type === "bool" ? [true, false] : undefined;
    return (
      others?.some(
        (value) =>
          !condition.in.includes(value) && reachedWith(workflow, { [condition.param]: value }).has(from),
      ) ?? true
    );
  });
}

function isStart(action: Action): boolean {
  return action.type.startsWith("start") || action.type === "tell" || action.type === "run";
}

/**
 * Parameters that only switch something on: if one is false, a run skips what it would pass through otherwise.
 *
 * A run with everything on can do all that such a run does, and the skipped part as well, as long as that part needs no person.
 */
export function switchesOf(workflow: Workflow): ReadonlySet<string> {
  const { params, moves } = workflow.definition;
  const reach = new Map<string, ReadonlySet<string>>();
  const isPast = (from: string, to: string): boolean => {
    const known = reach.get(from) ?? reachedWithoutPeople(workflow, from);
    reach.set(from, known);
    return known.has(to);
  };
  const names = Object.keys(params).filter((name) => params[name]?.type === "bool");
  return new Set(
    names.filter((name) =>
      moves.every((move) => {
        if (!isOnly(move, name, false)) return true;
        const through = (workflow.movesFrom[move.from] ?? []).filter(
          (other) => isOnly(other, name, true) && other.answer === move.answer,
        );
        return move.to !== ORIGIN && through.some(({ to }) => isPast(to, move.to));
      }),
    ),
  );
}

function isOnly({ when }: Move, param: string, value: boolean): boolean {
  return when.some(
    (condition) => condition.type === "param" && condition.param === param && !condition.in.includes(!value),
  );
}

/** The states that a run can reach from here without waiting for a person. */
function reachedWithoutPeople(workflow: Workflow, from: string): ReadonlySet<string> {
  const { states } = workflow.definition;
  const reached = new Set([from]);
  for (const state of reached) {
    if (states[state]?.waits === true) continue;
    for (const { to, by, answer } of workflow.movesFrom[state] ?? [])
      if (answer === undefined && by.some((who) => who !== "human")) reached.add(to);
  }
  return reached;
}

/**
 * What a combination of parameters leaves of a definition: the remaining moves and assertions. Combinations with the same result
 * are explored once.
 */
function meaningOf(workflow: Workflow, choice: ParamValues): string {
  const { moves, assertions, params } = workflow.definition;
  const isTrue = (condition: Condition): boolean => isOpenWith(condition, choice);
  const open = moves.filter((move) => move.when.every(isTrue));
  const reached = reachedWith(workflow, choice);
  const claims = assertions
    .filter((claim) => claim.in.some((state) => reached.has(state)))
    .flatMap((claim) => [...claim.when, ...claim.unless].flat().map(isTrue));
  const others = Object.keys(choice).filter((name) => params[name]?.type !== "bool");
  return JSON.stringify([
    open.flatMap((move) => (reached.has(move.from) ? [workflow.ruleOf.get(move)] : [])),
    claims,
    // A number or a word may have a use besides guards: a budget, a threshold.
    others.map((name): Literal | undefined => choice[name]),
  ]);
}

/** States that runs with these parameters can reach by the moves alone. A missing parameter may have any value. The origin of a run is a state that it has visited. */
function reachedWith({ movesFrom }: Workflow, params: ParamValues): ReadonlySet<string> {
  const reached = new Set([START]);
  /** For each state that remembers its origin, the possible origins. */
  const origins = new Map<string, Set<string>>();
  const isOpen = ({ from, when }: Move): boolean =>
    when.every(
      (condition) =>
        isOpenWith(condition, params) &&
        (condition.type !== "origin" || condition.in.some((state) => isOrigin(origins.get(from), state))),
    );
  // A new way into a state may open moves of states that were examined before.
  for (let size = -1; size !== sizeOf(reached, origins);) {
    size = sizeOf(reached, origins);
    for (const state of reached) {
      for (const move of (movesFrom[state] ?? []).filter(isOpen)) {
        for (const to of move.to === ORIGIN ? (origins.get(state) ?? []) : [move.to]) {
          reached.add(to);
          if (move.remember) origins.set(to, (origins.get(to) ?? new Set<string>()).add(state));
        }
      }
    }
  }
  return reached;
}

/** Where nothing is remembered, the origin has no name. */
function isOrigin(known: ReadonlySet<string> | undefined, state: string): boolean {
  return state === "" || known?.has(state) === true;
}

function isOpenWith(condition: Condition, params: ParamValues): boolean {
  if (condition.type !== "param") return true;
  const value = params[condition.param];
  return value === undefined || condition.in.includes(value);
}

function sizeOf(reached: ReadonlySet<string>, origins: ReadonlyMap<string, ReadonlySet<string>>): number {
  return [...origins.values()].reduce((sum, { size }) => sum + size, reached.size);
}
