/** Converts validation issues of the schema to problems with a position, a reason and a suggestion. */

import type * as z from "zod/mini";
import { closest } from "../../../core/text/closest.ts";
import type { Problem, Path } from "../../problem.ts";

type Issue = z.core.$ZodIssue;
type ValuePlaces = {
  placeOf(path: Path): { file: string; line: number; col: number };
  keyPlaceOf(path: Path): { file: string; line: number; col: number };
};

/** An issue with its full path; for a union, the issue of the branch that the author meant. */
export type SchemaFinding = {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
  /** The unknown key, if the problem is a key and not a value. */
  readonly key?: string;
  readonly suggestion?: string;
  /** A required value is missing at the path. */
  readonly absent?: boolean;
};

export function findingsOf(schema: z.ZodMiniType, issues: readonly Issue[]): SchemaFinding[] {
  return issues.flatMap((issue) => flatten(issue, [])).flatMap((issue) => toFindings(schema, issue));
}

/** A key that is missing because it is misspelt is reported once, at its position. */
export function isConsequence({ path, absent }: SchemaFinding, all: readonly SchemaFinding[]): boolean {
  if (absent !== true) return false;
  const parent = JSON.stringify(path.slice(0, -1));
  return all.some(({ path: other, suggestion }) => {
    return suggestion === path.at(-1) && JSON.stringify(other) === parent;
  });
}

export function problemOf(finding: SchemaFinding, places: ValuePlaces): Problem {
  const { path, key } = finding;
  const at = key === undefined ? places.placeOf(path) : places.keyPlaceOf([...path, key]);
  const suggestion = finding.suggestion === undefined ? {} : { suggestion: finding.suggestion };
  return { ...at, code: finding.code, message: finding.message, ...suggestion };
}

type Flat = { readonly path: Path; readonly issue: Issue };

function flatten(issue: Issue, prefix: Path): Flat[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ path, issue }];
  const branches = issue.errors.map((errors) => errors.flatMap((error) => flatten(error, path)));
  const meant = branches.filter((branch) => !branch.some((flat) => isWrongKind(flat, path)));
  if (meant.length === 0) return [{ path, issue }];
  return meant.toSorted((a, b) => unknownKeys(a) - unknownKeys(b) || a.length - b.length)[0] ?? [];
}

/** A branch that fails on the value as a whole, or on a key of another branch, was not meant. */
function isWrongKind(flat: Flat, path: Path): boolean {
  return (
    flat.path.length === path.length &&
    (flat.issue.code === "invalid_type" || flat.issue.code === "invalid_union")
  );
}

function unknownKeys(branch: readonly Flat[]): number {
  return branch.reduce(
    (sum, { issue }) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 0),
    0,
  );
}

function toFindings(schema: z.ZodMiniType, { path, issue }: Flat): SchemaFinding[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownKeysAt(path, issue.keys, keysAt(schema, path));
    case "invalid_key": {
      const key = String(path.at(-1) ?? "");
      return [{ path: path.slice(0, -1), key, code: "bad-name", message: firstMessage(issue.issues) }];
    }
    case "invalid_type":
    case "invalid_union":
    case "invalid_value":
      return [isMissing(issue) ? missingAt(path) : wrongValue(path, issue)];
    case "too_small":
      return [badValue(path, said(issue) ?? `has too few, at least ${issue.minimum}`)];
    case "too_big":
      return [badValue(path, said(issue) ?? `has too many, at most ${issue.maximum}`)];
    case "invalid_format":
      return [badValue(path, `${said(issue) ?? "is not allowed here"}${found(issue)}`)];
    case "custom":
    case "invalid_element":
    case "not_multiple_of":
      return [badValue(path, said(issue) ?? "is not allowed here")];
  }
}

function unknownKeysAt(path: Path, keys: readonly string[], allowed: readonly string[]): SchemaFinding[] {
  return keys.map((key) => {
    const message = `unknown key "${key}"`;
    return { path, key, code: "unknown-key", message, ...suggested(key, allowed) };
  });
}

type ValueIssue = Extract<Issue, { code: "invalid_type" | "invalid_union" | "invalid_value" }>;

