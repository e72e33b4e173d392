/** Applies the facts that come with an event: the tree, and the readings of artifacts. */

import { acceptedBefore, inputsOf } from "../gates/accepted-artifacts.ts";
import { isUp } from "./act.ts";
import { NONE } from "../model/compile.ts";
import { record, type StepDraft } from "./draft.ts";
import type { Actor, Facts, Reading } from "../model/event.ts";
import { slotKey, type Agent, type HeldReading, type Run } from "../model/run.ts";
import { isGood, standingOfSlot } from "../gates/artifact-status.ts";
import type { Artifact } from "../model/artifact.ts";

export function nameOf(actor: Actor): string {
  return actor.type === "agent" ? actor.role : actor.type;
}

/** The agent of an actor, if the actor's attempt is the current one. */
export function currentAgent(run: Run, actor: Extract<Actor, { type: "agent" }>): Agent | undefined {
  const agent = run.agents[slotKey(actor.role, actor.slot)];
  return agent !== undefined && agent.attempt === actor.attempt && isUp(agent) ? agent : undefined;
}

type FactsOfEvent = Facts & { readonly given?: readonly string[] };

export function intake(draft: StepDraft, facts: FactsOfEvent, actor: Actor): void {
  if (facts.tree !== undefined && facts.tree !== draft.run.tree) seeTree(draft, facts.tree);
  const from = { actor, given: facts.given ?? NONE };
  const { artifacts } = draft.workflow.definition;
  const isLookedAt = ({ artifact }: Reading): boolean => artifacts[artifact]?.reader.type === "files";
  const readings = facts.readings ?? NONE;
  // Other readings are about these artifacts in their current content.
  for (const reading of readings) if (isLookedAt(reading)) takeIn(draft, reading, from);
  for (const reading of readings) if (!isLookedAt(reading)) takeIn(draft, reading, from);
}

/** An output that an agent leaves at its end counts only if it has changed since the agent was called. */
export function intakeAtEnd(draft: StepDraft, facts: Facts, agent: Agent): void {
  const { role, slot, attempt, seen } = agent;
  const isWork = (reading: Reading): boolean =>
    reading.digest === "" || seen[slotKey(reading.artifact, reading.slot)] !== reading.digest;
  const readings = facts.readings?.filter(isWork) ?? [];
  intake(draft, { ...facts, readings }, { type: "agent", role, slot, attempt });
}

export function seeTree(draft: StepDraft, tree: string): void {
  const { workflow, run } = draft;
  const drop = Object.keys(run.waivers).filter((name) =>
    workflow.definition.artifacts[name]?.bind.includes("tree"),
  );
  record(draft, { type: "tree-seen", tree, drop });
}

function takeIn(draft: StepDraft, reading: Reading, from: { actor: Actor; given: readonly string[] }): void {
  const { actor } = from;
  const { workflow, run } = draft;
  const artifact = workflow.definition.artifacts[reading.artifact];
  if (artifact === undefined || !isOwnSlot(artifact, reading, actor)) return;
  // The engine itself is the author of these artifacts, for every actor.
  const isLookedAt = artifact.reader.type === "files";
  const by = isLookedAt ? "engine" : nameOf(actor);
  const key = slotKey(reading.artifact, reading.slot);
  const known = run.held[key];
  if (!artifact.by.includes(by)) {
    if (displaces(known, reading)) displace(draft, reading, by);
    else noteSeen(draft, key, reading.digest);
    return;
  }
  const agent = actor.type === "agent" && !isLookedAt ? currentAgent(run, actor) : undefined;
  const judge =
    agent !== undefined && workflow.definition.roles[agent.role]?.access === "read" ? agent : undefined;
  // A reader without write access judges the work of the handover.
  const tree = isLookedAt ? "" : (judge?.tree ?? run.tree);
  const inputs = judge?.inputs ?? inputsOf(run, artifact);
  const isAgain =
    !isLookedAt &&
    run.baseline[key] === reading.digest &&
    (from.given.includes(key) || isAnew({ run, artifact, reading }, agent));
  if (
    !isAgain &&
    known !== undefined &&
    known.by === by &&
    known.tree === tree &&
    known.reading.digest === reading.digest &&
    sameInputs(known.inputs, inputs)
  ) {
    // Another actor may have replaced the text in between: the next attempt must not find that replacement in `seen`.
    noteSeen(draft, key, reading.digest);
    return;
  }
  record(draft, { type: "artifact-read", reading, by, tree, inputs, ...(isAgain ? { again: true } : {}) });
  if (reading.slot !== "") settleSlot(draft, reading);
}

function noteSeen(draft: StepDraft, key: string, digest: string): void {
  if (draft.run.seen[key] !== digest) record(draft, { type: "artifact-seen", key, digest });
}

/**
 * The same text, in a file that did not exist when its author was called and that no event has seen since. Excludes sections:
 * they are part of a page that others write as a whole, so old text may return without its author.
 */
function isAnew(
  { run, artifact, reading }: { readonly run: Run; readonly artifact: Artifact; readonly reading: Reading },
  author: Agent | undefined,
): boolean {
  const key = slotKey(reading.artifact, reading.slot);
  return artifact.reader.type !== "section" && author?.seen[key] === "" && run.seen[key] !== reading.digest;
}

/**
 * A text that an author without a vote has changed is no longer the accepted one. A verdict stays: the journal has it, and
 * rewriting its text changes nothing.
 */
function displaces(known: HeldReading | undefined, reading: Reading): boolean {
  return (
    known !== undefined && known.reading.verdict === undefined && known.reading.digest !== reading.digest
  );
}

/** Keeps the accepted reading: if the text is restored exactly, it counts again. */
function displace(draft: StepDraft, reading: Reading, by: string): void {
  const { workflow, run } = draft;
  const accepted = acceptedBefore(workflow, run, reading);
  if (accepted?.digest === reading.digest) {
    const { by: author, tree, inputs } = accepted;
    record(draft, { type: "artifact-read", reading, by: author, tree, inputs });
    return;
  }
  const before = accepted === undefined ? {} : { accepted };
  record(draft, { type: "artifact-read", reading, by, tree: run.tree, inputs: {}, ...before });
}

/** In a fan-out, an agent may write only for its own slot. */
function isOwnSlot(artifact: Artifact, reading: Reading, actor: Actor): boolean {
  if (artifact.each === undefined) return reading.slot === "";
  return actor.type === "agent" && actor.slot === reading.slot;
}

function settleSlot(draft: StepDraft, reading: Reading): void {
  const isOpenSlot = draft.run.slots[reading.artifact]?.[reading.slot] === "open";
  if (!isOpenSlot || !isGood(standingOfSlot(draft.workflow, draft.run, reading))) return;
  record(draft, { type: "slot-settled", artifact: reading.artifact, slot: reading.slot, outcome: "done" });
}

function sameInputs(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return Object.keys(b).every((key) => a[key] === b[key]);
}
