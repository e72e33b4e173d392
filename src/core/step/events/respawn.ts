/** A person has a crashed agent started again. */

import { foreignFor } from "../../gates/accepted-artifacts.ts";
import { start } from "../act.ts";
import { record, type Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { nameOf } from "../intake.ts";
import { invalid, notAccepted, notYourRole } from "../refuse.ts";

export function respawn(
  draft: Draft,
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
