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

export type Worth = {
  readonly standing: ArtifactStatus;
  readonly reason: string;
  readonly at?: SourcePlace;
  /** What would fix it, if that is not to write it again. */
  readonly mend?: string;
};

export function worth(workflow: Workflow, run: Run, name: string): Worth {
  return explained({ workflow, run }, { artifact: name, slot: "" }, causeOf(workflow, run, name));
}

/** The status of a reading itself, without waivers. */
export function worthOfSlot(workflow: Workflow, run: Run, member: ArtifactSlot): Worth {
  return explained({ workflow, run }, member, causeOfSlot(workflow, run, member));
}

function explained(
  situation: { workflow: Workflow; run: Run },
  member: ArtifactSlot,
  cause: StatusCause,
): Worth {
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
  situation: { workflow: Workflow; run: Run },
  member: ArtifactSlot,
  cause: StatusCause,
): string {
  const { workflow, run } = situation;
  const name = member.artifact;
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return `unknown artifact "${name}"`;
  const what = describe(artifact, name);
  const held = run.held[slotKey(name, member.slot)];
  switch (cause) {
    case "absent":
      return held?.reading.faults[0]?.reason ?? `${what} does not exist yet`;
    case "waiver":
      return `waived by ${run.waivers[name]?.by ?? "a person"}: ${run.waivers[name]?.reason ?? ""}`;
    case "foreign":
      return `${what} counts only from ${artifact.by.join(" or ")}`;
    case "old":
      return `${what} has not changed since it was last used`;
    case "input": {
      const bound = artifact.bind.find(
        (other) => other !== "tree" && held !== undefined && isChangedInput(run, held, other),
      );
      return `${bound ?? "what it is about"} changed after ${what} was made`;
    }
    case "unaccepted":
      return sayForeign(workflow, run, foreignIn(situation, member) ?? "");
    case "tree":
      return `the work changed after ${what} was made`;
    case "fault":
      return held?.reading.faults[0]?.reason ?? `${what} has no outcome`;
    case "overfull":
      // A file that could not be read has no members: its fault is the reason.
      return held?.reading.faults[0]?.reason ?? `${what} must name ${mostIn(workflow, run, name)}`;
    case "contradiction":
      return `${what}: ${sayHeld(run, artifact, held)}`;
    case "valid":
    case "holds":
      return "";
    case "all":
    case "some":
    case "none":
      return `${cause} of ${what} are done`;
    case "pass":
    case "pass_with_notes":
    case "needs_fix":
    case "needs_human":
    case "reject":
      return `${what} says ${cause}${sayFailing(held?.reading.fields)}`;
  }
}

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
