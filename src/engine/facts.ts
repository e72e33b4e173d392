/**
 * Facts: what the supervisor sees of the world, and a workflow can wait for.
 *
 * A closed vocabulary: a new fact is code, a new use of one is data. Who waits for a fact is found in the definition: a move that
 * happens by itself, out of the state that the run is in, with a condition on an artifact that is this fact.
 */

import type { Workflow } from "../core/compile.ts";
import type { Facts, Incoming, Reading } from "../core/event.ts";
import type { Run } from "../core/run.ts";
import { step } from "../core/step.ts";
import type { Box } from "./box.ts";
import type { Hands } from "./hands.ts";
import { factsOf, submit, type Submission } from "./submit.ts";

/** *ready-to-start*: it is this run's turn. *branch-merged*: its work is in the branch that it is for. */
export type Fact = "ready-to-start" | "branch-merged";

/** The artifacts by which a run waits for a fact; none where it does not. */
export function awaiting({ definition, engineMovesFrom }: Workflow, run: Run, fact: Fact): readonly string[] {
  const moves = engineMovesFrom[run.state] ?? [];
  const named = moves.flatMap(({ when, need }) => [
    ...need,
    ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  ]);
  return [...new Set(named)].filter((name) => {
    const reader = definition.artifacts[name]?.reader;
    return reader?.type === "fact" && reader.fact === fact;
  });
}

/** Looks for a fact at every turn of the supervisor, and tells those who wait for it. Nothing that it remembers matters. */
export type Observer = {
  /** `isLast`: the supervisor is about to leave, and must not leave anything unseen. */
  look(hands: Hands, isLast: boolean): void;
};

export type Sight = {
  readonly run: string;
  readonly fact: Fact;
  /** What it was seen by: the same for the same sight. */
  readonly digest: string;
};

/**
 * Tells a run what was seen. Nothing is written where it would lead nowhere: what does not move a run is seen again and again, and
 * the journal is no place for that. `idle` says why. Its files are for whoever calls to bring up to date.
 */
export async function observe(
  box: Box,
  { run, fact, digest }: Sight,
): Promise<Submission | { readonly type: "idle"; readonly message: string }> {
  const kept = box.store.load(run);
  if (kept === undefined) return { type: "unknown" };
  const workflow = box.workflow(kept.row.definition);
  const artifacts = awaiting(workflow, kept.run, fact);
  if (artifacts.length === 0) return { type: "idle", message: `${kept.run.state} does not wait for ${fact}` };
  const facts = await factsOf(box, kept, workflow);
  // What is written in its files is for those to hand in who wrote it: this is about the fact alone.
  const readings = artifacts.map((artifact) => readingOf(artifact, digest));
  const eventOf = (at: string, { tree, reserved }: Facts): Incoming => ({
    type: "observed",
    at,
    readings,
    ...(tree === undefined ? {} : { tree }),
    ...(reserved === undefined ? {} : { reserved }),
  });
  const tried = step(workflow, kept.run, eventOf(kept.row.updatedAt, facts));
  if (!tried.ok) return { type: "idle", message: tried.refusal.message };
  if (tried.run.entry === kept.run.entry)
    return { type: "idle", message: `${fact} alone does not lead out of ${kept.run.state}` };
  return submit(box, {
    run,
    by: { type: "engine" },
    event: ({ at, ...known }) => eventOf(at, known),
  });
}

function readingOf(artifact: string, digest: string): Reading {
  return { artifact, slot: "", found: true, digest, faults: [], fields: {}, lists: {} };
}
