/** What a person answers for: reviews and the like that failed, and that the person waived. */

import type { Verdict } from "../../core/verdict.ts";
import type { Store } from "../../engine/ports/store.ts";

const PASSED: ReadonlySet<Verdict> = new Set(["pass", "pass_with_notes"]);

/** A sentence for each of these artifacts that was waived last in this run. */
export function sayWaived(
  store: Pick<Store, "events">,
  run: string,
  artifacts: readonly string[],
): readonly string[] {
  return artifacts.map((artifact) => {
    const count = failedBeforeWaiver(store, run, artifact);
    if (count === 0) return `${artifact} is waived by you`;
    if (artifact !== "review") return `${artifact} failed (${count}); it is waived by you`;
    return `${count} ${count === 1 ? "review" : "reviews"} failed; the review is waived by you`;
  });
}

/** How many verdicts failed in a row before the last waiver. */
function failedBeforeWaiver(store: Pick<Store, "events">, run: string, artifact: string): number {
  let failed = 0;
  let beforeWaiver = 0;
  for (const { event } of store.events(run)) {
    if (event.type === "waiver-given" && event.artifact === artifact) {
      beforeWaiver = failed;
      failed = 0;
    }
    if (event.type !== "artifact-read" || event.reading.artifact !== artifact) continue;
    const { verdict } = event.reading;
    if (verdict !== undefined) failed = PASSED.has(verdict) ? 0 : failed + 1;
  }
  return beforeWaiver;
}
