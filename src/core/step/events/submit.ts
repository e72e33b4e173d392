/**
 * An actor submits artifacts. Either all are accepted or the submission is refused, so that the author can fix everything at
 * once.
 */

import { record, type StepDraft } from "../draft.ts";
import type { Incoming, Reading, Refusal } from "../../model/event.ts";
import { currentAgent, intake, nameOf } from "../intake.ts";
import { invalid, notYourRole, superseded, unusable } from "../refuse.ts";
import { standingOfSlot } from "../../gates/artifact-status.ts";
import { explainedStatusOfSlot } from "../../gates/status-reason.ts";
import { settle } from "../take.ts";

type Submitted = Extract<Incoming, { type: "submitted" }>;

export function submit(draft: StepDraft, event: Submitted): Refusal | undefined {
  const { run, workflow } = draft;
  if (event.by.type === "agent" && currentAgent(run, event.by) === undefined)
    return superseded(run, event.by);
  // The engine adds readings of the artifacts that it reads itself.
  const readings = (event.readings ?? []).filter(
    ({ artifact }) => workflow.definition.artifacts[artifact]?.reader.type !== "files",
  );
  for (const reading of readings) {
    const refusal = notTheirs(draft, event, reading);
    if (refusal !== undefined) return refusal;
  }
  record(draft, event);
  // The author of a submission has seen the texts that it is about in their current version.
  intake(draft, { readings: event.beside ?? [] }, event.by);
  intake(draft, event, event.by);
  for (const reading of readings) {
    const refusal = notCounting(draft, reading);
    if (refusal !== undefined) return refusal;
  }
  settle(draft);
  return undefined;
}

function notTheirs(draft: StepDraft, event: Submitted, reading: Reading): Refusal | undefined {
  const { workflow, run } = draft;
  const artifact = workflow.definition.artifacts[reading.artifact];
  if (artifact === undefined) return invalid(run, `unknown artifact "${reading.artifact}"`);
  const who = nameOf(event.by);
  const slot = event.by.type === "agent" ? event.by.slot : "";
  if (
    artifact.by.includes(who) &&
    (artifact.each === undefined ? reading.slot === "" : reading.slot === slot)
  )
    return undefined;
  return notYourRole(run, { who, what: `submitting ${reading.artifact}`, allowed: artifact.by });
}

/** A waiver opens a gate; it does not make the submission valid. */
export function notCounting({ workflow, run }: StepDraft, reading: Reading): Refusal | undefined {
  const standing = standingOfSlot(workflow, run, reading);
  if (standing !== "missing" && standing !== "invalid" && standing !== "stale") return undefined;
  return unusable(run, reading, explainedStatusOfSlot(workflow, run, reading));
}
