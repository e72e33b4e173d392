/** What the processes of agents are called: everybody who sees one can tell whose it is. */

import type { JobRow, RunAttempt } from "../ports/registry.ts";

export function jobId(agent: RunAttempt, turn: number): string {
  return `${prefixOf(agent)}${turn}`;
}

/** Whether a job is a turn of this very attempt. */
export function isTurnOf(id: string, agent: RunAttempt): boolean {
  const prefix = prefixOf(agent);
  return id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length));
}

function prefixOf(agent: RunAttempt): string {
  return `${agentId(agent)}.`;
}

export function agentId({ run, role, slot, attempt }: RunAttempt): string {
  return `${run}.${role}${slot === "" ? "" : `.${encodeURIComponent(slot)}`}.${attempt}`;
}

/** The number of a turn is the last part of its job's name. */
export function turnOf({ id }: Pick<JobRow, "id">): number {
  return Number(id.split(".").at(-1));
}
