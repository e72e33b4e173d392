/**
 * All events that are possible in the current state of a run, as input for `step`.
 *
 * Contents are abstract: an artifact is new and has one of the outcomes that a guard distinguishes; a fan-out has two members;
 * the tree is unchanged or changed. Checker and simulator both use this function, so the proof is about what the real core does.
 *
 * An artifact that only its own author's moves read is written when it is needed: with the request for the move, or at the
 * author's end. Writing it earlier leads to no other state, because its author has the same possibilities afterwards.
 *
 * For the same reason the engine sees a fact that only opens moves of people when a person requests such a move.
 */

import { foreignFor } from "../../gates/accepted-artifacts.ts";
import { isUp } from "../../step/act.ts";
import type { Workflow } from "../../model/compile.ts";
import type { Actor, Incoming, Reading } from "../../model/event.ts";
import { holds, isOpen, isSpent, targetOf } from "../../gates/gate.ts";
import { isProof, ownMoves } from "../../step/move-at-end.ts";
import { slotKey, type Agent, type Run, type Attempt } from "../../model/run.ts";
import { isGood, standingOf } from "../../gates/artifact-status.ts";
import { shownBy } from "../../step/events/answer.ts";
import { step, type Step } from "../../step/step.ts";
import type { Artifact } from "../../model/artifact.ts";
import type { Condition, Move } from "../../model/workflow.ts";
import { outcomesOf } from "./outcomes.ts";
import { changedFiles, isBoundNow, readingOf, withNamed } from "./visible-facts.ts";
import { sitesOf, type StateSite } from "./site.ts";

export type Happening = {
  /** What the engine sees just before the event. */
  readonly seen?: Incoming;
  readonly event: Incoming;
  /** A person did it: people bound the loops through this event. */
  readonly human: boolean;
  /** The artifact whose outcome this event delivers, if any. */
  readonly artifact?: string;
};

const HUMAN: Actor = { type: "human" };
const AT = "";

/** One run under examination; the results are collected in `happenings`. */
type Examination = {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly site: StateSite;
  readonly happenings: Happening[];
  /** Moves that at least one actor can request. */
  readonly granted: Set<Move>;
};

type EventAuthor = { readonly who: string; readonly slot: string; readonly by: Actor };

const PERSON: EventAuthor = { who: "human", slot: "", by: HUMAN };

export type HappeningStep = { readonly event: Incoming; readonly after: Extract<Step, { ok: true }> };

/** The steps of a happening; none if one of them is refused. */
export function stepsOf(workflow: Workflow, run: Run, { seen, event }: Happening): readonly HappeningStep[] {
  const first = step(workflow, run, seen ?? event);
  if (!first.ok) return [];
  if (seen === undefined) return [{ event, after: first }];
  const after = step(workflow, first.run, event);
  return after.ok
    ? [
        { event: seen, after: first },
        { event, after },
      ]
    : [];
}

export function possible(workflow: Workflow, run: Run): readonly Happening[] {
  const site = sitesOf(workflow).get(run.state);
  if (site === undefined) return [];
  const look: Examination = { workflow, run, site, happenings: [], granted: new Set() };
  // The order does not depend on which agent started last: runs that behave alike have the same list.
  for (const id of Object.keys(run.agents).toSorted()) {
    const agent = run.agents[id];
    if (agent === undefined) continue;
    if (isUp(agent)) byAgent(look, agent);
    else if (agent.status === "crashed") {
      happen(look, true, { type: "respawn-asked", by: HUMAN, at: AT, role: agent.role });
      putBack(look, foreignFor(workflow, run, agent.role));
    }
  }
  byEngine(look);
  byOthers(look);
  byHuman(look);
  return withNamed(look, look.happenings);
}

function happen(look: Examination, human: boolean, event: Incoming): void {
  look.happenings.push({ human, event });
}

function byAgent(look: Examination, agent: Agent): void {
  const { workflow, run } = look;
  const { role, slot, attempt } = agent;
  const author: EventAuthor = { who: role, slot, by: { type: "agent", role, slot, attempt } };
  submissions(look, author);
  asks(look, author);
  const ended = endedOf({ role, slot, attempt });
  const tried = ownMoves(workflow, run, role).flatMap((move) => {
    const left = owed(look, move, role);
    return left === undefined ? [] : [{ left, isProof: isProof(workflow, move, agent) }];
  });
  for (const { left } of tried) if (left.length > 0) happen(look, false, { ...ended, readings: left });
  happen(look, false, ended);
  // Without a new output, only an agent that exits by itself takes its move: the cause of the end matters.
  for (const { left, isProof: isNew } of tried)
    if (!isNew) happen(look, false, { ...ended, cause: "killed", readings: left });
  const mayWrite = workflow.definition.roles[role]?.access === "write";
  if (mayWrite && isBoundNow(look)) happen(look, false, { type: "observed", at: AT, tree: `t${run.seq}` });
  for (const readings of mayWrite ? changedFiles(look) : [])
    happen(look, false, { type: "observed", at: AT, tree: `t${run.seq}`, readings });
}

