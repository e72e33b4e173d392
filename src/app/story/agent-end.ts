/** An agent, and how it has ended, in words. */

import type { Incoming } from "../../core/model/event.ts";

export function agentName({ role, slot }: { readonly role: string; readonly slot: string }): string {
  return slot === "" ? role : `${role}/${slot}`;
}

/** What a shell gives for a program that is not there, or cannot be run. */
const UNSTARTED: ReadonlySet<number> = new Set([126, 127]);

export function sayEnd({ cause, code }: Extract<Incoming, { type: "agent-ended" }>): string {
  if (code === undefined) return `ended: ${cause}`;
  const how = cause === "exited" && UNSTARTED.has(code) ? "its program did not start" : cause;
  return `ended: ${how} (exit code ${code})`;
}
