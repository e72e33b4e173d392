/** Has merged branches looked at before a list of what waits is printed. */

import { setTimeout as pause } from "node:timers/promises";
import { areBranchesNews } from "../../adapters/git/delivery/last-look.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation } from "../invocation.ts";
import { requireHome } from "./find.ts";

const WAIT_MS = 2000;
const LOOK_MS = 50;

/** Gives whether the supervisor is still looking. Where no default branch has moved, a few looks at files. */
export async function isLookingAtBranches(store: Store, door: Invocation): Promise<boolean> {
  const home = requireHome(door);
  if (!(await areBranchesNews(store, home))) return false;
  const [{ wake }, { isSupervisorAlive }] = await Promise.all([
    import("./wake.ts"),
    import("../../adapters/supervisor/lock.ts"),
  ]);
  await wake({ door, home, box: { store } });
  for (let waited = 0; waited < WAIT_MS && isSupervisorAlive(home); waited += LOOK_MS) {
    if (!(await areBranchesNews(store, home))) return false;
    await pause(LOOK_MS);
  }
  return areBranchesNews(store, home);
}