type EndEvent = Extract<Incoming, { type: "agent-ended" }>;

function endedOf({ role, slot, attempt }: Attempt): EndEvent {
  return { type: "agent-ended", at: AT, role, slot, attempt, cause: "exited" };
}

function byEngine({ workflow, run, site, happenings }: Examination): void {
  const unseen = site.named.filter((name) => {
    const reader = workflow.definition.artifacts[name]?.reader;
    return reader?.type === "files" && !("tasks" in reader) && run.held[name] === undefined;
  });
  // The engine also observes these facts without any other event, because it looks from time to time.
  const isReserving = (workflow.engineMovesFrom[run.state] ?? []).some(({ reserve }) => reserve.length > 0);
  // An observation also tells which resources are free: that alone may open a move, whatever is observed.
  if (unseen.length > 0 || (isReserving && site.seenLate.size > 0))
    happenings.push({ human: false, event: { type: "observed", at: AT, reserved: site.reserve } });
  for (const name of site.watched) {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined) continue;
    for (const outcome of outcomesOf(workflow, name, artifact)) {
      const readings = [readingOf(run, { artifact: name, slot: "" }, outcome)];
      happenings.push({
        human: false,
        artifact: name,
        event: { type: "observed", at: AT, readings, reserved: site.reserve },
      });
    }
  }
}

/** An author whose submissions do not count changes an accepted text: an agent with write access, or a person. */
function byOthers(look: Examination): void {
  const { workflow, run, site } = look;
  for (const artifact of site.spoilable) {
    if (run.held[artifact] === undefined || !isGood(standingOf(workflow, run, artifact))) continue;
    const readings = [readingOf(run, { artifact, slot: "" }, { fields: {}, lists: {} })];
    happen(look, !isAnyWriterUp(look), { type: "observed", at: AT, readings });
  }
}

/** A person restores an accepted text for an agent that cannot start before that. */
function putBack(look: Examination, names: readonly string[]): void {
  const { workflow, run } = look;
  for (const name of names) {
    const accepted = run.held[name]?.accepted;
    const artifact = workflow.definition.artifacts[name];
    const [outcome] = artifact === undefined ? [] : outcomesOf(workflow, name, artifact);
    if (accepted === undefined || outcome === undefined) continue;
    const reading = readingOf(run, { artifact: name, slot: "" }, outcome);
    happen(look, true, { type: "observed", at: AT, readings: [{ ...reading, digest: accepted.digest }] });
  }
}

function isAnyWriterUp({ workflow, run }: Examination): boolean {
  return Object.values(run.agents).some(
    (agent) => isUp(agent) && workflow.definition.roles[agent.role]?.access === "write",
  );
}

function byHuman(look: Examination): void {
  const { workflow, run, site } = look;
  submissions(look, PERSON);
  asks(look, PERSON);
  for (const artifact of site.waivable) {
    if (isGood(standingOf(workflow, run, artifact))) continue;
    happen(look, true, { type: "waived", by: HUMAN, at: AT, artifact, reason: "accepted" });
  }
  answers(look);
  // If an agent may also change the work, a person's change leads to no other state.
  const isChanged = look.happenings.some(
    ({ event }) => event.type === "observed" && event.tree !== undefined,
  );
  if (!isChanged && isBoundNow(look))
    happen(look, true, { type: "submitted", by: HUMAN, at: AT, tree: `t${run.seq}` });
  for (const readings of isAnyWriterUp(look) ? [] : changedFiles(look))
    happen(look, true, { type: "submitted", by: HUMAN, at: AT, tree: `t${run.seq}`, readings });
}

/**
 * Requests for moves that can be granted: a request for a closed move is refused and changes nothing. A move that was granted to
 * an agent leads to the same state when a person requests it.
 */
