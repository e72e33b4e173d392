/** What a person should know before deciding: that a verdict could be somebody else's, or that its author has changed what it is about. */

import { DOUBT } from "../../engine/doubt.ts";
import { EDITED } from "../../engine/edited.ts";
import type { Note, Recorded } from "../../engine/ports/journal.ts";
import type { Seen } from "../box.ts";

/** Doubts about the verdicts that stand: since then nobody was called who judges. Changes, until a person has decided something after them. */
export function doubtsOf({
  store,
  run,
  workflow,
}: Pick<Seen, "store" | "run" | "workflow">): readonly Note[] {
  const notes = store.notes(run.id).filter(({ kind }) => kind === DOUBT || kind === EDITED);
  if (notes.length === 0) return [];
  const { roles } = workflow.definition;
  const events = store.events(run.id);
  const called = events.findLast(
    ({ event }) => event.type === "agent-called" && roles[event.role]?.access === "read",
  );
  const decided = events.findLast(isDecision);
  return notes.filter(({ kind, at }) => {
    const since = kind === DOUBT ? called : decided;
    return since === undefined || at >= since.at;
  });
}

function isDecision({ event }: Recorded): boolean {
  return "by" in event && typeof event.by === "object" && event.by.type === "human";
}
