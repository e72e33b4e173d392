/**
 * Whoever calls, whatever for, has heard what it was told before.
 *
 * Only for agents, known by their token; where nothing was said to them, it costs one look. Whether the token is used by whom it was
 * given to is asked where somebody acts: here nothing depends on it but what people are shown.
 */

import { hashToken } from "../../adapters/person/token.ts";
import type { Store } from "../../engine/ports/store.ts";

export async function heard(store: Store, token: string): Promise<void> {
  const agent = await store.byToken(hashToken(token));
  if (agent !== undefined && agent.status !== "ended")
    await store.commit([{ type: "acknowledge", agent, at: Date.now() }]);
}
