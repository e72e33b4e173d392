/**
 * A pin: the settings, the PATH and the programs that a run began with.
 *
 * Every process of the run is started with them. A change of what files say stops the run before its next process, until a person types
 * `signalbox trust`; a program that was updated is noted.
 */

import { isObject } from "../../format/json/shape.ts";
import type { PinEntry } from "../ports/pins.ts";

/** The key among the projections of a run; no path of a projection begins like this. */
export const PIN = "pin of the run";

type PinnedProgram = { readonly mark: string; readonly version: string };

export type Pin = {
  readonly entries: readonly PinEntry[];
  readonly path: string;
  /** The user's command for notifications. */
  readonly notify: readonly string[];
  /** By the name of the harness, from its first turn on. */
  readonly programs: Readonly<Record<string, PinnedProgram>>;
};

/** `before` or `after` is undefined where there is nothing. */
export type PinChange = Pick<PinEntry, "file" | "key"> & {
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** What a run makes use of: a change of anything else is not its business. */
export type Uses = {
  readonly harnesses: ReadonlySet<string>;
  /** A role names no harness. */
  readonly isUsual: boolean;
  readonly checks: ReadonlySet<string>;
};

/** The record of a run that begins. */
export function newPin(of: Omit<Pin, "programs">): string {
  return JSON.stringify({ ...of, programs: {} } satisfies Pin);
}

export function pinFrom(text: string | undefined): Pin | undefined {
  const data: unknown = text === undefined ? undefined : JSON.parse(text);
  return isPin(data) ? data : undefined;
}

/** One field is enough to check, because only this module's callers write the record. */
function isPin(data: unknown): data is Pin {
  return isObject(data) && "entries" in data;
}

export function changesIn(
  { entries }: Pick<Pin, "entries">,
  now: readonly PinEntry[],
  uses: Uses,
): readonly PinChange[] {
  const old = new Map(entries.map((entry) => [nameOf(entry), entry]));
  const present = new Map(now.map((entry) => [nameOf(entry), entry]));
  return [...new Map([...old, ...present])].flatMap(([name, { file, key }]) => {
    const [before, after] = [old.get(name)?.value, present.get(name)?.value];
    return before === after || !isUsed(key, uses) ? [] : [{ file, key, before, after }];
  });
}

function nameOf({ file, key }: PinEntry): string {
  return `${file}\n${key}`;
}

/** These say nothing about agents and checks of a run that has begun. */
const APART: ReadonlySet<string> = new Set([
  "workflow",
  "pin",
  "workspace.fetch",
  "workspace.max",
  "workspace.min_free_mb",
]);

/** A key that this version does not know decides until it is named here. */
function isUsed(key: string, { harnesses, isUsual, checks }: Uses): boolean {
  const [first = "", name = ""] = key.split(".");
  if (first === "harness") return isUsual;
  if (first === "harnesses") return harnesses.has(name);
  if (first === "checks") return checks.has(name);
  // Parameters have their values from the beginning of the run.
  return first !== "workflows" && first !== "prices" && !APART.has(key);
}

const SHOWN = 3;

export function sayChanges(changes: readonly PinChange[]): string {
  const more = changes.length - SHOWN;
  const lines = changes.slice(0, SHOWN).map(sayChange);
  return `${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function sayChange({ file, key, before, after }: PinChange): string {
  if (key === "")
    return `${file} ${before === undefined ? "is new" : after === undefined ? "is gone" : "has changed"}`;
  return `${key} in ${file}: ${before ?? "nothing"} -> ${after ?? "nothing"}`;
}
