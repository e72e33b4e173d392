/**
 * Members of a fan-out that are worked off one after the other, in the order of their list.
 *
 * When one is settled and the run stays where it is, its agent is stopped and the next one's is started. A move leads elsewhere: what is left
 * open goes on where the fan-out is started again.
 */

import { isUp, start } from "../step/act.ts";
import type { Workflow } from "../model/compile.ts";
import { record, type Draft } from "../step/draft.ts";
import { membersOf } from "./fan-out-members.ts";
import type { Run } from "../model/run.ts";

export function goOn(draft: Draft): void {
  const { inTurn } = draft.workflow;
  if (inTurn.length === 0 || draft.events.some(({ type }) => type === "moved")) return;
  for (const name of inTurn) {
    const isSettled = draft.events.some((event) => event.type === "slot-settled" && event.artifact === name);
    const [role = ""] = draft.workflow.definition.artifacts[name]?.by ?? [];
    const next = isSettled ? nextOf(draft.workflow, draft.run, name) : undefined;
    if (next === undefined) continue;
    dismiss(draft, name);
    start(draft, { role, slot: next, fan: name });
  }
}

/** The first that is open. Names that look like numbers are not kept in their order, so that the list itself is asked. */
function nextOf(workflow: Workflow, run: Run, name: string): string | undefined {
  const each = workflow.definition.artifacts[name]?.each;
  const slots = run.slots[name] ?? {};
  const listed = each === undefined ? [] : membersOf(workflow, run, each).map(({ slot }) => slot);
  return [...listed, ...Object.keys(slots)].find((slot) => slots[slot] === "open");
}

/** Whoever is done has nothing left to do, and must not write beside the next one. */
function dismiss(draft: Draft, name: string): void {
  for (const agent of Object.values(draft.run.agents)) {
    const { role, slot, attempt } = agent;
    if (agent.fan !== name || !isUp(agent) || draft.run.slots[name]?.[slot] === "open") continue;
    record(draft, { type: "agent-dismissed", role, slot, attempt });
    draft.effects.push({ type: "stop-agent", role, slot, attempt });
  }
}
