/** The status of tasks, in the words of a list of tasks. */

const WORDS: Readonly<Record<string, string>> = {
  running: "in-progress",
  waiting: "in-progress",
  failed: "blocked",
  skipped: "blocked",
};

/** The words that a list of tasks may use. */
const LISTED: ReadonlySet<string> = new Set([
  "not-started",
  "pending",
  "in-progress",
  "in_progress",
  "implemented",
  "completed",
  "blocked",
]);

export function isListed(status: string): boolean {
  return LISTED.has(status);
}

/** By task; statuses without a word are left out. */
export function listedStatuses(data: unknown): Readonly<Record<string, string>> {
  if (typeof data !== "object" || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([id, value]): [string, string][] => {
      const word = typeof value === "string" ? (WORDS[value] ?? value) : "";
      return isListed(word) ? [[id, word]] : [];
    }),
  );
}