function asks(look: Examination, { who, by }: EventAuthor): void {
  const asked = new Set<string>();
  for (const move of look.site.movesBy.get(who) ?? []) {
    const to = targetOf(look.run, move);
    if (asked.has(to)) continue;
    const seen = unseenBy(look, move);
    const readings = owed(look, seen === undefined ? move : withoutSeen(look, move), who);
    if (readings === undefined) continue;
    // If an author has several moves to one state, the first open one is always taken.
    if (readings.length === 0) asked.add(to);
    if (look.granted.has(move)) continue;
    look.granted.add(move);
    const event: Incoming = { type: "move-asked", by, at: AT, to, reserved: move.reserve, readings };
    look.happenings.push({ human: who === "human", event, ...(seen === undefined ? {} : { seen }) });
  }
}

/** The engine's observation of the facts that the move still waits for, if people's moves alone read them. */
function unseenBy({ workflow, run, site }: Examination, move: Move): Incoming | undefined {
  if (site.seenLate.size === 0) return undefined;
  const readings = move.when.flatMap((condition) =>
    isSeenLate(site, condition) && !holds(workflow, run, condition)
      ? [readingOf(run, { artifact: condition.artifact, slot: "" }, { fields: {}, lists: {} })]
      : [],
  );
  return readings.length === 0 ? undefined : { type: "observed", at: AT, readings };
}

function withoutSeen({ site }: Examination, move: Move): Move {
  return { ...move, when: move.when.filter((condition) => !isSeenLate(site, condition)) };
}

function isSeenLate(
  { seenLate }: StateSite,
  condition: Condition,
): condition is Extract<Condition, { type: "artifact" }> {
  return condition.type === "artifact" && seenLate.has(condition.artifact);
}

/** The artifacts that this author must write for the move, or undefined if the move is closed for other reasons. */
function owed({ workflow, run }: Examination, move: Move, who: string): Reading[] | undefined {
  const { artifacts } = workflow.definition;
  const situation = { workflow, run, reserved: move.reserve };
  const missing = move.need.filter((name) => !isGood(standingOf(workflow, run, name)));
  if (missing.length === 0) return isOpen(situation, move) ? [] : undefined;
  if (!missing.every((name) => artifacts[name]?.by.includes(who))) return undefined;
  if (!isOpen(situation, { ...move, need: [] })) return undefined;
  return missing.flatMap((name) => {
    const outcomes = artifacts[name] === undefined ? [] : outcomesOf(workflow, name, artifacts[name]);
    const good = outcomes.find(({ verdict }) => verdict === undefined || verdict.startsWith("pass"));
    return good === undefined ? [] : [readingOf(run, { artifact: name, slot: "" }, good)];
  });
}

function answers(look: Examination): void {
  const { workflow, run, site } = look;
  const { question } = run;
  if (question === undefined) return;
  const { ask } = question;
  const shown = shownBy(workflow, run, ask);
  const reask = workflow.definition.asks[ask]?.reask;
  const words = reask === undefined || isSpent(workflow, run, reask) ? site.answers : [...site.answers, ""];
  for (const answer of words)
    happen(look, true, { type: "answered", by: HUMAN, at: AT, ask, answer, text: "because", shown });
}

function submissions(look: Examination, { who, slot, by }: EventAuthor): void {
  const { workflow, run, site, happenings } = look;
  const { artifacts } = workflow.definition;
  for (const name of site.submittedBy.get(who) ?? []) {
    const artifact = artifacts[name];
    if (artifact === undefined || (artifact.each === undefined) !== (slot === "")) continue;
    if (isOutdated(look, artifact, by)) continue;
    const same = (site.sameText.get(name) ?? []).filter((other) => artifacts[other]?.by.includes(who));
    for (const outcome of outcomesOf(workflow, name, artifact)) {
      const readings = [name, ...same].map((each) => readingOf(run, { artifact: each, slot }, outcome));
      happenings.push({
        human: who === "human",
        artifact: name,
        event: { type: "submitted", by, at: AT, readings },
      });
      // Outputs found at an agent's end open the same moves, but then the agent has ended.
      if (by.type === "agent")
        happenings.push({ human: false, artifact: name, event: { ...endedOf(by), readings } });
    }
  }
}

/** A role with read access judges the version that it got; if that has changed, its submission is refused. */
function isOutdated({ workflow, run }: Examination, { bind }: Artifact, by: Actor): boolean {
  if (bind.length === 0 || by.type !== "agent") return false;
  if (workflow.definition.roles[by.role]?.access !== "read") return false;
  const agent = run.agents[slotKey(by.role, by.slot)];
  return (
    agent !== undefined &&
    bind.some((bound) =>
      bound === "tree"
        ? agent.tree !== run.tree
        : agent.inputs[bound] !== (run.held[bound]?.reading.digest ?? ""),
    )
  );
}
