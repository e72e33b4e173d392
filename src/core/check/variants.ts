/** The parameter values a definition is checked with. */

import type { Workflow } from "../compile.ts";
import type { Literal, Param } from "../workflow.ts";
import type { Params } from "./explore.ts";
import { conditionsOf } from "./outcomes.ts";

/**
 * Every value of the parameters that guards read, each with all numbers at their default and with all at their least.
 * More than the least only makes budgets larger: a loop that a budget bounds is bounded at any value.
 */
export function variantsOf(workflow: Workflow): Params[] {
  const params = Object.entries(workflow.definition.params);
  const guarded = readParams(workflow);
  let choices: Params[] = [{}];
  for (const [name, param] of params) {
    const values = guarded.has(name) ? valuesOf(param, guarded.get(name) ?? []) : [param.default];
    choices = choices.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  const least = Object.fromEntries(
    params.flatMap(([name, param]) =>
      param.type === "int" && !guarded.has(name) ? [[name, param.min]] : [],
    ),
  );
  const isSame = Object.entries(least).every(
    ([name, value]) => workflow.definition.params[name]?.default === value,
  );
  return isSame ? choices : [...choices, ...choices.map((chosen) => ({ ...chosen, ...least }))];
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
