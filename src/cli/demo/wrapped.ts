/** Long lines of a story, broken between words: what belongs to the line above stands below its words. */

import { wrapped as below } from "../fit.ts";

/** Behind the time of day. */
const HANGING = 10;

/** Commands are for copying, and stay whole. */
export function wrapped(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (/^\d\d:\d\d:\d\d {2}/.test(line) ? below(line, width, HANGING) : line))
    .join("\n");
}
