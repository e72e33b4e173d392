/** What a task stands behind: others that must be done before it. */

import type { Store } from "../../engine/ports/store.ts";

/** In words; undefined where everything that it depends on is done. */
export function waitsForOthers(store: Store, run: string): string | undefined {
  const open = store.depends(run).filter((other) => store.load(other)?.row.status !== "done");
  return open.length === 0 ? undefined : `${open.join(" and ")} to be done`;
}
