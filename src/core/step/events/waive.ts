/**
 * Acts of people that change a run without a move: waive a gate, set a parameter, restart a crashed agent.
 *
 * A waiver lets a failed gate pass for the current content only.
 */

import { waivedFor, foreignFor } from "../../gates/accepted-artifacts.ts";
import { isBlank } from "../../text/blank.ts";
import { record, type StepDraft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { nameOf, seeTree, currentAgent } from "../intake.ts";
import { invalid, notYourRole, superseded, notAccepted } from "../refuse.ts";
import { isGood, standingOf } from "../../gates/artifact-status.ts";
import { answeredFor } from "../schedule-change.ts";
import { settle } from "../take.ts";
import { start } from "../act.ts";

export function waive(draft: StepDraft, event: Extract<Incoming, { type: "waived" }>): Refusal | undefined {
  const { workflow, run } = draft;
  const { artifact } = event;
  const who = nameOf(event.by);
  if (event.by.type !== "human") return notYourRole(run, { who, what: "a waiver", allowed: ["human"] });
  if (isBlank(event.reason)) return invalid(run, "a waiver needs a reason");
  const isNeeded = (workflow.movesFrom[run.state] ?? []).some((move) => move.need.includes(artifact));
  if (!isNeeded) return invalid(run, `nothing that leads out of ${run.state} needs ${artifact}`);
  record(draft, event);
  if (event.tree !== undefined && event.tree !== run.tree) seeTree(draft, event.tree);
  if (isGood(standingOf(workflow, run, artifact))) return invalid(run, `${artifact} passes already`);
  record(draft, {
    type: "waiver-given",
    artifact,
    reason: event.reason,
    ...waivedFor(workflow, draft.run, artifact),
    by: event.by.name ?? "human",
    ...answeredFor(workflow, artifact),
  });
  settle(draft);
  return undefined;
}

/** Changes a detail of a run, such as its branch or its summary. No guard reads such a parameter. */
export function setParam(
  draft: StepDraft,
  event: Extract<Incoming, { type: "param-set" }>,
): Refusal | undefined {
  const { workflow, run } = draft;
  const param = workflow.definition.params[event.name];
  if (param === undefined) return invalid(run, `unknown parameter "${event.name}"`);
  if (param.type !== "text" || param.set.length === 0)
    return invalid(run, `parameter ${event.name} is fixed when a run starts`);
  if (event.by.type === "agent" && currentAgent(run, event.by) === undefined)
    return superseded(run, event.by);
  const who = nameOf(event.by);
  if (!param.set.includes(who))
    return notYourRole(run, { who, what: `changing ${event.name}`, allowed: param.set });
  record(draft, event);
  return undefined;
}

/** A person restarts a crashed agent. */
export function respawn(
  draft: StepDraft,
  event: Extract<Incoming, { type: "respawn-asked" }>,
): Refusal | undefined {
  const { run } = draft;
  const { role } = event;
  const who = nameOf(event.by);
  if (event.by.type !== "human")
    return notYourRole(run, { who, what: "starting an agent again", allowed: ["human"] });
  const agent = run.agents[role];
  if (agent === undefined || agent.status !== "crashed") return invalid(run, `${role} has not crashed`);
  const [foreign] = foreignFor(draft.workflow, run, role);
  if (foreign !== undefined) return notAccepted(draft.workflow, run, foreign);
  record(draft, event);
  start(draft, { role, slot: "" });
  return undefined;
}
