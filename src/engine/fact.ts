/**
 * Facts that a workflow can wait for.
 *
 * A closed vocabulary: a new fact is code, a new use of one is data. Who waits for a fact is found in the definition: a move that
 * happens by itself, out of the state that the run is in, with a condition on an artifact that is this fact.
 */

import type { Workflow } from "../core/compile.ts";
import type { Run } from "../core/run.ts";

/**
 * *ready-to-start*: it is this run's turn. *branch-merged*: its work is in the branch that it is for. *parent-over*: nobody waits any
 * more for what it was made for.
 */
export type Fact = "ready-to-start" | "branch-merged" | "parent-over";

/** The artifacts by which a run waits for a fact; none where it does not. */
export function awaiting(workflow: Workflow, run: Run, fact: Fact): readonly string[] {
  return awaitingIn(workflow, run.state, fact);
}

export function awaitingIn(
  { definition, engineMovesFrom }: Workflow,
  state: string,
  fact: Fact,
): readonly string[] {
  const moves = engineMovesFrom[state] ?? [];
  const named = moves.flatMap(({ when, need }) => [
    ...need,
    ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  ]);
  return [...new Set(named)].filter((name) => {
    const reader = definition.artifacts[name]?.reader;
    return reader?.type === "fact" && reader.fact === fact;
  });
}
