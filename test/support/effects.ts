/** Claims and settles effects as a supervisor does. */

import type { DeedRow, Outcome } from "../../src/engine/ports/outbox.ts";
import type { Store } from "../../src/engine/ports/store.ts";

/** A number higher than that of every supervisor before. */
export async function newFence(store: Store): Promise<number> {
  const fence = (await store.fence()) + 1;
  await store.commit([{ type: "take-fence", fence }]);
  return fence;
}

type Claim = { readonly fence: number; readonly leaseUntil: number };

/** The effect as it is claimed; undefined where it is not free. */
export async function claim(
  store: Store,
  key: string,
  { fence, leaseUntil }: Claim,
): Promise<DeedRow | undefined> {
  const row = (await store.deeds(key.split(":").slice(0, -2).join(":"))).find((each) => each.key === key);
  const tries = row?.tries ?? 0;
  const claimed = await store.commit([{ type: "claim", key, tries, fence, leaseUntil }]);
  if (row === undefined || claimed.type !== "written") return undefined;
  return { ...row, status: "claimed", owner: fence, tries: tries + 1 };
}

export async function settle(
  store: Store,
  key: string,
  { fence, outcome }: { readonly fence: number; readonly outcome: Outcome },
): Promise<boolean> {
  return (await store.commit([{ type: "settle", key, fence, outcome }])).type === "written";
}

/** Claims an effect, carries it out and settles it. */
export async function carriedOut(store: Store, key: string, act: () => Promise<unknown>): Promise<void> {
  await claim(store, key, { fence: 0, leaseUntil: Number.MAX_SAFE_INTEGER });
  await act();
  await settle(store, key, { fence: 0, outcome: { type: "done", note: "" } });
}
