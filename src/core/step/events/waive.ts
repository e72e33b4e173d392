/** A person lets a failed gate pass, for the content as it is now. */

import { waivedFor } from "../../gates/accepted-artifacts.ts";
import { isBlank } from "../../text/blank.ts";
import { record, type Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { nameOf, seeTree } from "../intake.ts";
import { invalid, notYourRole } from "../refuse.ts";
import { isGood, standingOf } from "../../gates/artifact-status.ts";
import { answeredFor } from "../schedule-change.ts";
import { settle } from "../take.ts";

export function waive(draft: Draft, event: Extract<Incoming, { type: "waived" }>): Refusal | undefined {
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
