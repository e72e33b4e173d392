/** Whether a person has stopped a run. */

import type { Store } from "./ports/store.ts";

/** Held, too. */
export async function isHalted(store: Pick<Store, "marks">, run: string): Promise<boolean> {
  return ((await store.marks(run))?.halted ?? false) !== false;
}

/** No effect of the run is begun, and turns that are under way end by themselves. */
export async function isHeld(store: Pick<Store, "marks">, run: string): Promise<boolean> {
  return (await store.marks(run))?.halted === "held";
}
