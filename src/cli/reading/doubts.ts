/** What a person should know of a verdict before deciding on it: that it could be somebody else's. */

import type { Note } from "../../engine/ports/journal.ts";
import { DOUBT } from "../../engine/doubt.ts";
import type { Seen } from "../box.ts";

/** Those about the verdicts that stand: since then nobody was called who judges. */
export function doubtsOf({
  store,
  run,
  workflow,
}: Pick<Seen, "store" | "run" | "workflow">): readonly Note[] {
  const doubts = store.notes(run.id).filter(({ kind }) => kind === DOUBT);
  if (doubts.length === 0) return [];
  const { roles } = workflow.definition;
  const called = store
    .events(run.id)
    .findLast(({ event }) => event.type === "agent-called" && roles[event.role]?.access === "read");
  return doubts.filter(({ at }) => called === undefined || at >= called.at);
}
