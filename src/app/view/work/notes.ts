/** Notes in their place among the lines of a history: they are no events, and have only their time. */

import type { Note } from "../../../engine/ports/journal.ts";

export type { Note };

type Timed = { readonly at: string };

/** Those that are not older than this; all of them where it is not said. */
export function notesSince(notes: readonly Note[], since: Timed | undefined): readonly Note[] {
  return since === undefined ? notes : notes.filter((note) => timeOf(note) >= timeOf(since));
}

/** Lines keep their order, whatever the clock did: a note comes before the first that is later. */
export function among<L extends Timed>(lines: readonly L[], notes: readonly Note[]): (L | Note)[] {
  const left = notes.toSorted((a, b) => timeOf(a) - timeOf(b));
  const all: (L | Note)[] = [];
  for (const line of lines) {
    while (left[0] !== undefined && timeOf(left[0]) < timeOf(line)) all.push(...left.splice(0, 1));
    all.push(line);
  }
  return [...all, ...left];
}

function timeOf({ at }: Timed): number {
  return Date.parse(at);
}
