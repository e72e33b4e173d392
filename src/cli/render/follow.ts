/** The end of what `run` and `follow` print: where the run is, and what you can type. */

import type { Followed } from "../../app/story/follow.ts";
import { sayTyped } from "../../app/view/decision/choices.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { Door } from "../command.ts";
import { fitted, sayCause, wrapped } from "../fit.ts";

/** Behind the time of day. */
export const HANGING = 10;

type Said = Followed & { readonly cause: readonly string[] };

export function sayEnd(
  { message, cause, choices, reads, left, next }: Said,
  { paint, cwd, width }: Door,
): string {
  const asked = sayCause(cause, width);
  const read = sayReads(reads, cwd).map((line) => `  ${line}\n`);
  const rows = left.rows.map(([what, said]) => `  ${what}: ${said}\n`);
  const all = [...choices, ...left.choices];
  const typed = fitted(
    all.map((choice) => [`  type: ${sayTyped(choice)}`, choice.means]),
    width,
  );
  const more = choices.length === 0 ? `  next: ${next}\n` : "";
  return `${paint.bold(wrapped(message, width))}\n${[...asked, ...read, ...rows].join("")}${typed}${more}`;
}
