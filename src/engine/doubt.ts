/**
 * A verdict that was found on the page and that nobody handed in counts as the last word of whoever only reads. Where somebody who may
 * write lived beside it, the text could be theirs: that is told, and a person who decides on it can see it.
 */

import type { Works } from "./box.ts";
import type { AgentRow } from "./ports/registry.ts";
import type { Submission } from "./write.ts";

export const DOUBT = "doubt";

export function noteDoubt(works: Works, agent: AgentRow, submission: Submission): void {
  const { store, clock } = works;
  const { run, role, attempt } = agent;
  if (submission.type !== "accepted") return;
  const found = submission.events.flatMap((event) =>
    event.type === "artifact-read" && event.by === role && event.reading.verdict !== undefined
      ? [event.reading.artifact]
      : [],
  );
  const writers = found.length === 0 ? [] : writersBeside(works, agent);
  if (writers.length === 0) return;
  const text = `${role} ${attempt} left its verdict in ${found.join(", ")} and never handed it in, while ${writers.join(", ")}, who may write there, was alive: it could be theirs`;
  store.note({ run, at: new Date(clock.now()).toISOString(), kind: DOUBT, text });
}

/** Roles that may write and had a process while this agent was at work, where it only reads. */
export function writersBeside(works: Works, { run, role, startedAt }: AgentRow): string[] {
  const { store } = works;
  const kept = store.load(run);
  if (kept === undefined) return [];
  const { roles } = works.workflow(kept.row.definition).definition;
  if (roles[role]?.access !== "read") return [];
  const alive = store.jobs({ run, status: "live" }).filter(({ kind }) => kind === "turn");
  const since = new Date(startedAt).toISOString();
  const ended = store
    .events(run)
    .flatMap(({ event, at }) => (event.type === "agent-ended" && at >= since ? [event] : []));
  const names = [...alive, ...ended].map((each) => each.role);
  return [...new Set(names)].filter((name) => roles[name]?.access === "write");
}
