/** A run that is known to be there, as it is now. */

import { UserError } from "../../adapters/user-error.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { Acting } from "../context.ts";
import { rootOf, type Seen } from "./find.ts";

export async function requireKept({ box }: Acting, run: string): Promise<Kept> {
  const kept = await box.store.load(run);
  if (kept === undefined)
    throw new UserError("unknown-run", `there is no run "${run}"`, "signalbox list --all");
  return kept;
}

/** The same, as the commands that only look see it. */
export async function seenOf(on: Acting, run: string): Promise<Seen> {
  const kept = await requireKept(on, run);
  const { store } = on.box;
  const workflow = await on.box.workflow(kept.row.definition);
  return { ...kept, store, workflow, root: await rootOf(store, on.home, run) };
}
