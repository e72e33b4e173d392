/** The parameter values a definition is checked with. */

import type { Workflow } from "../compile.ts";
import type { Literal, Param } from "../workflow.ts";
import type { Params } from "./explore.ts";

/**
 * Every value of the parameters that guards read, each with all numbers at their default and with all at their least.
 * More than the least only makes budgets larger: a loop that a budget bounds is bounded at any value.
 */
export function variantsOf(workflow: Workflow): Params[] {
  const params = Object.entries(workflow.definition.params);
  const guarded = new Set(
    workflow.definition.moves.flatMap((move) =>
      move.when.flatMap((condition) => (condition.type === "param" ? [condition.param] : [])),
    ),
  );
  let choices: Params[] = [{}];
  for (const [name, param] of params) {
    const values = guarded.has(name) ? valuesOf(param) : [param.default];
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

function valuesOf(param: Param): Literal[] {
  switch (param.type) {
    case "int":
      return Array.from({ length: param.max - param.min + 1 }, (_, index) => param.min + index);
    case "enum":
      return [...param.values];
    case "bool":
      return [false, true];
    case "text":
      return [param.default];
  }
}
