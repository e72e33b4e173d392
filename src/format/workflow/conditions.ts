/** `when:` maps become conditions. Each key is an artifact, a counter, a parameter, the origin, or artifact.field. */

import { closest } from "../../core/closest.ts";
import type { Artifact, Condition, Literal, Param, Standing } from "../../core/workflow.ts";
import { VERDICTS } from "../../core/verdict.ts";
import { listOf, report, requireName, type Context, type Path } from "./context.ts";
import type { WhenFile } from "./schema.ts";

/** Whose names the conditions use. */
type On = { readonly context: Context; readonly declared: Declared };

type Declared = {
  readonly artifacts: Readonly<Record<string, Artifact>>;
  readonly params: Readonly<Record<string, Param>>;
};

type WhenValue = WhenFile[string];

export function buildConditions(
  { context, declared }: On,
  when: WhenFile | undefined,
  path: Path,
): Condition[] {
  return Object.entries(when ?? {}).flatMap(([key, value]) => {
    const condition = buildCondition(context, declared, { key, value, path: [...path, key] });
    return condition === undefined ? [] : [condition];
  });
}

function buildCondition(
  context: Context,
  declared: Declared,
  on: { key: string; value: WhenValue; path: Path },
): Condition | undefined {
  const { names } = context;
  const { key, value } = on;
  if (key === "origin") {
    const states = wordsOf(value);
    for (const name of states)
      requireName(context, { kind: "state", name, known: names.states, path: on.path });
    return { type: "origin", in: states };
  }
  if (names.counters.has(key)) return counterCondition(context, on);
  if (names.artifacts.has(key)) return artifactCondition(context, declared.artifacts[key], on);
  if (names.params.has(key)) return paramCondition(context, declared.params[key], on);
  const dot = key.lastIndexOf(".");
  const artifact = key.slice(0, dot);
  if (dot > 0 && names.artifacts.has(artifact)) return fieldCondition(artifact, key.slice(dot + 1), value);
  report(context, context.keyPlaceOf(on.path), {
    code: "unknown-condition",
    message: `"${key}" is no artifact, counter, parameter or field of an artifact`,
    suggestion: closest(key, [...names.artifacts, ...names.counters, ...names.params, "origin"]),
  });
  return undefined;
}

function counterCondition(
  context: Context,
  on: { key: string; value: WhenValue; path: Path },
): Condition | undefined {
  if (on.value === "below" || on.value === "spent") return { type: "counter", counter: on.key, is: on.value };
  report(context, context.placeOf(on.path), {
    code: "bad-condition",
    message: `a counter is below or spent`,
    suggestion: closest(wordsOf(on.value).join(), ["below", "spent"]),
  });
  return undefined;
}

function artifactCondition(
  context: Context,
  artifact: Artifact | undefined,
  on: { key: string; value: WhenValue; path: Path },
): Condition | undefined {
  const possible = artifact === undefined ? [] : standingsOf(artifact);
  const words = wordsOf(on.value);
  const known = words.flatMap((word) => possible.filter((standing) => standing === word));
  for (const word of words) {
    if (possible.some((standing) => standing === word)) continue;
    report(context, context.placeOf(on.path), {
      code: "bad-condition",
      message: `${on.key} can be ${possible.join(", ")}, not "${word}"`,
      suggestion: closest(word, possible),
    });
  }
  return { type: "artifact", artifact: on.key, in: known };
}

/** What an artifact of this kind can be worth. */
function standingsOf(artifact: Artifact): Standing[] {
  const always: Standing[] = ["missing", "stale", "waived"];
  if (artifact.each !== undefined || artifact.reader.type === "children")
    return [...always, "all", "some", "none"];
  switch (artifact.reader.type) {
    case "fact":
      return ["missing", "holds"];
    case "check":
      return [...always, "pass", "needs_fix"];
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
  }
}

function verdictsOf(words: Readonly<Record<string, Standing>> | undefined, hasIssues: boolean): Standing[] {
  if (words === undefined) return ["valid"];
  const claimed = new Set(Object.values(words));
  // With a list of issues an approval may become a failure, or an approval with notes.
  if (hasIssues && claimed.has("pass")) claimed.add("pass_with_notes").add("needs_fix");
  return VERDICTS.filter((verdict) => claimed.has(verdict));
}

function paramCondition(
  context: Context,
  param: Param | undefined,
  on: { key: string; value: WhenValue; path: Path },
): Condition | undefined {
  if (param === undefined || param.type === "text") {
    report(context, context.placeOf(on.path), {
      code: "bad-condition",
      message: `${on.key} is a text: no guard may read it`,
    });
    return undefined;
  }
  const wanted = literalsOf(on.value);
  for (const word of wanted) {
    const fits =
      param.type === "enum"
        ? param.values.some((v) => v === word)
        : param.type === "bool"
          ? typeof word === "boolean"
          : typeof word === "number";
    if (fits) continue;
    const suggestion = param.type === "enum" ? closest(String(word), param.values) : undefined;
    report(context, context.placeOf(on.path), {
      code: "bad-condition",
      message: `parameter ${on.key} is never ${String(word)}`,
      suggestion,
    });
  }
  return { type: "param", param: on.key, in: wanted };
}

function fieldCondition(artifact: string, field: string, value: WhenValue): Condition {
  if (typeof value === "object" && "min" in value) return { type: "least", artifact, field, min: value.min };
  return { type: "field", artifact, field, in: literalsOf(value) };
}

function literalsOf(value: WhenValue): Literal[] {
  return typeof value === "object" && "min" in value ? [] : [...listOf<Literal>(value)];
}

function wordsOf(value: WhenValue): string[] {
  return literalsOf(value).map(String);
}
