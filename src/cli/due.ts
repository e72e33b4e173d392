/** Whether somebody must be at work: something is to be done, it is somebody's turn, or a branch may have been merged. */

import { areBranchesNews } from "../adapters/git/looked.ts";
import type { Home } from "../adapters/home/paths.ts";
import { isTurnOfSomebody } from "../engine/line.ts";
import type { Store } from "../engine/ports/store.ts";

export type Due = Pick<
  Store,
  "isBusy" | "line" | "hasRoom" | "pools" | "projectAt" | "workspace" | "isHalted" | "isGraphDue"
>;

/** The cheapest first. Where nobody has a workspace and nobody waits for one, four reads. */
export function isDue(store: Due, home: Home): boolean {
  const now = Date.now();
  if (store.isBusy(now) || store.isGraphDue()) return true;
  return isTurnOfSomebody(store, now) || areBranchesNews(store, home);
}
