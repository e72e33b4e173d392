/** Builds conditions from `when:` maps. Each key is an artifact, a counter, a parameter, the origin, or artifact.field. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import { endsOf, type Artifact } from "../../../core/model/artifact.ts";
import type { Literal } from "../../../core/model/value.ts";
import type { Condition, Param, ArtifactStatus } from "../../../core/model/workflow.ts";
import { VERDICTS } from "../../../core/model/verdict.ts";
import { isDoubtful, report, requireName, statesOf, type BuildContext, type Names } from "./context.ts";
import {
  fieldOf,
  objectionTo,
  objectionToLeast,
  objectionToMost,
  type Objection,
} from "../artifacts/fields.ts";
import type { WhenFile } from "../schema/schema.ts";

/** The names that the conditions may use. */
type ConditionScope = {
  readonly context: BuildContext;
  readonly declared: {
    readonly artifacts: Readonly<Record<string, Artifact>>;
    readonly params: Readonly<Record<string, Param>>;
  };
};

type WhenValue = WhenFile[string];
type Guard = { readonly key: string; readonly value: WhenValue; readonly path: Path };

export function buildConditions(scope: ConditionScope, when: WhenFile | undefined, path: Path): Condition[] {
  return Object.entries(when ?? {}).flatMap(
    ([key, value]) => buildCondition(scope, { key, value, path: [...path, key] }) ?? [],
  );
}

function buildCondition(scope: ConditionScope, guard: Guard): Condition | Condition[] | undefined {
  const { context } = scope;
  const { names } = context;
  const { key, value, path } = guard;
  const kind = kindOf(names, key);
  if (kind === undefined) {
    if (context.isLost(key) || context.isLost(partsOf(key).artifact)) return undefined;
    report(context, context.keyPlaceOf(path), {
      code: "unknown-condition",
      message: `"${key}" is not an artifact, counter, parameter or field of an artifact`,
      suggestion: closest(key, [...names.artifacts, ...names.counters, ...names.params, "origin"]),
    });
    return undefined;
  }
  if (Array.isArray(value) && value.length === 0)
    return object(context, path, { message: "an empty list names nothing: this could never hold" });
  if (isBounds(value)) {
    const [bound] = Object.keys(value);
    if (bound === undefined)
      return object(context, path, { message: "an empty map bounds nothing: name min, max or both" });
    if (kind !== "field")
      return object(context, path, {
        message: `"${bound}" is for a field of an artifact, and ${key} is none`,
      });
  }
  switch (kind) {
    case "origin":
      for (const { literal, at } of literalsOf(guard))
        requireName(context, {
          kind: "state",
          name: String(literal),
          known: [...names.states, ...names.stages],
          path: at,
        });
      return {
        type: "origin",
        in: statesOf(
          names,
          literalsOf(guard).map(({ literal }) => String(literal)),
        ),
      };
    case "counter":
      return counterCondition(context, guard);
    case "artifact":
      return artifactCondition(scope, guard);
    case "parameter":
      return paramCondition(scope, guard);
    case "field":
      return fieldCondition(scope, guard);
  }
}

function kindOf(
  names: Names,
  key: string,
): "origin" | "counter" | "artifact" | "parameter" | "field" | undefined {
  if (key === "origin") return "origin";
  if (names.counters.has(key)) return "counter";
  if (names.artifacts.has(key)) return "artifact";
  if (names.params.has(key)) return "parameter";
  return names.artifacts.has(partsOf(key).artifact) ? "field" : undefined;
}

/** The name of an artifact may contain dots. */
function partsOf(key: string): { artifact: string; field: string } {
  const dot = Math.max(key.lastIndexOf("."), 0);
  return { artifact: key.slice(0, dot), field: key.slice(dot + 1) };
}

function object(context: BuildContext, path: Path, objection: Objection): undefined {
  report(context, context.placeOf(path), { code: "bad-condition", ...objection });
}

function counterCondition(context: BuildContext, guard: Guard): Condition | undefined {
  const { key, value, path } = guard;
  if (value === "below" || value === "spent") return { type: "counter", counter: key, is: value };
  const suggestion = closest(
    literalsOf(guard)
      .map(({ literal }) => String(literal))
      .join(),
    ["below", "spent"],
  );
  return object(context, path, { message: "a counter is below or spent", suggestion });
}

function artifactCondition({ context, declared }: ConditionScope, guard: Guard): Condition {
  const { key } = guard;
  const artifact = declared.artifacts[key];
  const possible = artifact === undefined ? [] : standingsOf(artifact);
  const isKnown = !isDoubtful(context, key);
  const known = literalsOf(guard).flatMap(({ literal, at }) => {
    const found = possible.filter((standing) => standing === literal);
    if (found.length === 0 && isKnown)
      object(context, at, {
        message: `${key} can be ${possible.join(", ")}, not "${String(literal)}"`,
        suggestion: closest(String(literal), possible),
      });
    return found;
  });
  return { type: "artifact", artifact: key, in: known };
}

