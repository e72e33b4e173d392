/**
 * An agent has ended. Its outputs are read first; if they open a move, the run takes it. Otherwise the definition's rule for this
 * role in this state counts and acts; without a rule the agent is marked for a person.
 */

import { act, isUp, start } from "../act.ts";
import { endKey, type Workflow } from "../../model/compile.ts";
import { open, record, type StepDraft } from "../draft.ts";
import type { Incoming } from "../../model/event.ts";
import { isOpen, isSpent } from "../../gates/gate.ts";
import { intakeAtEnd } from "../intake.ts";
import { endedWell, isProof, ownMoves } from "../move-at-end.ts";
import { INFRASTRUCTURE_MAX, slotKey, type Agent, type Run } from "../../model/run.ts";
import { count, settle, take } from "../take.ts";
import type { Action, EndRule } from "../../model/workflow.ts";

type AgentEnded = Extract<Incoming, { type: "agent-ended" }>;

export function agentEnded(draft: StepDraft, event: AgentEnded, agent: Agent): void {
  const { role, slot } = event;
  const { state } = draft.run;
  const rule = draft.workflow.ends[endKey(role, state)];
  const { fan } = agent;
  leave(draft, event, agent);
  if (settle(draft) || tryMove(draft, event, agent)) {
    const isOver = draft.workflow.definition.states[draft.run.state]?.final !== undefined;
    if (!isOver) act(draft, rule?.then ?? []);
    return;
  }
  if (isMemberDone(draft, agent)) return;
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

/** The artifacts of the agent are read, and it is gone. */
function leave(draft: StepDraft, event: AgentEnded, agent: Agent): void {
  const { role, slot, attempt } = event;
  intakeAtEnd(draft, event, agent);
  record(draft, { type: "agent-gone", role, slot, attempt });
}

function isMemberDone({ run }: StepDraft, { fan, slot }: Agent): boolean {
  return fan !== undefined && run.slots[fan]?.[slot] === "done";
}

/**
 * Whether the agent has done what the run waits for, so that its end would not count as a failure; and the run with everything that the
 * agent left. Nothing is decided by it.
 */
export function outcomeOfEnd(
  workflow: Workflow,
  run: Run,
  event: AgentEnded,
): { readonly isDone: boolean; readonly run: Run } {
  const agent = run.agents[slotKey(event.role, event.slot)];
  if (agent?.attempt !== event.attempt || !isUp(agent)) return { isDone: true, run };
  const draft = open(workflow, run, event);
  record(draft, event);
  leave(draft, event, agent);
  const left = { ...draft.run };
  return { isDone: settle(draft) || tryMove(draft, event, agent) || isMemberDone(draft, agent), run: left };
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
