/** What a definition's actions do to a run. An action without a target does nothing. */

import { foreignFor } from "../gates/accepted-artifacts.ts";
import { record, type StepDraft } from "./draft.ts";
import { membersOf } from "../gates/fan-out-members.ts";
import { slotKey, type Agent, type Run } from "../model/run.ts";
import { isGood, standingOfSlot } from "../gates/artifact-status.ts";
import type { Action } from "../model/workflow.ts";
import type { Workflow } from "../model/compile.ts";

export function act(draft: StepDraft, actions: readonly Action[]): void {
  for (const action of actions) actOnce(draft, action);
}

function actOnce(draft: StepDraft, action: Action): void {
  switch (action.type) {
    case "start":
      return start(draft, {
        role: action.role,
        slot: "",
        ...(action.prompt === undefined ? {} : { prompt: action.prompt }),
      });
    case "start-each":
      return startEach(draft, action.role, action.artifact);
    case "start-tasks":
      draft.effects.push({ type: "start-tasks", artifact: action.artifact, entry: draft.run.entry });
      return;
    case "start-next":
      draft.effects.push({ type: "start-next" });
      return;
    case "stop":
      return stop(draft, (agent) => agent.role === action.role);
    case "stop-all":
      return stop(draft, () => true);
    case "tell":
      return tell(draft, action);
    case "mark":
      return mark(draft, action.role);
    case "run":
      draft.effects.push({ type: "run-check", artifact: action.check });
      return;
    case "release":
      draft.effects.push({ type: "release-resource", resource: action.resource });
      return;
    case "archive":
      // No other event records that the file of a member is gone, and a restarted fan-out writes it again.
      seeGone(draft, (key) => action.artifacts.some((name) => key.startsWith(`${name}/`)));
      draft.effects.push({ type: "archive-artifacts", artifacts: action.artifacts, entry: draft.run.entry });
      return;
    case "perform":
      draft.effects.push({ ...action, tree: draft.run.tree, entry: draft.run.entry });
      return;
  }
}

/** Starts an agent unless one is alive for the same role and slot: two never exist. */
export function start(
  draft: StepDraft,
  call: { role: string; slot: string; prompt?: string; fan?: string },
): void {
  const { role, slot } = call;
  const present = draft.run.agents[slotKey(role, slot)];
  if (present !== undefined && isUp(present)) return;
  if (isWithheld(draft, role, slot)) return;
  const declared = draft.workflow.definition.roles[role];
  const attempt = (draft.run.attempts[role] ?? 0) + 1;
  const prompt = call.prompt ?? (attempt === 1 ? declared?.prompt : declared?.again) ?? role;
  const fan = call.fan === undefined ? {} : { fan: call.fan };
  seeArchived(draft, role);
  const given = { inputs: inputsOf(draft, role), seen: seenOf(draft, role, slot) };
  record(draft, { type: "agent-called", role, slot, attempt, prompt, ...given, ...fan });
  draft.effects.push({ type: "start-agent", role, slot, attempt, prompt, ...fan });
}

/**
 * The agent's result would be about texts that are not accepted, and would not count. A person must accept the texts and restart
 * the agent.
 */
function isWithheld(draft: StepDraft, role: string, slot: string): boolean {
  // No person restarts a single member of a fan-out. So it starts; its result does not count, and its end is counted.
  const foreign = slot === "" ? foreignFor(draft.workflow, draft.run, role) : [];
  if (foreign.length === 0) return false;
  const attempt = draft.run.attempts[role] ?? 0;
  record(draft, { type: "agent-crashed", role, slot, attempt, foreign });
  return true;
}

export function isUp(agent: Agent): boolean {
  return agent.status === "called" || agent.status === "alive";
}

/**
 * A file that is archived before its author starts no longer exists, so the same content counts as new afterwards. A section may
 * return with its page.
 */
function seeArchived(draft: StepDraft, role: string): void {
  const { artifacts } = draft.workflow.definition;
  const archived = draft.effects.flatMap((effect) =>
    effect.type === "archive-artifacts" ? effect.artifacts : [],
  );
  const isOwnFile = (name: string): boolean => {
    const { by = [], reader } = artifacts[name] ?? {};
    return by.includes(role) && reader?.type !== "section";
  };
  const own = new Set(archived.filter(isOwnFile));
  if (own.size > 0) seeGone(draft, (key) => own.has(key));
}

function seeGone(draft: StepDraft, isMeant: (key: string) => boolean): void {
  for (const [key, digest] of Object.entries(draft.run.seen))
    if (digest !== "" && isMeant(key)) record(draft, { type: "artifact-seen", key, digest: "" });
}

