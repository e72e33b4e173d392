/** The queue in words, for whoever looks at a run that stands in it. */

/** What it stands in the queue for. */
export function sayLine(reasons: readonly string[]): string {
  return reasons.map((reason) => `  in the queue: it ${reason}\n`).join("");
}
