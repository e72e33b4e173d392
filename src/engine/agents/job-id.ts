/** What the processes of agents are called: everybody who sees one can tell whose it is. */

import type { AgentRow } from "../ports/registry.ts";

type Named = Pick<AgentRow, "run" | "role" | "slot" | "attempt">;

export function jobId(agent: Named, turn: number): string {
  return `${prefixOf(agent)}${turn}`;
}

/** Whether a job is a turn of this very attempt. */
export function isTurnOf(id: string, agent: Named): boolean {
  const prefix = prefixOf(agent);
  return id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length));
}

function prefixOf({ run, role, slot, attempt }: Named): string {
  return `${run}.${role}${slot === "" ? "" : `.${encodeURIComponent(slot)}`}.${attempt}.`;
}
