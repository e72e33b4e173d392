/** What somebody has changed by hand in a file that only shows a run, in words. */

import type { Fields } from "./projected.ts";

type Change = {
  readonly file: string;
  readonly before: Fields;
  readonly said: Fields;
  readonly after: Fields;
};

export function changes({ file, before, said, after }: Change): readonly string[] {
  const keys = Object.keys(after).filter((key) => Object.hasOwn(before, key));
  // Whoever writes a file anew, as agents do, means none of them in particular.
  if (keys.length > 1 && !keys.some((key) => Object.hasOwn(said, key))) {
    const names = brief(keys.join(", "));
    return [`${file}: ${names} were removed by hand; that moves nothing, and they are there again`];
  }
  return keys.flatMap((key) => {
    const [was, is] = [show(before[key]), show(said[key])];
    // What is to be said anyway is no edit: a crash has come between writing the file and remembering it.
    if (was === is || is === show(after[key])) return [];
    const [from, to, again] = [brief(before[key]), brief(said[key]), brief(after[key])];
    const deed = Object.hasOwn(said, key)
      ? `was changed by hand from ${from} to ${to}`
      : `(${from}) was removed by hand`;
    return [`${file}: ${key} ${deed}; that moves nothing, and it says ${again} again`];
  });
}

/** Blocks that are none of ours. One that somebody has left out, as whoever writes the file anew does, is simply put back. */
export function forgedIn({ file, before, said, after }: Change): readonly string[] {
  return Object.entries(said).flatMap(([key, is]) => {
    if (is === before[key] || is === after[key]) return [];
    const claim = `${file}: ${key} ${brief(is)} was written by hand; that counts for nothing`;
    return [
      `${claim}, and ${Object.hasOwn(after, key) ? `it says ${brief(after[key])} again` : "it is taken out"}`,
    ];
  });
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

const BRIEF_MAX = 60;

/** On one line, short, and without anything that a terminal takes for a command. */
function brief(value: unknown): string {
  const text = (typeof value === "string" && value !== "" ? value : show(value)).replaceAll(
    /[\s\p{C}]+/gu,
    " ",
  );
  return text.length > BRIEF_MAX ? `${text.slice(0, BRIEF_MAX)}...` : text;
}
