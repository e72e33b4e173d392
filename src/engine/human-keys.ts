/** Of the keys that people have signed with in a state home: which came in although the one before it was lost. */

import type { HumanKeyRow } from "./ports/registry.ts";

/** The fingerprints that nobody has named, and those that came after them. */
export function unnamedKeys(rows: readonly HumanKeyRow[]): ReadonlySet<string> {
  const [before, unnamed] = [new Set<string>(), new Set<string>()];
  let isLost = false;
  for (const { fingerprint, how } of rows) {
    isLost ||= how === "lost";
    // A key that was known before the loss and is put back is what it was.
    if (isLost && !before.has(fingerprint)) unnamed.add(fingerprint);
    before.add(fingerprint);
  }
  return unnamed;
}
