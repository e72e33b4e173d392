/**
 * When somebody last looked at the work. Whoever only reads does not look again, for that takes as long as the repository is large:
 * what is bound to the work is known for that moment, and not for this one.
 */

import type { Event } from "../../../core/model/event.ts";
import { boundWorkspace } from "../../../engine/submit/place.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import type { Seen } from "../../runs/find.ts";
import { sayClock } from "../words.ts";

/** Most of what happens comes with a look at the work. */
const BACK = 50;

/** Empty where there is no workspace, or nobody has looked yet. */
export async function workSeenAt({ store, run }: Pick<Seen, "store" | "run">): Promise<string> {
  if ((await boundWorkspace({ store }, run.id)) === undefined) return "";
  const near = lastLook(await store.events(run.id, Math.max(1, run.seq - BACK)));
  return near ?? lastLook(await store.events(run.id, 1)) ?? "";
}

function lastLook(records: readonly Recorded[]): string | undefined {
  return records.findLast(({ event }) => isLook(event))?.at;
}

/** Readings and waivers only repeat what was known. */
function isLook(event: Event): boolean {
  return "tree" in event && event.type !== "artifact-read" && event.type !== "waiver-given";
}

export function sayAsOf(at: string): string {
  return `for the work as of ${sayClock(at)}; if the work changes, it is judged again`;
}
