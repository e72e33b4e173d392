/** Parameters: the values that a run may be started with, and the places of the file that use them. */

import type { Path } from "../../problem.ts";
import { SEVERITIES } from "../../../core/model/verdict.ts";
import type { Value } from "../../../core/model/value.ts";
import type { Param } from "../../../core/model/workflow.ts";
import { listOf, report, requireActors, requireName, type BuildContext } from "./context.ts";
import type { WorkflowFile } from "../schema/schema.ts";
import { present } from "../../present.ts";

export type DeclaredParams = Readonly<Record<string, Param>>;

/** The context of the build, and the parameters that values may refer to. */
export type ParamScope = { readonly context: BuildContext; readonly params: DeclaredParams };

type ParamFile = NonNullable<WorkflowFile["params"]>[string];

export function buildParam(context: BuildContext, param: ParamFile, path: Path): Param {
  const { setting } = param;
  return { ...kindOf(context, param, path), ...(setting === undefined ? {} : { setting }) };
}

function kindOf(context: BuildContext, param: ParamFile, path: Path): Param {
  if ("int" in param) {
    const [min, max] = param.int;
    if (min > max)
      report(context, context.placeOf([...path, "int"]), {
        code: "bad-param",
        message: `${min} is more than ${max}`,
      });
    if (param.default < min || param.default > max)
      report(context, context.placeOf([...path, "default"]), {
        code: "bad-param",
        message: `the default ${param.default} is not between ${min} and ${max}`,
      });
    return { type: "int", min, max, default: param.default };
  }
  if ("enum" in param) {
    requireName(context, {
      kind: "value",
      name: param.default,
      known: param.enum,
      path: [...path, "default"],
    });
    const { about } = param;
    for (const name of Object.keys(about ?? {}))
      requireName(context, { kind: "value", name, known: param.enum, path: [...path, "about", name] });
    return {
      type: "enum",
      values: param.enum,
      default: param.default,
      ...(about === undefined ? {} : { about }),
    };
  }
  if ("bool" in param) return { type: "bool", default: param.bool };
  requireActors(context, param.set, [...path, "set"]);
  requireSource(context, param, path);
  requireUnset(context, param, path);
  const { named, kept, identifies } = param;
  return {
    type: "text",
    default: param.text,
    set: listOf(param.set),
    ...present({ named, kept, identifies }),
  };
}

/** A parameter that the run itself sets cannot be set elsewhere. The name of a run does not change. */
function requireUnset(context: BuildContext, param: Extract<ParamFile, { text: string }>, path: Path): void {
  for (const key of ["set", "named", "setting", "kept"] as const)
    if (param.identifies !== undefined && param[key] !== undefined)
      report(context, context.keyPlaceOf([...path, key]), {
        code: "bad-param",
        message: `"identifies" and "${key}" do not go together: the name of a run is typed when it begins`,
      });
  if (param.kept === undefined) return;
  for (const key of ["set", "named", "setting"] as const)
    if (param[key] !== undefined)
      report(context, context.keyPlaceOf([...path, key]), {
        code: "bad-param",
        message: `"kept" and "${key}" do not go together: what the run itself says is not for setting`,
      });
}

/** A name is generated once, at the start of a run, from a text that is known then. */
function requireSource(context: BuildContext, param: Extract<ParamFile, { text: string }>, path: Path): void {
  const { named, text, set } = param;
  const [, own] = path;
  if (named === undefined) return;
  const wrong = (message: string, at: string): void =>
    report(context, context.placeOf([...path, at]), { code: "bad-param", message });
  if (text !== "") wrong(`it is named only where it is empty, and the default is "${text}"`, "text");
  if (set !== undefined) wrong("a name is generated when the run begins and never changes", "set");
  if (named === own) wrong("it cannot be a name of itself", "named");
  requireName(context, { kind: "parameter", name: named, path: [...path, "named"] });
}

type ValueSite = {
  readonly as: "text" | "int" | "bool" | "severity" | "any";
  readonly path: Path;
  /** The problem code for a parameter of another type. */
  readonly code?: string;
};

const PARAM = /^\$[A-Za-z][A-Za-z0-9_]*$/;

/** A constant, or a parameter with a dollar sign. */
export function paramOr<T extends string | number>(scope: ParamScope, value: T, wanted: ValueSite): Value<T> {
  const { context, params } = scope;
  if (typeof value !== "string" || !/\$[\w{]/.test(value)) return value;
  const { path, code = "bad-param" } = wanted;
  const param = value.slice(1);
  if (!PARAM.test(value)) {
    const message = `"${value}" is not a parameter: name one alone, like $name (letters, digits and _), and put the rest into its value`;
    report(context, context.placeOf(path), { code, message });
    return value;
  }
  requireName(context, { kind: "parameter", name: param, path });
  const declared = context.isTroubled(["params", param]) ? undefined : params[param];
  const message = declared === undefined ? undefined : misfit(value, declared, wanted.as);
  if (message !== undefined) report(context, context.placeOf(path), { code, message });
  return { param };
}

function misfit(name: string, param: Param, as: ValueSite["as"]): string | undefined {
  switch (as) {
    case "text":
      return param.type === "text" || param.type === "enum" ? undefined : `${name} is not a text`;
    case "any":
      return undefined;
    case "int":
      return param.type === "int" ? undefined : `${name} is not a whole number`;
    case "bool":
      return param.type === "bool" ? undefined : `${name} is neither true nor false`;
    case "severity": {
      const known = SEVERITIES.join(", ");
      if (param.type !== "enum") return `${name} must be an enum of severities: ${known}`;
      const other = param.values.find((value) => !SEVERITIES.some((severity) => severity === value));
      return other === undefined
        ? undefined
        : `${name} may be "${other}", which is not a severity; these are: ${known}`;
    }
  }
}
