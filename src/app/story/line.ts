/** How many runs of a list are queued, and why. */

import { workflowsOf } from "../../engine/box.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isSlotLeft, sayFull, slotsOf } from "../../engine/queue/slots.ts";

type Item = { readonly run: string; readonly repo: string; readonly queued: boolean };

/** Below a list: for each repository, how many of these runs are queued because as many agents work as may. */
export async function sayQueued(store: Store, items: readonly Item[]): Promise<readonly string[]> {
  const queued = Map.groupBy(
    items.filter((item) => item.queued),
    ({ repo }) => repo,
  );
  const workflow = workflowsOf(store);
  return (
    await Promise.all(
      [...queued].map(async ([repo, runs]) => {
        const slots = await slotsOf({ store, workflow }, repo);
        return isSlotLeft(slots) ? [] : [`${runs.length} queued: ${await sayFull(store, repo, slots)}`];
      }),
    )
  ).flat();
}
