/** All queries of the store, for every database that understands the SQL of the tables. */

import type { Store } from "../../engine/ports/store.ts";
import { journalOf } from "./journal/journal.ts";
import type { Ask } from "./sql.ts";
import { graphsOf } from "./tables/graphs.ts";
import { messagesOf } from "./tables/messages.ts";
import { outboxOf } from "./tables/outbox.ts";
import { parksOf } from "./tables/parks.ts";
import { isBusy, unattended } from "./tables/pending.ts";
import { projectsOf } from "./tables/projects.ts";
import { registryOf } from "./tables/registry.ts";

export function queriesOf(ask: Ask): Omit<Store, "commit" | "version" | "close"> {
  return {
    ...journalOf(ask),
    ...outboxOf(ask),
    ...registryOf(ask),
    ...projectsOf(ask),
    ...messagesOf(ask),
    ...parksOf(ask),
    ...graphsOf(ask),
    isBusy: ask(isBusy),
    unattended: ask(unattended),
    // Few commands verify: the others do not load what that takes.
    knownRuns: async () => ask((await import("./recovery/verify.ts")).runsKept)(),
    verify: async (run, check) => ask((await import("./recovery/verify.ts")).verifying, "moment")(run, check),
  };
}
