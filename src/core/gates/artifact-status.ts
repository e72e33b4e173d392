/**
 * The status of an artifact now: whether it exists, is valid, is new, is about the current content, and comes from an author
 * whose submissions count. Every doubt counts against the artifact.
 *
 * This function runs very often and builds no texts; `status-reason.ts` adds the reason for people.
 */

import { isForeign } from "./accepted-artifacts.ts";
import { rulesOf, weigh, type Rules } from "./review-consistency.ts";
import type { Workflow } from "../model/compile.ts";
import { isGrouped } from "./fan-out-groups.ts";
import { slotKey, type HeldReading, type Run } from "../model/run.ts";
import { SEVERITIES, VERDICTS, type Severity, type Verdict } from "../model/verdict.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Literal, Value } from "../model/value.ts";
import type { ArtifactStatus } from "../model/workflow.ts";

/** An artifact, or one member of a fan-out. */
export type ArtifactSlot = { readonly artifact: string; readonly slot: string };

/** Why an artifact has its status. */
export type StatusCause =
  | Verdict
  | "absent"
  | "waiver"
  | "foreign"
  | "old"
  | "input"
  | "unaccepted"
  | "tree"
  | "fault"
  | "overfull"
  | "contradiction"
  | "valid"
  | "holds"
  | "all"
  | "some"
  | "none";

export const STANDINGS: Readonly<Record<StatusCause, ArtifactStatus>> = {
  absent: "missing",
  waiver: "waived",
  foreign: "stale",
  old: "stale",
  input: "stale",
  unaccepted: "stale",
  tree: "stale",
  fault: "invalid",
  overfull: "invalid",
  contradiction: "invalid",
  valid: "valid",
  holds: "holds",
  all: "all",
  some: "some",
  none: "none",
  pass: "pass",
  pass_with_notes: "pass_with_notes",
  needs_fix: "needs_fix",
  needs_human: "needs_human",
  reject: "reject",
};

/** Statuses that open a gate. */
export function isGood(standing: ArtifactStatus): boolean {
  switch (standing) {
    case "valid":
    case "holds":
    case "pass":
    case "pass_with_notes":
    case "waived":
    case "all":
      return true;
    case "missing":
    case "invalid":
    case "stale":
    case "some":
    case "none":
    case "needs_fix":
    case "needs_human":
    case "reject":
      return false;
  }
}

export function standingOf(workflow: Workflow, run: Run, name: string): ArtifactStatus {
  return STANDINGS[causeOf(workflow, run, name)];
}

/** The status of one member of a fan-out. */
export function standingOfSlot(workflow: Workflow, run: Run, member: ArtifactSlot): ArtifactStatus {
  return STANDINGS[causeOfSlot(workflow, run, member)];
}

/** Whether the artifact has a verdict that counts, even if the content that it is about has changed since. */
export function hasVerdict(workflow: Workflow, run: Run, name: string): boolean {
  const artifact = workflow.definition.artifacts[name];
  const held = run.held[name];
  if (artifact === undefined || held === undefined) return false;
  const cause = assess(workflow, run, { artifact: { ...artifact, bind: [] }, held });
  return VERDICTS.some((verdict) => verdict === cause);
}

export function causeOfSlot(
  workflow: Workflow,
  run: Run,
  { artifact: name, slot }: ArtifactSlot,
): StatusCause {
  const artifact = workflow.definition.artifacts[name];
  const held = run.held[slotKey(name, slot)];
  if (artifact === undefined || held === undefined) return "absent";
  return isOverfull(workflow, run, held) ? "overfull" : assess(workflow, run, { artifact, held });
}

export function causeOf(workflow: Workflow, run: Run, name: string): StatusCause {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return "absent";
  if (isWaived(run, name, artifact)) return "waiver";
  if (artifact.each !== undefined) return assessSlots(run, name);
  const held = run.held[name];
  if (held === undefined) return "absent";
  return isOverfull(workflow, run, held) ? "overfull" : assess(workflow, run, { artifact, held });
}

