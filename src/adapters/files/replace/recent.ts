/**
 * Folders in which this process has left what it replaced, for a moment: nobody may ever write there again, and it is not to lie there for
 * ever. Only remembered: who dies leaves it to whoever writes there next.
 */

/** How long after a save somebody may still write into the same open file. */
export const LATE_MS = 10_000;

const FOLDERS_MAX = 1000;
/** When each was noted last. */
const noted = new Map<string, number>();

export function noteLate(folder: string): void {
  noted.delete(folder);
  if (noted.size < FOLDERS_MAX) noted.set(folder, Date.now());
}

/** Those whose moment is over, each once. */
export function takeDue(now = Date.now()): readonly string[] {
  const due: string[] = [];
  for (const [folder, at] of noted) {
    // In the order in which they were noted.
    if (now - at <= LATE_MS) break;
    due.push(folder);
  }
  for (const folder of due) noted.delete(folder);
  return due;
}
