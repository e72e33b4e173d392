/** What a parameter takes, and where people set it. */

import type { Literal } from "./value.ts";
import type { Param } from "./workflow.ts";

export function takes(param: Param, value: Literal): boolean {
  switch (param.type) {
    case "int":
      return Number.isInteger(value) && Number(value) >= param.min && Number(value) <= param.max;
    case "enum":
      return param.values.some((known) => known === value);
    case "bool":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string";
  }
}

/** Whether the run itself says it: it is not for setting. */
export function isKept(param: Param): boolean {
  return param.type === "text" && param.kept === true;
}

/** Those that a run may be begun with, by their names. */
export function settable(params: Readonly<Record<string, Param>>): readonly string[] {
  return Object.entries(params).flatMap(([name, param]) => (isKept(param) ? [] : [name]));
}

/** In words, what it takes. */
export function sayTaken(param: Param): string {
  switch (param.type) {
    case "int":
      return `a whole number from ${param.min} to ${param.max}`;
    case "enum":
      return `one of ${param.values.join(", ")}`;
    case "bool":
      return "true or false";
    case "text":
      return "a text";
  }
}

/** The keys that lead to it in the settings of its workflow: its own name, unless the workflow says otherwise. */
export function settingOf(name: string, { setting }: Param): readonly string[] {
  return setting === undefined ? [name] : setting.split(".");
}
