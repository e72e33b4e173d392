/** Removes from the file what the schema refuses, so that the rest can still be checked. */

import type { Path } from "../../problem.ts";
import type { FilePlaces } from "../build/context.ts";
import type { SchemaFinding } from "./issues.ts";

/** Removes an unknown key, an entry of a list, or the content of a named thing without its name. */
export function mend(
  data: unknown,
  findings: readonly SchemaFinding[],
): { data: unknown; places: (given: FilePlaces) => FilePlaces } {
  const copy: unknown = structuredClone(data);
  const dropped = new Map<string, Set<number>>();
  for (const { path, key } of findings) {
    if (key !== undefined) remove(copy, [...path, key]);
    else if (typeof path[1] === "number")
      (dropped.get(String(path[0])) ?? setIn(dropped, String(path[0]))).add(path[1]);
    else if (path.length > 2) replace(copy, path);
  }
  const kept = new Map<string, number[]>();
  for (const [list, out] of dropped) kept.set(list, keepOthers(copy, list, out));
  const original = (path: Path): Path => {
    const [head, index] = path;
    const mapped = typeof index === "number" ? kept.get(String(head))?.[index] : undefined;
    return mapped === undefined ? path : [head ?? "", mapped, ...path.slice(2)];
  };
  return {
    data: copy,
    places: (given) => ({
      placeOf: (path) => given.placeOf(original(path)),
      keyPlaceOf: (path) => given.keyPlaceOf(original(path)),
    }),
  };
}

/** Minimal valid stand-ins for named things, so that their names stay known. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  params: { text: "" },
  counters: { max: 1 },
  artifacts: { in: "-", file: true, by: "human" },
  roles: {},
  states: {},
};

function replace(copy: unknown, path: Path): void {
  const [kind, name] = path;
  const parent = at(copy, [kind ?? ""]);
  if (!isRecord(parent) || name === undefined) return;
  if (Object.hasOwn(STAND_INS, String(kind))) parent[name] = STAND_INS[String(kind)];
  else delete parent[name];
}

function remove(copy: unknown, path: Path): void {
  const parent = at(copy, path.slice(0, -1));
  const key = path.at(-1);
  if (isRecord(parent) && key !== undefined) delete parent[key];
}

function keepOthers(copy: unknown, list: string, out: ReadonlySet<number>): number[] {
  const entries: unknown = at(copy, [list]);
  if (!Array.isArray(entries) || !isRecord(copy)) return [];
  const kept = [...entries.keys()].filter((index) => !out.has(index));
  copy[list] = kept.map((index): unknown => entries[index]);
  return kept;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}

function isRecord(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

function setIn(map: Map<string, Set<number>>, key: string): Set<number> {
  const set = new Set<number>();
  map.set(key, set);
  return set;
}

/**
 * Finds names that may be unknown only because a removed part would have declared them.
 *
 * The empty name means a removed part of a phase, or the target of a stage whose next stage was removed.
 */
export function lostIn(data: unknown, findings: readonly SchemaFinding[]): (name: string) => boolean {
  const names = new Set<string>();
  const makers = new Set<string>();
  for (const finding of findings) {
    for (const name of namesLost(data, finding)) names.add(name);
    for (const maker of makersLost(data, finding)) makers.add(maker);
  }
  return (name) =>
    names.has(name) ||
    [...makers].some(
      (maker) => name === maker || name.startsWith(`${maker}-`) || name.startsWith(`${maker}.`),
    );
}

function namesLost(data: unknown, { path, key, suggestion }: SchemaFinding): string[] {
  const whole = key === undefined ? path.slice(0, 2) : [...path, key];
  const value = at(data, whole);
  if (path.length === 0 && isRecord(value)) return [...Object.keys(value), ...scopesIn(value)];
  const scopes = suggestion === "new" ? textsIn(value) : scopesIn(value);
  return [String(whole.at(-1) ?? ""), ...scopes, ...(path[0] === "stages" ? [""] : [])];
}

/** Stages and phases, whose generated pieces have their names as a prefix. */
function makersLost(data: unknown, { path, key = "", suggestion = key }: SchemaFinding): string[] {
  const stages = at(data, ["stages"]);
  if (path.length === 0) return suggestion === "stages" ? makersIn(at(data, [key])) : [];
  if (path[0] !== "stages" || !isRecord(stages)) return [];
  const [, stage = key, , phase] = path;
  if (key !== "" && path.length > 2) return [String(phase ?? key)];
  return makersIn({ [stage]: stages[stage] });
}

function makersIn(stages: unknown): string[] {
  if (!isRecord(stages)) return [];
  return Object.entries(stages).flatMap(([name, stage]) => {
    const phases = at(stage, ["phases"]);
    return [name, ...(isRecord(phases) ? Object.keys(phases) : [])];
  });
}

/** Scopes that moves and answers start again: nothing else declares them. */
function scopesIn(value: unknown): string[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "new" ? textsIn(inner) : scopesIn(inner)));
}

function textsIn(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === "string");
}
