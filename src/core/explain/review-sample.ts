/** A review as its reader wants it, for people: JSON with words in place of values. */

import { SEVERITIES, TEST_WORDS } from "../model/verdict.ts";
import type { Reader, ReviewShape, Shape } from "../model/artifact.ts";

type DataReader = Extract<Reader, { type: "json" | "yaml" }>;

/** What stands at a path, by its dots; `*` is a member of a list. */
type Told = ReadonlyMap<string, string>;

export function sampleOf({ shape }: DataReader, review: ReviewShape): string {
  const { verdictAt, verdicts, issuesAt, severityAt = "severity", severities, testsAt } = review;
  const ranks = Object.keys(severities ?? {});
  const told = new Map([[verdictAt, Object.keys(verdicts).join(" | ")]]);
  if (issuesAt !== undefined)
    told.set(`${issuesAt}.*.${severityAt}`, (ranks.length === 0 ? SEVERITIES : ranks).join(" | "));
  if (testsAt !== undefined) {
    told.set(`${testsAt}.status`, TEST_WORDS.join(" | "));
    for (const key of ["total", "passed", "failed", "skipped"]) told.set(`${testsAt}.${key}`, "number");
  }
  const value = shape === undefined ? treeOf(told) : valueOf(shape, "", told);
  return JSON.stringify(value, undefined, 2);
}

function valueOf(shape: Shape, at: string, told: Told): unknown {
  const own = told.get(at);
  if (own !== undefined) return own;
  const below = (key: string): string => (at === "" ? key : `${at}.${key}`);
  switch (shape.type) {
    case "text":
    case "number":
    case "boolean":
      if (shape.begins !== undefined) return shape.begins.map((text) => `${text} ...`).join(" | ");
      return shape.values?.join(" | ") ?? (shape.is === undefined ? shape.type : `{${shape.is.param}}`);
    case "list":
      return [valueOf(shape.of, below("*"), told)];
    case "object": {
      const required = Object.entries(shape.required).map(
        ([key, inner]) => [key, valueOf(inner, below(key), told)] as const,
      );
      const optional = Object.entries(shape.optional).map(
        ([key, inner]) => [`${key}?`, valueOf(inner, below(key), told)] as const,
      );
      return Object.fromEntries([...required, ...optional]);
    }
  }
}

/** Without a shape, only what is looked at. */
function treeOf(told: Told): unknown {
  const root: Record<string, unknown> = {};
  for (const [path, words] of told) {
    const [head = "", rest] = path.split(".*.");
    const keys = head.split(".");
    const last = keys.pop() ?? "";
    let at = root;
    for (const key of keys) at = childOf(at, key);
    at[last] = rest === undefined ? words : [{ [rest]: words }];
  }
  return root;
}

function childOf(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const known = parent[key];
  if (isRecord(known)) return known;
  const made: Record<string, unknown> = {};
  parent[key] = made;
  return made;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
