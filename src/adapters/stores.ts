/** Which store a command works with: a PostgreSQL database where an address is given, otherwise the file in the state home. */

import type { Store } from "../engine/ports/store.ts";
import type { Home } from "./home/paths.ts";
import { openStore } from "./store/open.ts";

export type StorePlace = {
  readonly home: Home;
  /** `postgres://user@host/database`. */
  readonly database?: string | undefined;
};

/** Made where there is none yet. */
export async function openStoreOf({ home, database }: StorePlace): Promise<Store> {
  if (database === undefined) return openStore(home);
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres(database);
}
