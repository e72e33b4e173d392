/** The content hash of a definition: it covers everything that can change what a run does, and nothing else. */

import type { Definition } from "../../core/model/workflow.ts";

/** Computed on first use: loading the hash function costs more than checking a small definition. */
export function hashOf(definition: Definition): () => string {
  let hash = "";
  return () => (hash === "" ? (hash = compute(definition)) : hash);
}

function compute(definition: Definition): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  // Positions in the file do not change a run.
  const { places: _places, moves, ends, assertions, verbs, ...rest } = definition;
  const meaning = {
    ...rest,
    moves: moves.map(placeless),
    ...(verbs === undefined ? {} : { verbs: verbs.map(placeless) }),
    ends: ends.map(placeless),
    assertions: assertions.map(placeless),
  };
  return `sha256:${createHash("sha256").update(canonical(meaning)).digest("hex")}`;
}

function placeless<T extends { readonly at: unknown }>(rule: T): Omit<T, "at"> {
  const { at: _at, ...rest } = rule;
  return rest;
}

/** The same text for the same data, in whichever order its keys are. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  // People see the order of states and options, but it does not change a run.
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}
