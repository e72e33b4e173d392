/** Builds the shapes of JSON, YAML and front matter from the file. */

import type { Path } from "../../problem.ts";
import type { Shape } from "../../../core/model/artifact.ts";
import type { Literal } from "../../../core/model/value.ts";
import { report, type BuildContext } from "../build/context.ts";
import { paramOr, type ParamScope } from "../build/params.ts";

type ShapeFile =
  | "text"
  | "number"
  | "boolean"
  | readonly Literal[]
  | { list: ShapeFile; min?: number }
  | { begins: readonly string[] }
  | { object: Record<string, ShapeFile>; open?: boolean };

export function shapeOf(scope: ParamScope, raw: unknown, path: Path): Shape {
  // The schema has validated the shape.
  const shape = raw as ShapeFile;
  if (typeof shape === "string") return { type: shape };
  if (isLiterals(shape)) return scalarOf(scope, shape, path);
  if ("list" in shape) {
    const min = shape.min === undefined ? {} : { min: shape.min };
    return { type: "list", of: shapeOf(scope, shape.list, [...path, "list"]), ...min };
  }
  if ("begins" in shape) return { type: "text", begins: shape.begins };
  const entries = Object.entries(shape.object).map(
    ([key, inner]) => [key, shapeOf(scope, inner, [...path, "object", key])] as const,
  );
  const pick = (optional: boolean): Record<string, Shape> =>
    Object.fromEntries(
      entries
        .filter(([key]) => key.endsWith("?") === optional)
        .map(([key, inner]) => [key.replace(/\?$/, ""), inner]),
    );
  return { type: "object", required: pick(false), optional: pick(true), open: shape.open ?? false };
}

/** Allowed values; a parameter must be the only one, and allows its own value. */
function scalarOf(scope: ParamScope, values: readonly Literal[], path: Path): Shape {
  const at = values.findIndex((value) => typeof value === "string" && value.startsWith("$"));
  const is = at === -1 ? undefined : paramOr(scope, String(values[at]), { as: "any", path: [...path, at] });
  if (typeof is !== "object") return { type: kindOf(scope.context, values, path), values };
  if (values.length > 1)
    report(scope.context, scope.context.placeOf([...path, at]), {
      code: "bad-artifact",
      message: `$${is.param} must stand alone: it is the only value that is allowed`,
    });
  const declared = scope.params[is.param];
  return { type: declared === undefined ? "text" : KINDS[declared.type], is };
}

const KINDS = { text: "text", enum: "text", int: "number", bool: "boolean" } as const;

function isLiterals(shape: ShapeFile): shape is readonly Literal[] {
  return Array.isArray(shape);
}

/** Guards can compare a field only if all its values have one type. */
function kindOf(
  context: BuildContext,
  values: readonly Literal[],
  path: Path,
): "text" | "number" | "boolean" {
  const kinds = [...new Set(values.map(kindOfValue))];
  if (kinds.length > 1) {
    const message = `these are values of several kinds: ${kinds.join(", ")}`;
    report(context, context.placeOf(path), { code: "bad-artifact", message });
  }
  return kinds[0] ?? "text";
}

export function kindOfValue(value: Literal): "text" | "number" | "boolean" {
  if (typeof value === "string") return "text";
  return typeof value === "number" ? "number" : "boolean";
}
