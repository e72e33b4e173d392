/** Which values a parameter accepts, and which setting sets it. */

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

/** Whether only the run itself sets the parameter. */
export function isKept(param: Param): boolean {
  return param.type === "text" && param.kept === true;
}

/** The parameters that a caller may set when a run starts. */
export function settable(params: Readonly<Record<string, Param>>): readonly string[] {
  return Object.entries(params).flatMap(([name, param]) => (isKept(param) ? [] : [name]));
}

/** Describes the accepted values in words. */
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

/** The path of keys in the settings of the workflow: the parameter's own name unless the workflow declares another one. */
export function settingOf(name: string, { setting }: Param): readonly string[] {
  return setting === undefined ? [name] : setting.split(".");
}