function wrongValue(path: Path, issue: ValueIssue): SchemaFinding {
  switch (issue.code) {
    case "invalid_type":
      return badValue(path, `must be ${article(issue.expected)}${found(issue)}`);
    case "invalid_union":
      return badValue(path, `must be ${[...new Set(kindsOf(issue))].join(" or ")}${found(issue)}`);
    case "invalid_value": {
      const values = issue.values.map(String);
      const message =
        values.length > 1
          ? `must be one of ${values.join(", ")}; ${quoted(issue.input)} is none`
          : `must be ${values.join("")}${found(issue)}`;
      return { ...badValue(path, message), ...suggested(issue.input, values) };
    }
  }
}

function badValue(path: Path, message: string): SchemaFinding {
  return { path, code: "bad-value", message };
}

function missingAt(path: Path): SchemaFinding {
  return {
    ...badValue(path, `"${String(path.at(-1) ?? "")}" is missing, or is empty`),
    absent: true,
  };
}

function suggested(word: unknown, known: readonly string[]): { suggestion?: string } {
  const near = typeof word === "string" ? closest(word, known) : undefined;
  return near === undefined ? {} : { suggestion: near };
}

function isMissing(issue: Issue): boolean {
  return issue.input === undefined || issue.input === null;
}

function found(issue: Issue): string {
  return `, not ${quoted(issue.input)}`;
}

const QUOTED_MAX = 40;

function quoted(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}..."` : text;
}

const UNSAID = "Invalid input";

/**
 * A rule without its own message returns this marker, independent of the locale that other code in this process has set for zod.
 */
export const IN_OWN_WORDS = { reportInput: true, error: () => UNSAID } as const;

function said(issue: { readonly message: string }): string | undefined {
  return issue.message === UNSAID ? undefined : issue.message;
}

function firstMessage(issues: readonly Issue[]): string {
  const [first] = issues;
  return (first === undefined ? undefined : said(first)) ?? "is not a name";
}

function kindsOf(issue: Extract<Issue, { code: "invalid_union" }>): string[] {
  return issue.errors.flatMap((branch) =>
    branch.flatMap((error) => {
      if (error.code === "invalid_type") return [article(error.expected)];
      if (error.code === "invalid_union") return kindsOf(error);
      if (error.code === "invalid_value") return [error.values.map(String).join(" or ")];
      return [said(error) ?? "something else"];
    }),
  );
}

function article(kind: string): string {
  if (kind === "string") return "a text";
  if (kind === "int") return "a whole number";
  if (kind === "object" || kind === "record") return "a map";
  if (kind === "array" || kind === "tuple") return "a list";
  return kind === "boolean" ? "true or false" : `a ${kind}`;
}

/** The keys that an object at this path may have, looked up in the schema itself. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const { def } = schema._zod;
  switch (kindOf(def)) {
    case "object": {
      const shape = shapeOf(def);
      if (path.length === 0) return Object.keys(shape);
      const inner = shape[String(path[0])];
      return inner === undefined ? [] : keysAt(inner, path.slice(1));
    }
    case "optional":
    case "lazy": {
      const inner = innerOf(def);
      return inner === undefined ? [] : keysAt(inner, path);
    }
    case "record":
    case "array": {
      const inner = innerOf(def);
      return inner === undefined || path.length === 0 ? [] : keysAt(inner, path.slice(1));
    }
    case "union":
      return optionsOf(def).flatMap((option) => keysAt(option, path));
    default:
      return [];
  }
}

type Def = z.core.$ZodTypeDef;

function kindOf(def: Def): string {
  return def.type;
}

function shapeOf(def: Def): Readonly<Record<string, z.core.$ZodType>> {
  return (def as z.core.$ZodObjectDef).shape;
}

function innerOf(def: Def): z.core.$ZodType | undefined {
  const parts = def as {
    innerType?: z.core.$ZodType;
    valueType?: z.core.$ZodType;
    element?: z.core.$ZodType;
    getter?: () => z.core.$ZodType;
  };
  return parts.innerType ?? parts.valueType ?? parts.element ?? parts.getter?.();
}

function optionsOf(def: Def): readonly z.core.$ZodType[] {
  return (def as z.core.$ZodUnionDef).options;
}
