/**
 * An agent's program asks for permission to use a tool, and a person answers.
 *
 * A request moves nothing and opens no gate. It stays open until a person answers it or its agent no longer waits for an answer.
 */

import { isUp } from "../act.ts";
import { record, type StepDraft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { currentAgent, nameOf } from "../intake.ts";
import { isSameAttempt, PERMISSIONS_MAX, slotKey, type Attempt, type Permission } from "../../model/run.ts";
import { invalid, notYourRole, superseded } from "../refuse.ts";

export function askPermission(
  draft: StepDraft,
  event: Extract<Incoming, { type: "permission-asked" }>,
): Refusal | undefined {
  const { run } = draft;
  const { by, id } = event;
  if (by.type !== "agent")
    return notYourRole(run, { who: nameOf(by), what: "asking for permission", allowed: ["an agent"] });
  if (currentAgent(run, by) === undefined) return superseded(run, by);
  const open = run.permissions ?? [];
  if (open.some((each) => each.id === id)) return invalid(run, `permission ${id} is asked for already`);
  if (open.length >= PERMISSIONS_MAX)
    return invalid(run, `${PERMISSIONS_MAX} requests for permission are open already`);
  record(draft, event);
  draft.effects.push({ type: "ask-person", ask: "", id });
  return undefined;
}

export function answerPermission(
  draft: StepDraft,
  event: Extract<Incoming, { type: "permission-answered" }>,
): Refusal | undefined {
  const { run } = draft;
  const { by, id, answer } = event;
  if (by.type !== "human")
    return notYourRole(run, { who: nameOf(by), what: "giving permission", allowed: ["human"] });
  const asked = run.permissions?.find((each) => each.id === id);
  if (asked === undefined)
    return {
      code: "not-in-map",
      message: `no agent of run ${run.id} waits for permission ${id}`,
      next: `signalbox show ${run.id}`,
    };
  record(draft, event);
  record(draft, { type: "permission-closed", id, tool: asked.tool, answer, by: by.name ?? "human" });
  return undefined;
}

export function dropPermissions(
  draft: StepDraft,
  event: Extract<Incoming, { type: "permissions-dropped" }>,
): undefined {
  record(draft, event);
  drop(draft, (each) => isSameAttempt(each, event));
}

/** An agent that was stopped, or has ended, waits for nothing. */
export function dropOrphans(draft: StepDraft): void {
  drop(draft, (each) => !waits(draft, each));
}

function waits({ run }: StepDraft, { role, slot, attempt }: Attempt): boolean {
  const agent = run.agents[slotKey(role, slot)];
  return agent !== undefined && agent.attempt === attempt && isUp(agent);
}

function drop(draft: StepDraft, isGone: (each: Permission) => boolean): void {
  for (const { id, tool } of (draft.run.permissions ?? []).filter(isGone))
    record(draft, { type: "permission-closed", id, tool, answer: "", by: "engine" });
}
