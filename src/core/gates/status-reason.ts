/** The status of an artifact, with the reason for people. */

import { isForeign, mendForeign, sayForeign } from "./accepted-artifacts.ts";
import { claimOf, sayContradictions } from "./review-consistency.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { Reading } from "../model/event.ts";
import { slotKey, type HeldReading, type Run } from "../model/run.ts";
import {
  causeOf,
  causeOfSlot,
  isChangedInput,
  rulesIn,
  STANDINGS,
  valueOf,
  type StatusCause,
  type ArtifactSlot,
} from "./artifact-status.ts";
import type { SourcePlace, ArtifactStatus } from "../model/workflow.ts";

export type ExplainedStatus = {
  readonly standing: ArtifactStatus;
  readonly reason: string;
  readonly at?: SourcePlace;
  /** What would fix it, if that is not to write it again. */
  readonly mend?: string;
};

export function explainedStatus(workflow: Workflow, run: Run, name: string): ExplainedStatus {
  return explained({ workflow, run }, { artifact: name, slot: "" }, causeOf(workflow, run, name));
}

/** The status of a reading itself, without waivers. */
export function explainedStatusOfSlot(workflow: Workflow, run: Run, member: ArtifactSlot): ExplainedStatus {
  return explained({ workflow, run }, member, causeOfSlot(workflow, run, member));
}

function explained(
  situation: { workflow: Workflow; run: Run },
  member: ArtifactSlot,
  cause: StatusCause,
): ExplainedStatus {
  const held = situation.run.held[slotKey(member.artifact, member.slot)];
  const fault = held?.reading.faults[0];
  const place =
    cause === "contradiction"
      ? held?.reading.said?.at
      : cause === "fault" || cause === "absent" || cause === "overfull"
        ? fault?.at
        : undefined;
  const at = place === undefined ? {} : { at: place };
  const mend =
    cause === "unaccepted" ? { mend: mendForeign(situation.run, foreignIn(situation, member) ?? "") } : {};
  return { standing: STANDINGS[cause], reason: reasonFor(situation, member, cause), ...at, ...mend };
}

function reasonFor(
  { workflow, run }: { workflow: Workflow; run: Run },
  { artifact: name, slot }: ArtifactSlot,
  cause: StatusCause,
): string {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return `unknown artifact "${name}"`;
  const held = run.held[slotKey(name, slot)];
  return REASONS[cause]({ workflow, run, name, artifact, held, what: describe(artifact, name) }, cause);
}

/** An artifact with everything that a reason may name; `what` describes the artifact for people. */
type Explained = {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly name: string;
  readonly artifact: Artifact;
  readonly held: HeldReading | undefined;
  readonly what: string;
};

type Explain = (explained: Explained, cause: StatusCause) => string;

const noReason: Explain = () => "";
const shareDone: Explain = ({ what }, cause) => `${cause} of ${what} are done`;
const verdictGiven: Explain = ({ what, held }, cause) =>
  `${what} says ${cause}${sayFailing(held?.reading.fields)}`;

const REASONS: Readonly<Record<StatusCause, Explain>> = {
  absent: ({ held, what }) => held?.reading.faults[0]?.reason ?? `${what} does not exist yet`,
  waiver: ({ run, name }) =>
    `waived by ${run.waivers[name]?.by ?? "a person"}: ${run.waivers[name]?.reason ?? ""}`,
  foreign: ({ what, artifact }) => `${what} counts only from ${artifact.by.join(" or ")}`,
  old: ({ what }) => `${what} has not changed since it was last used`,
  input: ({ run, artifact, held, what }) => {
    const bound = artifact.bind.find(
      (other) => other !== "tree" && held !== undefined && isChangedInput(run, held, other),
    );
    return `${bound ?? "what it is about"} changed after ${what} was made`;
  },
  unaccepted: ({ workflow, run, name }) =>
    sayForeign(workflow, run, foreignIn({ workflow, run }, { artifact: name, slot: "" }) ?? ""),
  tree: ({ what }) => `the work changed after ${what} was made`,
  fault: ({ held, what }) => held?.reading.faults[0]?.reason ?? `${what} has no outcome`,
  // A file that could not be read has no members: its fault is the reason.
  overfull: ({ workflow, run, name, held, what }) =>
    held?.reading.faults[0]?.reason ?? `${what} must name ${mostIn(workflow, run, name)}`,
  contradiction: ({ run, artifact, held, what }) => `${what}: ${sayHeld(run, artifact, held)}`,
  valid: noReason,
  holds: noReason,
  all: shareDone,
  some: shareDone,
  none: shareDone,
  pass: verdictGiven,
  pass_with_notes: verdictGiven,
  needs_fix: verdictGiven,
  needs_human: verdictGiven,
  reject: verdictGiven,
};

function mostIn({ fanOuts }: Workflow, run: Run, name: string): string {
  const most = new Set((fanOuts[name] ?? []).map(({ list, max }) => `1 to ${valueOf(run, max)} ${list}`));
  return `${[...most].join(" and ")}, with letters, digits, spaces, _ . and - only`;
}

/** The foreign artifact that this one is about. */
function foreignIn(
  situation: { workflow: Workflow; run: Run },
  { artifact }: ArtifactSlot,
): string | undefined {
  const bind = situation.workflow.definition.artifacts[artifact]?.bind ?? [];
  return bind.find((bound) => isForeign(situation.workflow, situation.run, bound));
}

function sayHeld(run: Run, artifact: Artifact, held: HeldReading | undefined): string {
  const claim = held === undefined ? undefined : claimOf(held.reading);
  return claim === undefined
    ? ""
    : sayContradictions(claim, rulesIn(run, artifact), held?.reading.said?.word);
}

/** For a failed check: where it failed and by which rule that is known. */
export function sayFailing({ failing, rule }: Reading["fields"] = {}): string {
  return failing === undefined || rule === "no-path" || rule === "cut-short"
    ? ""
    : `, failing: ${String(failing)}, rule: ${String(rule)}`;
}

function describe(artifact: Artifact, name: string): string {
  if (artifact.reader.type === "section")
    return `section "## ${artifact.reader.heading}" of ${artifact.file}`;
  return artifact.file === "" ? name : artifact.file;
}
