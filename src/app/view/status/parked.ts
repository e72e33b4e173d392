/** Runs whose next turn is parked: why, until when, and what a person can do about it. */

import type { Park } from "../../../engine/ports/parks.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { harnessIn, isInForce } from "../../../engine/queue/parks.ts";
import type { ParkedView } from "../parked-view.ts";
import { sayTime, sentence } from "../words.ts";

export type Parked = Park & { readonly runs: readonly string[] };

/** Every park that holds up a turn, with its runs. Two reads where nothing is parked. */
export async function parksIn(store: Pick<Store, "parks" | "heldTurns">): Promise<readonly Parked[]> {
  const held = await store.heldTurns();
  if (held.length === 0) return [];
  const now = Date.now();
  return (await store.parks()).flatMap((park) => {
    const runs = new Set(held.flatMap(({ key, run }) => (key === park.key ? [run] : [])));
    return runs.size > 0 && isInForce(park, now) ? [{ ...park, runs: [...runs] }] : [];
  });
}

/** By run, the park that a person lifts first, then the one that lasts longest. */
export async function parkedRuns(
  store: Pick<Store, "parks" | "heldTurns">,
): Promise<ReadonlyMap<string, Park>> {
  const parks = (await parksIn(store)).toSorted((a, b) => lastOf(a) - lastOf(b));
  return new Map(parks.flatMap((park) => park.runs.map((run) => [run, park] as const)));
}

function lastOf({ until }: Park): number {
  return until === 0 ? Number.POSITIVE_INFINITY : until;
}

export async function parkOf(
  store: Pick<Store, "parks" | "heldTurns">,
  run: string,
): Promise<Park | undefined> {
  return (await parkedRuns(store)).get(run);
}

/** Whether it lasts until a person acts. */
export function isForPerson(park: Pick<Park, "until"> | undefined): boolean {
  return park?.until === 0;
}

export function parkedView(park: Park | undefined): ParkedView | null {
  if (park === undefined) return null;
  const { class: kind, message, until, next } = park;
  const time = until === 0 ? "" : new Date(until).toISOString();
  return { class: kind, harness: harnessIn(park), message, until: time, next };
}

/** `until 19:00`, or what a person has to do. */
export function sayShort(park: Park): string {
  return park.until === 0 ? `you: ${park.class}` : `until ${sayUntil(park.until)}`;
}

/** `run` is the run to try again. */
export function sayParked(park: Park, run: string): string {
  const { message, until, next } = park;
  if (until !== 0) return sentence(`Parked until ${sayUntil(until)}: ${message}`);
  const before = next === "" ? "" : `${next}, then: `;
  return sentence(`Needs attention: ${message.replace(/\.$/, "")}; ${before}signalbox retry ${run}`);
}

/** The time of day in the time zone of the caller, with the day where it is another one. */
function sayUntil(until: number): string {
  const at = sayTime(new Date(until).toISOString());
  const today = sayTime(new Date().toISOString());
  return at.slice(0, DAY_END) === today.slice(0, DAY_END)
    ? at.slice(DAY_END + 1, -SECONDS)
    : at.slice(0, -SECONDS);
}

const DAY_END = "2026-01-31".length;
const SECONDS = ":59".length;
