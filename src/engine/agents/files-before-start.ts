/**
 * What lies in an agent's place before its process begins is not its work, whoever has put it there: somebody who works beside it, an
 * earlier attempt that was slow to end, or the repository itself. Found unchanged at the agent's end, it says nothing.
 */

import type { Reading } from "../../core/model/event.ts";
import { slotKey } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow } from "../ports/registry.ts";

const FILE = "beforehand";

/** Called before the first turn of an attempt. Most of the time there is nothing but what the journal knows of. */
export async function lookBeforehand(
  works: Works,
  { row, run }: Kept,
  on: { readonly agent: AgentRow; readonly readings: readonly Reading[] },
): Promise<void> {
  const { agent, readings } = on;
  const workflow = await works.workflow(row.definition);
  const { role, slot } = agent;
  const seen = run.agents[slotKey(role, slot)]?.seen ?? {};
  const lines = readings
    .filter(({ artifact, digest, ...of }) => {
      const declared = workflow.definition.artifacts[artifact];
      if (digest === "" || declared?.by.includes(role) !== true) return false;
      return (declared.each === undefined || of.slot === slot) && seen[slotKey(artifact, of.slot)] !== digest;
    })
    .map(lineOf);
  if (lines.length > 0) works.desk.write(agent.dir, FILE, lines.join("\n"));
}

export function newSince(works: Works, agent: AgentRow, readings: readonly Reading[]): readonly Reading[] {
  const text = agent.dir === "" ? undefined : works.desk.read(agent.dir, FILE);
  if (text === undefined) return readings;
  const found = new Set(text.split("\n"));
  return readings.filter((reading) => !found.has(lineOf(reading)));
}

function lineOf({ artifact, slot, digest }: Reading): string {
  return `${digest} ${slotKey(artifact, slot)}`;
}
