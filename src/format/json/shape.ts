/** Checks data against the shape that a workflow declares. */

import type { Path } from "../problem.ts";
import type { Shape } from "../../core/model/artifact.ts";
import { isBlank } from "../../core/text/blank.ts";
import type { Literal } from "../../core/model/value.ts";
import { quote } from "../reading/finding.ts";

export type ShapeMisfit = { readonly path: Path; readonly reason: string; readonly atKey?: boolean };

export function misfits(shape: Shape, data: unknown, path: Path = []): readonly ShapeMisfit[] {
  switch (shape.type) {
    case "text":
    case "number":
    case "boolean":
      return ofScalar(shape, data, path);
    case "list": {
      if (!Array.isArray(data)) return [{ path, reason: `${nameOf(path)} must be a list` }];
      const items: readonly unknown[] = data;
      const least = shape.min ?? 0;
      const few =
        items.length < least ? [{ path, reason: `${nameOf(path)} must have at least ${least} members` }] : [];
      // A list with a minimum length does not count blank texts.
      const wanted = least > 0 && shape.of.type === "text";
      return [
        ...few,
        ...items.flatMap((item, index) => {
          const at = [...path, index];
          if (wanted && typeof item === "string" && isBlank(item))
            return [{ path: at, reason: `${nameOf(at)} is empty` }];
          return misfits(shape.of, item, at);
        }),
      ];
    }
    case "object":
      if (!isObject(data)) return [{ path, reason: `${nameOf(path)} must be an object` }];
      return ofObject(shape, data, path);
  }
}

function ofScalar(
  shape: Extract<Shape, { type: "text" | "number" | "boolean" }>,
  data: unknown,
  path: Path,
): readonly ShapeMisfit[] {
  // A parameter without a resolved value allows nothing.
  const { type, is, values = is === undefined ? undefined : [] } = shape;
  if (typeof data !== (type === "text" ? "string" : type) || (type === "number" && !Number.isFinite(data))) {
    return [{ path, reason: `${nameOf(path)} must be a ${type}` }];
  }
  if (values !== undefined && !values.some((one) => one === data)) {
    return [{ path, reason: `${nameOf(path)} is ${quote(String(data))}; ${allowedIn(values)}` }];
  }
  return typeof data === "string" ? ofBeginning(shape.begins, data, path) : [];
}

function ofBeginning(
  begins: readonly string[] | undefined,
  text: string,
  path: Path,
): readonly ShapeMisfit[] {
  if (begins === undefined) return [];
  const word = begins.find((each) => text.startsWith(each));
  if (word === undefined)
    return [{ path, reason: `${nameOf(path)} must begin with ${begins.map(quote).join(" or ")}` }];
  return isBlank(text.slice(word.length))
    ? [{ path, reason: `${nameOf(path)} says nothing after ${quote(word)}` }]
    : [];
}

function allowedIn(values: readonly Literal[]): string {
  const [only] = values;
  if (values.length !== 1 || only === undefined) return `allowed are ${values.join(", ")}`;
  return `it must be ${typeof only === "string" ? quote(only) : only}`;
}

/** An optional key without a value counts as missing; so does a required text that is empty. */
function ofObject(
  shape: Extract<Shape, { type: "object" }>,
  data: Readonly<Record<string, unknown>>,
  path: Path,
): readonly ShapeMisfit[] {
  const has = (key: string) => Object.hasOwn(data, key);
  const missing = Object.keys(shape.required)
    .filter((key) => !has(key))
    .map((key) => ({ path, reason: `${nameOf([...path, key])} is missing` }));
  const unknown = Object.keys(data)
    .filter(
      (key) => !shape.open && !Object.hasOwn(shape.required, key) && !Object.hasOwn(shape.optional, key),
    )
    .map((key) => ({ path: [...path, key], reason: `the key ${quote(key)} is unknown`, atKey: true }));
  const required = Object.entries(shape.required)
    .filter(([key]) => has(key))
    .flatMap(([key, inner]) => {
      const value = data[key];
      const empty = inner.type === "text" && typeof value === "string" && isBlank(value);
      if (empty) return [{ path: [...path, key], reason: `${nameOf([...path, key])} is empty` }];
      return misfits(inner, value, [...path, key]);
    });
  const optional = Object.entries(shape.optional)
    .filter(([key]) => has(key) && data[key] !== null)
    .flatMap(([key, inner]) => misfits(inner, data[key], [...path, key]));
  return [...missing, ...unknown, ...required, ...optional];
}

export function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

export function nameOf(path: Path): string {
  if (path.length === 0) return "the file";
  return quote(
    path
      .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${part}`))
      .join(""),
  );
}

export function pathOf(dotted: string): Path {
  return dotted.split(".");
}

export function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
