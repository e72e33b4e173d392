/** Whether a supervisor is needed: something is to be done, a run in the queue may begin, or a branch may have been merged. */

import { areBranchesNews } from "../../adapters/git/delivery/last-look.ts";
import type { Home } from "../../adapters/home/paths.ts";
import { isTurnOfSomebody } from "../../engine/queue/position.ts";
import type { Store } from "../../engine/ports/store.ts";

export type Due = Pick<Store, "isBusy" | "line" | "workspaces" | "projectAt" | "marks" | "isGraphDue">;

/** The cheapest first. Where no run has a workspace and none is in the queue, four reads. Where an agent is at work, the first is enough. */
export async function isDue(store: Due, home: Home): Promise<boolean> {
  const now = Date.now();
  if ((await store.isBusy()) || (await store.isGraphDue())) return true;
  return (await isTurnOfSomebody(store, now)) || (await areBranchesNews(store, home));
}
