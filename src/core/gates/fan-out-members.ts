/** The current members of a fan-out. Only a valid list has members. A fan-out without members is a separate outcome. */

import type { Workflow } from "../model/compile.ts";
import { groupsOf, isGrouped, type FanOutMember } from "./fan-out-groups.ts";
import { slotKey, type Run } from "../model/run.ts";
import { blockOf, hasVerdict, isGood, standingOf, valueOf } from "./artifact-status.ts";
import type { Artifact } from "../model/artifact.ts";

export function membersOf(workflow: Workflow, run: Run, each: NonNullable<Artifact["each"]>): FanOutMember[] {
  const source = workflow.definition.artifacts[each.artifact];
  const reading = run.held[each.artifact]?.reading;
  if (source === undefined || reading === undefined) return [];
  if (isGrouped(source, each.list)) {
    // Each fix changes the reviewed work, and later members still fix their part of the review.
    const isSaid = hasVerdict(workflow, run, each.artifact);
    return isSaid
      ? groupsOf(reading.files ?? {}, { block: blockOf(run, source), max: Number(valueOf(run, each.max)) })
      : [];
  }
  if (!isGood(standingOf(workflow, run, each.artifact))) return [];
  return [...new Set(reading.lists[each.list])].map((slot) => ({ slot, member: slot }));
}

/** The member of a slot, in the words of the original list. */
export function memberOf(workflow: Workflow, run: Run, agent: { role: string; slot: string }): string {
  const { fan } = run.agents[slotKey(agent.role, agent.slot)] ?? {};
  const each = fan === undefined ? undefined : workflow.definition.artifacts[fan]?.each;
  const members = each === undefined ? [] : membersOf(workflow, run, each);
  return members.find(({ slot }) => slot === agent.slot)?.member ?? agent.slot;
}
