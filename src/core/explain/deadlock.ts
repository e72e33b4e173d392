/**
 * Whether any actor can still move a run for which nothing is pending.
 *
 * The caller knows what is pending: turns of agents, checks, child runs, effects, a place in the queue. Each of these ends with
 * an event. Without any of them a run continues only if a person acts, and the person must be asked.
 */

import { isForeign } from "../gates/accepted-artifacts.ts";
import { isUp } from "../step/act.ts";
import { NONE, type Workflow } from "../model/compile.ts";
import { holds, isOpen, targetOf, unmet } from "../gates/gate.ts";
import { isExpected } from "../step/move-at-end.ts";
import type { Run } from "../model/run.ts";
import { isGood, standingOf } from "../gates/artifact-status.ts";
import { artifactsIn, isPersonal, isWatched, statusOf } from "../model/status.ts";
import type { Move } from "../model/workflow.ts";

export type Deadlock = {
  /** Why the run does not continue, as part of a sentence. */
  readonly reason: string;
  /** Artifacts that keep a move closed and that a person may submit. */
  readonly submittable: readonly string[];
  /** Artifacts that keep a move closed and that a person may waive. */
  readonly waivable: readonly string[];
  /** Artifacts that were accepted, were then changed by another author, and count again if a person restores them. */
  readonly restorable: readonly string[];
};

const PERSON = "human";
/** `why` lists all closed moves; a longer list here would not help. */
const CLOSED_MAX = 3;

/**
 * `residents` are the roles whose agents stay in their terminals: such an agent is alive, and still may never act.
 *
 * Contract: nothing else of the run is pending. Returns undefined if the run has ended, a person is asked, or a resident can act.
 */
export function deadlockOf(workflow: Workflow, run: Run, residents: readonly string[]): Deadlock | undefined {
  if (statusOf(workflow, run) !== "running") return undefined;
  // An agent whose start was ordered either starts, or the failed start needs attention by itself.
  if (Object.values(run.agents).some(({ status }) => status === "called")) return undefined;
  if (residents.some((role) => canAct(workflow, run, role))) return undefined;
  const moves = workflow.movesFrom[run.state] ?? NONE;
  const closable = moves.filter((move) => isOpen(situationOf(workflow, run, move), { ...move, need: NONE }));
  const lacking = closable.filter(isForPerson).flatMap(({ need }) => need);
  const owed = new Set(lacking.filter((name) => !isGood(standingOf(workflow, run, name))));
  const read = new Set(moves.flatMap(artifactsIn).filter((name) => !isGood(standingOf(workflow, run, name))));
  return {
    reason: sayDeadlock(workflow, run),
    submittable: [...read].filter((name) => workflow.definition.artifacts[name]?.by.includes(PERSON)),
    waivable: [...owed],
    restorable: [...read].filter(
      (name) => isForeign(workflow, run, name) && run.held[name]?.accepted !== undefined,
    ),
  };
}

/** An agent that is alive can take a move, write an artifact that a move reads, or its end is counted. */
function canAct(workflow: Workflow, run: Run, role: string): boolean {
  if (!Object.values(run.agents).some((agent) => agent.role === role && isUp(agent))) return false;
  if (isExpected(workflow, run, role)) return true;
  const { artifacts } = workflow.definition;
  return (workflow.movesFrom[run.state] ?? NONE).some(
    (move) =>
      move.by.includes(role) || artifactsIn(move).some((name) => artifacts[name]?.by.includes(role) === true),
  );
}

/** The engine takes the move when it is open, or a person does. */
function isForPerson({ by }: Move): boolean {
  return by.includes("engine") || by.includes(PERSON);
}

function isOpenTo(workflow: Workflow, run: Run, move: Move): boolean {
  return move.by.includes(PERSON) && isOpen(situationOf(workflow, run, move), move);
}

/** Resources are reserved when a move is requested, so here they close nothing. */
function situationOf(
  workflow: Workflow,
  run: Run,
  { reserve }: Move,
): { readonly workflow: Workflow; readonly run: Run; readonly reserved: readonly string[] } {
  return { workflow, run, reserved: reserve };
}

function sayDeadlock(workflow: Workflow, run: Run): string {
  const closed = (workflow.movesFrom[run.state] ?? NONE).filter(
    (move) =>
      !isPersonal(move) &&
      !isWatched(workflow, move) &&
      !isOpenTo(workflow, run, move) &&
      canEverHold(workflow, run, move),
  );
  // A counter that is not spent does not explain what is missing.
  const telling = closed.filter((move) => !isOnlyCounted(workflow, run, move));
  const said = (telling.length > 0 ? telling : closed)
    .map((move) => ({ to: targetOf(run, move), reasons: reasonsAgainst(workflow, run, move) }))
    .toSorted((a, b) => a.reasons.length - b.reasons.length)
    .map(({ to, reasons }) => `${to} (${reasons.join("; ")})`);
  const shown = [...new Set(said)];
  const more = shown.length > CLOSED_MAX ? ` and ${shown.length - CLOSED_MAX} more` : "";
  const what =
    shown.length === 0 ? "only a person can move it" : `closed: ${shown.slice(0, CLOSED_MAX).join(", ")}`;
  return `nothing is running in ${run.state}, so it cannot go on by itself; ${what}${more}`;
}

/** Parameters never change, and neither does the origin of the run. */
function canEverHold(workflow: Workflow, run: Run, { when }: Move): boolean {
  return when.every(
    (condition) =>
      (condition.type !== "param" && condition.type !== "origin") || holds(workflow, run, condition),
  );
}

function isOnlyCounted(workflow: Workflow, run: Run, move: Move): boolean {
  const when = move.when.filter(({ type }) => type !== "counter");
  return (
    move.by.includes("engine") && isOpen(situationOf(workflow, run, move), { ...move, when, count: NONE })
  );
}

/** The reasons of the gate, and also: the role that takes the move has no agent, or a resource is missing. */
function reasonsAgainst(workflow: Workflow, run: Run, move: Move): readonly string[] {
  const roles = move.by.filter((name) => name !== PERSON && name !== "engine");
  const absent = roles.length === 0 ? [] : [`no ${roles.join(" or ")} is running`];
  const reserved = move.by.includes("engine") ? NONE : move.reserve;
  return [...absent, ...unmet({ workflow, run, reserved }, move).map(({ message }) => message)];
}
