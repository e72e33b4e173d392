/** The members that a fan-out has now. Only what counts has any: without, there are none, and that is an outcome of its own. */

import type { Workflow } from "../model/compile.ts";
import { groupsOf, isGrouped, type Member } from "./fan-out-groups.ts";
import { slotKey, type Run } from "../model/run.ts";
import { blockOf, hasVerdict, isGood, standingOf, valueOf } from "./artifact-status.ts";
import type { Artifact } from "../model/artifact.ts";

export function membersOf(workflow: Workflow, run: Run, each: NonNullable<Artifact["each"]>): Member[] {
  const source = workflow.definition.artifacts[each.artifact];
  const reading = run.held[each.artifact]?.reading;
  if (source === undefined || reading === undefined) return [];
  if (isGrouped(source, each.list)) {
    // What is mended changes the work that the review was about, and those who come later mend the rest of it.
    const isSaid = hasVerdict(workflow, run, each.artifact);
    return isSaid
      ? groupsOf(reading.files ?? {}, { block: blockOf(run, source), max: Number(valueOf(run, each.max)) })
      : [];
  }
  if (!isGood(standingOf(workflow, run, each.artifact))) return [];
  return [...new Set(reading.lists[each.list])].map((slot) => ({ slot, member: slot }));
}

/** What an agent's slot stands for, in the words of the list that it came from. */
export function memberOf(workflow: Workflow, run: Run, of: { role: string; slot: string }): string {
  const { fan } = run.agents[slotKey(of.role, of.slot)] ?? {};
  const each = fan === undefined ? undefined : workflow.definition.artifacts[fan]?.each;
  const members = each === undefined ? [] : membersOf(workflow, run, each);
  return members.find(({ slot }) => slot === of.slot)?.member ?? of.slot;
}
