/**
 * Facts that a workflow can wait for.
 *
 * A closed vocabulary: a new fact is code, a new use of one is data. Who waits for a fact is found in the definition: a move that
 * happens by itself, out of the state that the run is in, with a condition on an artifact that is this fact. A person's move with such
 * a condition is an offer: the fact opens it, and the person decides.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import type { Move } from "../../core/model/workflow.ts";

/**
 * *ready-to-start*: it is this run's turn. *branch-merged*: its work is in the branch that it is for, as
 * far as can be seen. *parent-over*: nobody waits any
 * more for what it was made for.
 */
export type Fact = "ready-to-start" | "branch-merged" | "parent-over";

/** The artifacts by which a run waits for a fact; none where it does not. */
export function awaiting(workflow: Workflow, run: Run, fact: Fact): readonly string[] {
  return awaitingIn(workflow, run.state, fact);
}

export function awaitingIn(workflow: Workflow, state: string, fact: Fact): readonly string[] {
  return namedIn(workflow, workflow.engineMovesFrom[state] ?? [], fact);
}

/** The artifacts by which a fact lets a person take a move that is closed without it. */
export function offering(workflow: Workflow, run: Run, fact: Fact): readonly string[] {
  const moves = workflow.movesFrom[run.state] ?? [];
  return namedIn(
    workflow,
    moves.filter(({ by }) => by.includes("human")),
    fact,
  );
}

function namedIn(workflow: Workflow, moves: readonly Move[], fact: Fact): readonly string[] {
  return [...new Set(moves.flatMap((move) => factsNamed(workflow, move, fact)))];
}

/** The artifacts that are this fact, of those that a move has a condition on. */
export function factsNamed(
  { definition }: Workflow,
  { when, need }: Pick<Move, "when" | "need">,
  fact: Fact,
): readonly string[] {
  const named = when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : []));
  return [...need, ...named].filter((name) => {
    const reader = definition.artifacts[name]?.reader;
    return reader?.type === "fact" && reader.fact === fact;
  });
}
