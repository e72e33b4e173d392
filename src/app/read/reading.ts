/** What a read works with: the store if there is one, and who asks. */

import type { Who } from "../../adapters/person/who.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation } from "../invocation.ts";

export type Reading = {
  readonly door: Invocation;
  /** Undefined where nothing was ever started. */
  readonly store: Store | undefined;
  readonly who: Who;
};
