/**
 * An actor requests a move. If an artifact decides, the engine computes the target, and a request for another target is refused.
 */

import { NONE, type Workflow } from "../../model/compile.ts";
import { record, type StepDraft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { isOpen, nearest, targetOf } from "../../gates/gate.ts";
import { currentAgent, intake, nameOf } from "../intake.ts";
import {
  leadsElsewhere,
  notInMap,
  notOpen,
  notYourRole,
  superseded,
  unknownState,
  waitingForPerson,
} from "../refuse.ts";
import { notCounting } from "./submit.ts";
import { slotKey, type Run } from "../../model/run.ts";
import { settle, take } from "../take.ts";
import type { Move } from "../../model/workflow.ts";

type MoveAsked = Extract<Incoming, { type: "move-asked" }>;

export function ask(draft: StepDraft, event: MoveAsked): Refusal | undefined {
  const { through = NONE, to } = event;
  const [first] = through;
  if (first === undefined) return askFor(draft, event, to);
  let refusal = askFor(draft, event, first);
  for (const next of [...through.slice(1), to]) refusal ??= takeOwn(draft, event, next);
  return refusal;
}

function askFor(draft: StepDraft, event: MoveAsked, to: string): Refusal | undefined {
  const { workflow, run } = draft;
  if (workflow.definition.states[to] === undefined) return unknownState(workflow, run, to);
  if (event.by.type === "agent" && currentAgent(run, event.by) === undefined)
    return superseded(run, event.by);
  const who = nameOf(event.by);
  const moves = workflow.movesFrom[run.state] ?? NONE;
  let isMapped = false;
  let isOwn = false;
  for (const move of moves) {
    if (targetOf(run, move) !== to) continue;
    isMapped = true;
    if (isAskedBy(move, who)) isOwn = true;
  }
  if (!isMapped) return notInMap(workflow, run, to);
  if (isOwn) {
    record(draft, event);
    intake(draft, event, event.by);
    return refuseWords(draft, event) ?? takeOwn(draft, event, to);
  }
  const candidates = moves.filter((move) => targetOf(run, move) === to);
  const judged = candidates.filter((move) => move.by.includes("engine") && dependsOn(workflow, move, who));
  if (judged.length === 0) return notFor(run, who, candidates);
  record(draft, event);
  intake(draft, event, event.by);
  return takeJudged(draft, judged, to);
}

/** Words that make their artifact invalid are refused with the move, so that they cost nothing. */
function refuseWords(draft: StepDraft, { given = NONE, readings = NONE }: MoveAsked): Refusal | undefined {
  for (const reading of readings) {
    const isGiven = given.includes(slotKey(reading.artifact, reading.slot));
    const refusal = isGiven ? notCounting(draft, reading) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function isAskedBy(move: Move, who: string): boolean {
  return move.answer === undefined && move.by.includes(who);
}

function notFor(run: Run, who: string, moves: readonly Move[]): Refusal {
  if (moves.every((move) => move.answer !== undefined)) return waitingForPerson(run);
  const allowed = [...new Set(moves.flatMap((move) => (move.answer === undefined ? move.by : ["human"])))];
  const [move] = moves;
  return notYourRole(run, {
    who,
    what: `${run.state} to ${move === undefined ? "" : targetOf(run, move)}`,
    allowed,
    ...(move === undefined ? {} : { move }),
  });
}

function takeOwn(draft: StepDraft, event: MoveAsked, to: string): Refusal | undefined {
  const { workflow, run } = draft;
  const who = nameOf(event.by);
  const moves = workflow.movesFrom[run.state] ?? NONE;
  for (const move of moves) {
    if (targetOf(run, move) !== to || !isAskedBy(move, who) || !isOpen(draft, move)) continue;
    take(draft, move, { by: who, words: event.note ?? "" });
    settle(draft);
    return undefined;
  }
  const own = moves.filter((move) => targetOf(run, move) === to && isAskedBy(move, who));
  if (own.length === 0) return notInMap(workflow, run, to);
  return notOpen(run, to, nearest(draft, own));
}

/** The caller wrote the artifact that decides: the engine takes the move, and the caller must have requested the same target. */
function takeJudged(draft: StepDraft, judged: readonly Move[], to: string): Refusal | undefined {
  const { workflow, run } = draft;
  const fires = workflow.engineMovesFrom[run.state]?.find((move) => isOpen(draft, move));
  if (fires === undefined) return notOpen(run, to, nearest(draft, judged));
  const target = targetOf(run, fires);
  if (target !== to) return leadsElsewhere(run, to, target);
  settle(draft);
  return undefined;
}

/** Whether an artifact that this actor writes decides a move of the engine. */
function dependsOn(workflow: Workflow, move: Move, who: string): boolean {
  return [
    ...move.need,
    ...move.when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  ].some((name) => workflow.definition.artifacts[name]?.by.includes(who));
}
