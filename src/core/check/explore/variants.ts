/** The parameter values a definition is checked with. */

import type { Workflow } from "../../model/compile.ts";
import { SEVERITIES } from "../../model/verdict.ts";
import type { Literal } from "../../model/value.ts";
import type { Param } from "../../model/workflow.ts";
import type { Params } from "./explore.ts";
import { conditionsOf, fieldCombinations } from "./outcomes.ts";
import { lateParams } from "./late.ts";
import { meaningOf, switchesOf } from "./switches.ts";

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
