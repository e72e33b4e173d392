/** The parameter values a definition is checked with. */

import type { Workflow } from "../../model/compile.ts";
import { SEVERITIES } from "../../model/verdict.ts";
import type { Literal } from "../../model/value.ts";
import { type Param, type Action, type Move, ORIGIN, type Condition } from "../../model/workflow.ts";
import type { Params } from "./explore.ts";
import { conditionsOf, fieldCombinations } from "./outcomes.ts";
import { reachedWith, isOpenWith } from "./reach.ts";

/**
 * Every value of the parameters that guards read, each with all other numbers at their default, at their least and at their
 * most: a budget may be too small for what follows from it, or larger than another that shuts the same move.
 *
 * Where something is switched off, or only the end is another, the numbers are at their least and at one: what a budget of one bounds is bounded at any
 * size, and the worst case is that of a run with everything.
 */
export function variantsOf(workflow: Workflow): Params[] {
  const params = Object.entries(workflow.definition.params);
  const guarded = readParams(workflow);
  let choices: Params[] = [{}];
  for (const [name, param] of params) {
    const values = guarded.has(name) ? valuesOf(param, guarded.get(name) ?? []) : [lenient(workflow, name)];
    choices = choices.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  const switches = [...switchesOf(workflow)].filter((name) => guarded.has(name));
  const late = lateParams(workflow);
  const isOn = (chosen: Params): boolean => switches.every((name) => chosen[name] === true);
  const isUsual = (chosen: Params): boolean =>
    late.every((name) => chosen[name] === workflow.definition.params[name]?.default);
  const isWhole = (chosen: Params): boolean => isOn(chosen) && isUsual(chosen);
  // How a run comes to its end has nothing to do with what was switched off on its way.
  choices = choices.filter((chosen) => isOn(chosen) || isUsual(chosen));
  const distinct = new Map(
    choices.map((chosen) => [`${isWhole(chosen)} ${meaningOf(workflow, chosen)}`, chosen]),
  );
  const bounding = boundsIn(workflow);
  const budgets = params.flatMap(([name, param]) =>
    param.type === "int" && !guarded.has(name) && bounding.has(name) ? [{ name, param }] : [],
  );
  const set = (amount: (param: Int) => number): Params =>
    Object.fromEntries(budgets.map(({ name, param }) => [name, amount(param)]));
  const least = set(({ min }) => min);
  const one = set(({ min, max }) => Math.min(Math.max(min, 1), max));
  const usual = [set((param) => param.default), least, set(({ max }) => max)];
  const all = [...distinct.values()].flatMap((chosen) =>
    (isWhole(chosen) ? usual : [least, one]).map((amounts) => ({ ...chosen, ...amounts })),
  );
  return [...new Map(all.map((values) => [JSON.stringify(values), values])).values()];
}

/** Numbers that bound a counter or a fan-out. No step reads any other: how long an agent may take is for those who start it. */
function boundsIn({ definition }: Workflow): ReadonlySet<string> {
  const bounds = [
    ...Object.values(definition.counters).map(({ max }) => max),
    ...Object.values(definition.artifacts).map(({ each }) => each?.max ?? 0),
  ];
  return new Set(bounds.flatMap((bound) => (typeof bound === "object" ? [bound.param] : [])));
}

type Int = Extract<Param, { type: "int" }>;

/** More than this cannot be looked at one by one. */
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

/** Parameters that a guard, a claim or a threshold reads, with the values they are compared with. */
function readParams(workflow: Workflow): Map<string, Literal[]> {
  const read = new Map<string, Literal[]>();
  for (const condition of conditionsOf(workflow)) {
    if (condition.type === "param")
      read.set(condition.param, [...(read.get(condition.param) ?? []), ...condition.in]);
  }
  for (const param of thresholdsOf(workflow, tellsNotes(workflow))) if (!read.has(param)) read.set(param, []);
  return read;
}

/** Parameters that say which severities block. */
function thresholdsOf(workflow: Workflow, isMeant: (artifact: string) => boolean): string[] {
  return Object.entries(workflow.definition.artifacts).flatMap(([name, { block }]) =>
    typeof block === "object" && isMeant(name) ? [block.param] : [],
  );
}

/** Whether a guard tells a verdict with notes from one without: only then does it matter which issues are notes. */
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

/** The default; of a threshold the value with which there can be notes, because then a review comes out in every way it can. */
function lenient(workflow: Workflow, name: string): Literal {
  const param = workflow.definition.params[name];
  if (param?.type === "enum" && thresholdsOf(workflow, () => true).includes(name))
    return SEVERITIES.find((severity) => param.values.includes(severity)) ?? param.default;
  return param?.default ?? "";
}

function valuesOf(param: Param, told: readonly Literal[]): Literal[] {
  switch (param.type) {
    case "int": {
      // Numbers that nothing is compared with are all alike, but for the budgets they set.
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

/** Parameters that only decide how a run comes to its end: behind their guards no agent is started, and nothing is counted. */
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

/** Neither by itself nor by what the engine does next, and no other parameter decides there. What a person does begins a new stretch. */
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

/** Whether no run gets there with the parameters that it asks for. */
function isNever(workflow: Workflow, { from, when }: Move): boolean {
  return when.some(
    (condition) =>
      condition.type === "param" &&
      condition.in.every((value) => !reachedWith(workflow, { [condition.param]: value }).has(from)),
  );
}

/** Whether another parameter decides: a word about one that has the same value in all runs that get there decides nothing. */
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
 * Parameters that only switch something on: where one is false, a run goes past what it goes through where it is true.
 *
 * A run with everything on can do all that such a run does, and what lies between as well, as long as no person is needed for that.
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

/** Whether any run could get there that begins here and never waits for a person on its way. */
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

/** What a choice of parameters makes of a definition: the moves that are left, and the claims. Choices that make the same of it are one. */
function meaningOf(workflow: Workflow, choice: Params): string {
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
    // A number or a word may be more than a guard: a budget, a threshold.
    others.map((name): Literal | undefined => choice[name]),
  ]);
}
