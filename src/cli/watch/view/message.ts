/** The line that says what is going on: a command at work, its answer, or why a key did nothing. */

import type { Paint } from "../../paint.ts";
import type { Model } from "../model.ts";
import { clipped, plain } from "../width.ts";

export function sayMessage({ message, busy, stale, size }: Model, paint: Paint): string {
  const fit = (text: string): string => clipped(plain(text), size.columns);
  if (message !== undefined) {
    const colour = { good: paint.green, bad: paint.red, note: paint.yellow }[message.tone];
    return colour(fit(message.text));
  }
  if (busy !== "") return paint.dim(fit(`${busy} ...`));
  return stale === "" ? "" : paint.red(fit(`not up to date: ${stale}`));
}