function assess(
  workflow: Workflow,
  run: Run,
  { artifact, held }: { readonly artifact: Artifact; readonly held: HeldReading },
): StatusCause {
  const { reading } = held;
  if (!reading.found) return "absent";
  if (!artifact.by.includes(held.by)) return "foreign";
  if (run.baseline[slotKey(reading.artifact, reading.slot)] === reading.digest) return "old";
  for (const bound of artifact.bind) {
    if (isForeign(workflow, run, bound)) return "unaccepted";
    if (bound === "tree" ? !isOfTree(run, held.tree) : isChangedInput(run, held, bound))
      return bound === "tree" ? "tree" : "input";
  }
  if (reading.faults.length > 0) return "fault";
  if (artifact.reader.type === "children") return outcomeOf(reading.fields["outcome"]);
  if (reading.verdict === undefined) return artifact.reader.type === "fact" ? "holds" : "valid";
  const { verdict, issues, tests } = reading;
  const counted = weigh({ verdict, issues, tests }, rulesIn(run, artifact));
  return counted === "invalid" ? "contradiction" : counted;
}

/** A waiver is valid for the content at the time of the waiver. */
function isWaived(run: Run, name: string, { bind }: Artifact): boolean {
  const waiver = run.waivers[name];
  if (waiver === undefined) return false;
  for (const bound of bind) {
    if (bound === "tree") {
      if (!isOfTree(run, waiver.tree)) return false;
    } else if (
      waiver.inputs !== undefined &&
      waiver.inputs[bound] !== (run.held[bound]?.reading.digest ?? "")
    )
      return false;
  }
  return true;
}

/** Before the first reading of the tree, nothing can be about it. */
function isOfTree(run: Run, tree: string): boolean {
  return tree === run.tree && tree !== "";
}

/** Members become names of files and agents. */
const MEMBER = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/;

/** A fan-out has a limited number of members with safe names: a list that breaks this is rejected as a whole. */
function isOverfull({ fanOuts, definition }: Workflow, run: Run, { reading }: HeldReading): boolean {
  const fans = fanOuts[reading.artifact];
  if (fans === undefined) return false;
  return fans.some(({ list, max }) => {
    // Groups of issues get generated names, which are always safe.
    if (isGrouped(definition.artifacts[reading.artifact], list)) return false;
    const members = reading.lists[list] ?? [];
    return (
      members.length === 0 ||
      members.length > Number(valueOf(run, max)) ||
      members.some((member) => !MEMBER.test(member) || member.includes(".."))
    );
  });
}

export function isChangedInput(run: Run, held: HeldReading, bound: string): boolean {
  return held.inputs[bound] !== (run.held[bound]?.reading.digest ?? "");
}

function outcomeOf(outcome: Literal | undefined): StatusCause {
  return (["all", "some", "none"] as const).find((known) => known === outcome) ?? "fault";
}

function assessSlots(run: Run, name: string): StatusCause {
  const slots = run.slots[name];
  if (slots === undefined) return "absent";
  let done = 0;
  let all = 0;
  for (const slot in slots) {
    if (slots[slot] === "open") return "absent";
    if (slots[slot] === "done") done += 1;
    all += 1;
  }
  if (done === 0) return "none";
  return done === all ? "all" : "some";
}

/** How a review is judged in this run. */
export function rulesIn(run: Run, artifact: Artifact): Rules {
  const { reader } = artifact;
  const review = reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
  return rulesOf(review, blockOf(run, artifact));
}

export function valueOf<T extends Literal>(run: Run, value: Value<T>): Literal {
  return typeof value === "object" ? (run.params[value.param] ?? "") : value;
}

/** The lowest severity that blocks in this run. */
export function blockOf(run: Run, { block }: Artifact): Severity {
  return severity(valueOf(run, block));
}

function severity(word: Literal): Severity {
  // With an unknown threshold, every severity blocks.
  return SEVERITIES.find((known) => known === word) ?? "low";
}