/** Digests of the artifacts that the role's own outputs are bound to, at its start. */
function inputsOf(draft: StepDraft, role: string): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const artifact of Object.values(draft.workflow.definition.artifacts)) {
    if (!artifact.by.includes(role)) continue;
    for (const bound of artifact.bind) {
      if (bound !== "tree") inputs[bound] = draft.run.held[bound]?.reading.digest ?? "";
    }
  }
  return inputs;
}

/** Digests of the role's outputs that exist already. At the agent's end, only later changes are its work. */
function seenOf({ workflow, run }: StepDraft, role: string, slot: string): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name in workflow.definition.artifacts) {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined || !artifact.by.includes(role)) continue;
    const key = artifact.each === undefined ? name : slotKey(name, slot);
    const digest = run.seen[key];
    if (digest !== undefined) seen[key] = digest;
  }
  return seen;
}

function startEach(draft: StepDraft, role: string, name: string): void {
  const each = draft.workflow.definition.artifacts[name]?.each;
  if (each === undefined) return;
  const slots = membersOf(draft.workflow, draft.run, each).map(({ slot }) => slot);
  record(draft, { type: "slots-opened", artifact: name, slots: slots });
  const open = each.inOrder === true ? firstOpen(draft, name, slots) : slots;
  for (const slot of open) start(draft, { role, slot, fan: name });
}

/** In order: an interrupted member continues, and a member with a valid result is skipped. */
function firstOpen(draft: StepDraft, name: string, slots: readonly string[]): readonly string[] {
  const isDone = (slot: string): boolean =>
    isGood(standingOfSlot(draft.workflow, draft.run, { artifact: name, slot }));
  for (const slot of slots.filter(isDone))
    record(draft, { type: "slot-settled", artifact: name, slot, outcome: "done" });
  return slots.filter((slot) => draft.run.slots[name]?.[slot] === "open").slice(0, 1);
}

function stop(draft: StepDraft, matches: (agent: Agent) => boolean): void {
  for (const agent of Object.values(draft.run.agents)) {
    if (!matches(agent)) continue;
    const { role, slot, attempt } = agent;
    if (isUp(agent)) {
      record(draft, { type: "agent-dismissed", role, slot, attempt });
      draft.effects.push({ type: "stop-agent", role, slot, attempt });
    } else if (agent.status === "crashed") {
      record(draft, { type: "agent-gone", role, slot, attempt });
    }
  }
}

function tell(draft: StepDraft, action: Extract<Action, { type: "tell" }>): void {
  const agent = draft.run.agents[action.role];
  if (agent !== undefined && isUp(agent)) {
    draft.effects.push({
      type: "tell-agent",
      role: action.role,
      attempt: agent.attempt,
      message: action.message,
    });
  } else if (action.orStart !== undefined) {
    start(draft, {
      role: action.role,
      slot: "",
      ...(action.orStart === "" ? {} : { prompt: action.orStart }),
    });
  }
}

function mark(draft: StepDraft, role: string): void {
  const agent = draft.run.agents[role];
  const attempt = draft.run.attempts[role] ?? 0;
  if (agent === undefined) record(draft, { type: "agent-crashed", role, slot: "", attempt });
}

/**
 * Continues fan-outs whose members are processed one after the other, in the order of their list.
 *
 * When a member is settled and the run stays in its state, its agent is stopped and the next one is started. After a move, open
 * members continue when the fan-out is started again.
 */
export function goOn(draft: StepDraft): void {
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

/** The first open member. The list decides the order, because object keys that look like numbers do not keep theirs. */
function nextOf(workflow: Workflow, run: Run, name: string): string | undefined {
  const each = workflow.definition.artifacts[name]?.each;
  const slots = run.slots[name] ?? {};
  const listed = each === undefined ? [] : membersOf(workflow, run, each).map(({ slot }) => slot);
  return [...listed, ...Object.keys(slots)].find((slot) => slots[slot] === "open");
}

/** A finished agent must not write while the next one works. */
function dismiss(draft: StepDraft, name: string): void {
  for (const agent of Object.values(draft.run.agents)) {
    const { role, slot, attempt } = agent;
    if (agent.fan !== name || !isUp(agent) || draft.run.slots[name]?.[slot] === "open") continue;
    record(draft, { type: "agent-dismissed", role, slot, attempt });
    draft.effects.push({ type: "stop-agent", role, slot, attempt });
  }
}
