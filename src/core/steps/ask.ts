/** Somebody asks for a move. Where an artifact decides, the engine computes the target; asking for another is refused. */

import type { Workflow } from "../compile.ts";
import { record, type Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../event.ts";
import { isOpen, targetOf, unmet, type Unmet } from "../gate.ts";
import { currentAgent, intake, nameOf } from "../intake.ts";
import { leadsElsewhere, notInMap, notOpen, notYourRole, superseded, unknownState, waitingForPerson } from "../refuse.ts";
import type { Run } from "../run.ts";
import { settle, take } from "../take.ts";
import type { Move } from "../workflow.ts";

type MoveAsked = Extract<Incoming, { type: "move-asked" }>;

export function ask(draft: Draft, event: MoveAsked): Refusal | undefined {
  const { workflow, run } = draft;
  const { to } = event;
  if (workflow.definition.states[to] === undefined) return unknownState(workflow, run, to);
  if (event.by.type === "agent" && currentAgent(run, event.by) === undefined) return superseded(run, event.by);
  const who = nameOf(event.by);
  const moves = (workflow.movesFrom[run.state] ?? []).filter((move) => targetOf(run, move) === to);
  if (moves.length === 0) return notInMap(workflow, run, to);
  const own = moves.filter((move) => move.by.includes(who) && move.answer === undefined);
  const judged = moves.filter((move) => move.by.includes("engine") && dependsOn(workflow, move, who));
  if (own.length === 0 && judged.length === 0) return notFor(run, who, moves);
  record(draft, event);
  intake(draft, event, event.by);
  const reserved = event.reserved ?? [];
  return own.length > 0 ? takeOwn(draft, { own, who, to, reserved }) : takeJudged(draft, { judged, to, reserved });
}

function notFor(run: Run, who: string, moves: readonly Move[]): Refusal {
  if (moves.every((move) => move.answer !== undefined)) return waitingForPerson(run);
  const allowed = [...new Set(moves.flatMap((move) => (move.answer === undefined ? move.by : ["human"])))];
  const [move] = moves;
  return notYourRole(run, { who, what: `${run.state} to ${move === undefined ? "" : targetOf(run, move)}`, allowed, ...(move === undefined ? {} : { move }) });
}

function takeOwn(draft: Draft, on: { own: readonly Move[]; who: string; to: string; reserved: readonly string[] }): Refusal | undefined {
  const { workflow } = draft;
  const move = on.own.find((candidate) => isOpen(workflow, draft.run, candidate, on.reserved));
  if (move === undefined) return notOpen(draft.run, on.to, nearest(draft, on.own, on.reserved));
  take(draft, move, on.who);
  settle(draft, on.reserved);
  return undefined;
}

/** The asker wrote what the engine decides by: the engine decides, and the asker must have expected that. */
function takeJudged(draft: Draft, on: { judged: readonly Move[]; to: string; reserved: readonly string[] }): Refusal | undefined {
  const { workflow } = draft;
  const before = draft.run;
  const fires = (workflow.engineMovesFrom[before.state] ?? []).find((move) => isOpen(workflow, before, move, on.reserved));
  if (fires === undefined) return notOpen(before, on.to, nearest(draft, on.judged, on.reserved));
  const target = targetOf(before, fires);
  if (target !== on.to) return leadsElsewhere(before, on.to, target);
  settle(draft, on.reserved);
  return undefined;
}

/** Whether a move of the engine is decided by something that this actor writes. */
function dependsOn(workflow: Workflow, move: Move, who: string): boolean {
  return [...move.need, ...move.when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : []))].some((name) =>
    workflow.definition.artifacts[name]?.by.includes(who),
  );
}

/** The candidate with the fewest reasons against it is the one worth explaining. */
function nearest(draft: Draft, moves: readonly Move[], reserved: readonly string[]): Unmet[] {
  const all = moves.map((move) => unmet(draft.workflow, draft.run, move, reserved));
  return all.toSorted((a, b) => a.length - b.length)[0] ?? [];
}
