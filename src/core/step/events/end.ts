/**
 * An agent has ended. Its outputs are read first; if they open a move, the run takes it. Otherwise the definition's rule for this
 * role in this state counts and acts; without a rule the agent is marked for a person.
 */

import { act, start } from "../act.ts";
import { endKey } from "../../model/compile.ts";
import { record, type StepDraft } from "../draft.ts";
import type { Incoming } from "../../model/event.ts";
import { isOpen, isSpent } from "../../gates/gate.ts";
import { intakeAtEnd } from "../intake.ts";
import { endedWell, isProof, ownMoves } from "../move-at-end.ts";
import { INFRASTRUCTURE_MAX, type Agent } from "../../model/run.ts";
import { count, settle, take } from "../take.ts";
import type { Action, EndRule } from "../../model/workflow.ts";

type AgentEnded = Extract<Incoming, { type: "agent-ended" }>;

export function agentEnded(draft: StepDraft, event: AgentEnded, agent: Agent): void {
  const { role, slot, attempt } = event;
  const { state } = draft.run;
  const rule = draft.workflow.ends[endKey(role, state)];
  const { fan } = agent;
  intakeAtEnd(draft, event, agent);
  record(draft, { type: "agent-gone", role, slot, attempt });
  if (settle(draft) || tryMove(draft, event, agent)) {
    const isOver = draft.workflow.definition.states[draft.run.state]?.final !== undefined;
    if (!isOver) act(draft, rule?.then ?? []);
    return;
  }
  if (fan !== undefined && draft.run.slots[fan]?.[slot] === "done") return;
  const { cause } = event;
  const isBlameless = cause === "infrastructure" || cause === "outdated";
  if (isBlameless && draft.run.infrastructure < INFRASTRUCTURE_MAX) {
    // The machine or the terminal server was lost, or the work changed: the agent did not fail.
    const times = draft.run.infrastructure + 1;
    record(draft, { type: "infrastructure-lost", times, ...(cause === "outdated" ? { cause } : {}) });
    start(draft, { role, slot, ...(fan === undefined ? {} : { fan }) });
    return;
  }
  fail(draft, { rule, role, slot, fan });
}

function tryMove(draft: StepDraft, event: AgentEnded, agent: Agent): boolean {
  const { workflow, run } = draft;
  const move = ownMoves(workflow, run, agent.role).find(
    (candidate) => isOpen(draft, candidate) && (endedWell(event) || isProof(workflow, candidate, agent)),
  );
  if (move === undefined) return false;
  take(draft, move, { by: agent.role });
  settle(draft);
  return true;
}

function fail(
  draft: StepDraft,
  ended: {
    rule: EndRule | undefined;
    role: string;
    slot: string;
    fan: string | undefined;
  },
): void {
  const { workflow } = draft;
  const { rule, slot, fan } = ended;
  const counter = rule?.count;
  if (counter !== undefined && !isSpent(workflow, draft.run, counter)) count(draft, counter);
  if (fan !== undefined) {
    // A member of a fan-out is restarted while the budget lasts; then it has failed, and the other members continue.
    if (counter !== undefined && !isSpent(workflow, draft.run, counter))
      start(draft, { role: ended.role, slot, fan });
    else record(draft, { type: "slot-settled", artifact: fan, slot, outcome: "failed" });
    settle(draft);
    return;
  }
  if (settle(draft)) return;
  const fallback: readonly Action[] = [{ type: "mark", role: ended.role }];
  act(draft, rule === undefined || rule.do.length === 0 ? fallback : rule.do);
}
