/** The parameter values a definition is checked with. */

import type { Workflow } from "../compile.ts";
import type { Literal, Param } from "../workflow.ts";
import type { Params } from "./explore.ts";
import { conditionsOf, fieldCombinations } from "./outcomes.ts";

/**
 * Every value of the parameters that guards read, each with all other numbers at their default, at their least and at their
 * most: a budget may be too small for what follows from it, or larger than another that shuts the same move.
 */
export function variantsOf(workflow: Workflow): Params[] {
  const params = Object.entries(workflow.definition.params);
  const guarded = readParams(workflow);
  let choices: Params[] = [{}];
  for (const [name, param] of params) {
    const values = guarded.has(name) ? valuesOf(param, guarded.get(name) ?? []) : [param.default];
    choices = choices.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  const budgets = params.flatMap(([name, param]) =>
    param.type === "int" && !guarded.has(name) ? [{ name, param }] : [],
  );
  const extremes = (["default", "min", "max"] as const).map((end) =>
    Object.fromEntries(budgets.map(({ name, param }) => [name, param[end]])),
  );
  const all = choices.flatMap((chosen) => extremes.map((extreme) => ({ ...chosen, ...extreme })));
  return [...new Map(all.map((values) => [JSON.stringify(values), values])).values()];
}

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
  for (const { block } of Object.values(workflow.definition.artifacts)) {
    if (typeof block === "object" && !read.has(block.param)) read.set(block.param, []);
  }
  return read;
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
