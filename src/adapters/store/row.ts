/** Columns as the types that the schema promises, and JSON that we wrote ourselves. */

import type { SQLOutputValue } from "node:sqlite";
import type { Event, Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Deed } from "../../engine/effects/deed.ts";
import type { ChildRow } from "../../engine/ports/graphs.ts";
import type { Birth, Proof } from "../../engine/ports/journal.ts";

/** A record that cannot be what we wrote. */
export class BadRecord extends Error {
  override readonly name = "BadRecord";
}

export function text(value: SQLOutputValue | undefined): string {
  if (typeof value === "string") return value;
  throw new BadRecord(`a text is ${value === undefined ? "missing" : typeof value}`);
}

export function number(value: SQLOutputValue | undefined): number {
  if (typeof value === "number") return value;
  throw new BadRecord(`a number is ${value === undefined ? "missing" : typeof value}`);
}

/** One of a few words. */
export function word<T extends string>(value: SQLOutputValue | undefined, words: readonly T[]): T {
  const found = words.find((one) => one === value);
  if (found === undefined) throw new BadRecord(`${String(value)} is none of ${words.join(", ")}`);
  return found;
}

/** Text that this program wrote, beside a digest that is checked: only what it is at all is looked at again. */
export function parsed<T>(json: string, is: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new BadRecord("it is no JSON", { cause: error });
  }
  if (!is(value)) throw new BadRecord("it is something else");
  return value;
}

const KEPT_MAX = 2000;

/** For texts that are asked for again and again and never change: whoever reads them shares what was made of each. */
export function oncePerText<T>(make: (json: string) => T): (json: string) => T {
  const known = new Map<string, T>();
  return (json) => {
    const kept = known.get(json);
    if (kept !== undefined) return kept;
    const made = make(json);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(json, made);
    return made;
  };
}

export function isRun(value: unknown): value is Run {
  return has(value, "id") && has(value, "seq") && has(value, "state") && has(value, "held");
}

export function isEvent(value: unknown): value is Event {
  return has(value, "type");
}

export function isDeed(value: unknown): value is Deed {
  return has(value, "type");
}

export function isDeeds(value: unknown): value is readonly Deed[] {
  return Array.isArray(value);
}

export function isBirth(value: unknown): value is Birth {
  return has(value, "workflow") && has(value, "goal") && has(value, "repo") && has(value, "base");
}

export function isProof(value: unknown): value is Proof {
  return has(value, "user") && has(value, "signature");
}

export function isDefinition(value: unknown): value is Definition {
  return has(value, "states") && ["moves", "ends", "assertions"].every((name) => hasList(value, name));
}

export function isReadings(value: unknown): value is readonly Reading[] {
  return Array.isArray(value);
}

export function isTask(
  value: unknown,
): value is ChildRow["task"] & Partial<Pick<ChildRow, "summary" | "took">> {
  return has(value, "id") && hasList(value, "dependsOn") && hasList(value, "files");
}

export function isParams(value: unknown): value is ChildRow["params"] {
  return typeof value === "object" && value !== null;
}

function hasList(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, name));
}

function has(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}