/** The status of a check whose commands are not approved. */
const NOT_RUN: readonly ArtifactStatus[] = ["needs_human"];

/** The possible statuses of an artifact of this kind. */
function standingsOf(artifact: Artifact): ArtifactStatus[] {
  const always: ArtifactStatus[] = ["missing", "stale", "waived"];
  if (artifact.reader.type === "children") return [...always, ...endsOf(artifact.reader)];
  if (artifact.each !== undefined) return [...always, "all", "some", "none"];
  switch (artifact.reader.type) {
    case "fact":
      return ["missing", "holds"];
    case "check":
      return [...always, "pass", "needs_fix", ...(artifact.reader.from === undefined ? [] : NOT_RUN)];
    case "section":
      return [...always, "invalid", ...verdictsOf(artifact.reader.verdicts, false)];
    case "json":
    case "yaml":
      return [
        ...always,
        "invalid",
        ...verdictsOf(artifact.reader.review?.verdicts, artifact.reader.review?.issuesAt !== undefined),
      ];
    case "document":
    case "tasks":
    case "file":
      return [...always, "invalid", "valid"];
    case "files":
      return [...always, "valid"];
  }
}

function verdictsOf(
  words: Readonly<Record<string, ArtifactStatus>> | undefined,
  hasIssues: boolean,
): ArtifactStatus[] {
  if (words === undefined) return ["valid"];
  const claimed = new Set(Object.values(words));
  // With a list of issues an approval may become a rejection, or an approval with notes.
  if (hasIssues && claimed.has("pass")) claimed.add("pass_with_notes").add("needs_fix");
  return VERDICTS.filter((verdict) => claimed.has(verdict));
}

function paramCondition({ context, declared }: ConditionScope, guard: Guard): Condition | undefined {
  const { key, path } = guard;
  const param = declared.params[key];
  if (param === undefined || context.isTroubled(["params", key])) return undefined;
  if (param.type === "text")
    return object(context, path, { message: `${key} is a text: no guard may read it` });
  for (const { literal, at } of literalsOf(guard)) {
    if (canBe(param, literal)) continue;
    object(context, at, {
      message: `parameter ${key} is never ${String(literal)}`,
      suggestion: param.type === "enum" ? closest(String(literal), param.values) : undefined,
    });
  }
  return { type: "param", param: key, in: literalsOf(guard).map(({ literal }) => literal) };
}

function canBe(param: Exclude<Param, { type: "text" }>, value: Literal): boolean {
  switch (param.type) {
    case "enum":
      return param.values.some((each) => each === value);
    case "bool":
      return typeof value === "boolean";
    case "int":
      return Number.isInteger(value) && Number(value) >= param.min && Number(value) <= param.max;
  }
}

function fieldCondition(
  { context, declared }: ConditionScope,
  guard: Guard,
): Condition | Condition[] | undefined {
  const { key, value, path } = guard;
  const { artifact, field } = partsOf(key);
  const source = declared.artifacts[artifact];
  if (source === undefined || isDoubtful(context, artifact)) return undefined;
  const found = fieldOf(source, field);
  if ("message" in found) {
    report(context, context.keyPlaceOf(path), {
      code: "unknown-field",
      message: `no guard can read ${key}: ${found.message}`,
      suggestion: found.suggestion === undefined ? undefined : `${artifact}.${found.suggestion}`,
    });
    return undefined;
  }
  const tell = (at: Path, objection: Objection | undefined): void => {
    if (objection !== undefined)
      object(context, at, { ...objection, message: `${key} never fits: ${objection.message}` });
  };
  if (isBounds(value)) {
    const { min, max } = value;
    if (min !== undefined) tell([...path, "min"], objectionToLeast(found, min));
    if (max !== undefined) tell([...path, "max"], objectionToMost(found, max));
    return [
      ...(min === undefined ? [] : [{ type: "least", artifact, field, min } as const]),
      ...(max === undefined ? [] : [{ type: "most", artifact, field, max } as const]),
    ];
  }
  const literals = literalsOf(guard);
  for (const { literal, at } of literals) tell(at, objectionTo(found, literal));
  return { type: "field", artifact, field, in: literals.map(({ literal }) => literal) };
}

type Bounds = { min?: number | undefined; max?: number | undefined };

function isBounds(value: WhenValue): value is Bounds {
  return typeof value === "object" && !Array.isArray(value);
}

function literalsOf({ value, path }: Guard): { literal: Literal; at: Path }[] {
  if (typeof value !== "object") return [{ literal: value, at: path }];
  return Array.isArray(value) ? value.map((literal, index) => ({ literal, at: [...path, index] })) : [];
}
