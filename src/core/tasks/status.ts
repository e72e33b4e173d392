/** How far tasks are, in the words that a list of tasks has for it. */

const WORDS: Readonly<Record<string, string>> = {
  running: "in-progress",
  waiting: "in-progress",
  failed: "blocked",
  skipped: "blocked",
};

/** What lists of tasks may say of a task. */
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

/** By task; what no list could say is left out. */
export function listedStatuses(data: unknown): Readonly<Record<string, string>> {
  if (typeof data !== "object" || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([id, value]): [string, string][] => {
      const word = typeof value === "string" ? (WORDS[value] ?? value) : "";
      return isListed(word) ? [[id, word]] : [];
    }),
  );
}
