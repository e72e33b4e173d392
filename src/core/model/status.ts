/** The status of a run in one word, for every workflow: `running`, `waiting` for a person, or its final status. */

import { isUp } from "../step/act.ts";
import { NONE, type Workflow } from "./compile.ts";
import { isOpen, targetOf } from "../gates/gate.ts";
import type { Run } from "./run.ts";
import { FACTS } from "./vocabulary.ts";
import type { Move } from "./workflow.ts";

const PERSON = "human";

export function statusOf(workflow: Workflow, run: Run): string {
  const state = workflow.definition.states[run.state];
  if (state?.final !== undefined) return state.final;
  const isStranded = Object.values(run.agents).some((agent) => agent.status === "crashed");
  const isAsked = state?.waits === true || run.question !== undefined || isStranded;
  return isAsked || isLeftToPeople(workflow, run) ? "waiting" : "running";
}

/**
 * Only people have moves here, and one of the moves continues the run: it waits for a person even if its definition does not say
 * so.
 */
function isLeftToPeople(workflow: Workflow, run: Run): boolean {
  if (Object.values(run.agents).some(isUp)) return false;
  const moves = workflow.movesFrom[run.state] ?? NONE;
  return (
    moves.every((move) => isPersonal(move) || isWatched(workflow, move)) &&
    moves.some((move) => isPersonal(move) && leadsOn(workflow, run, move))
  );
}

/** An artifact that a person writes for the move may still be missing. */
function leadsOn(workflow: Workflow, run: Run, move: Move): boolean {
  const { artifacts, states } = workflow.definition;
  const final = states[targetOf(run, move)]?.final;
  if (final === "cancelled" || final === "failed") return false;
  const need = move.need.filter((name) => artifacts[name]?.by.includes(PERSON) !== true);
  return isOpen({ workflow, run, reserved: move.reserve }, { ...move, need });
}

export function isPersonal({ by }: Move): boolean {
  return by.every((name) => name === PERSON);
}

/** The move waits for an external fact that may never hold, such as a merge. */
export function isWatched({ definition }: Workflow, { need, when }: Move): boolean {
  const awaited = when.flatMap((condition) =>
    condition.type === "artifact" && condition.in.includes("holds") ? [condition.artifact] : [],
  );
  return [...need, ...awaited].some((name) => {
    const reader = definition.artifacts[name]?.reader;
    return reader?.type === "fact" && FACTS[reader.fact]?.deed === undefined;
  });
}

/** All artifacts that the move reads. */
export function artifactsIn({ need, when }: Pick<Move, "need" | "when">): readonly string[] {
  return [...need, ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : []))];
}
