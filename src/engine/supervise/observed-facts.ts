/** What the supervisor sees of the world is told to the runs that wait for it, and to those in which it gives a person a choice. */

import type { Facts, Incoming, Reading } from "../../core/model/event.ts";
import { step } from "../../core/step/step.ts";
import { FACTS } from "../../core/model/vocabulary.ts";
import type { Box } from "../box.ts";
import type { Literal } from "../../core/model/value.ts";
import { awaiting, offering, type Fact } from "./fact.ts";
import type { Hands } from "./in-progress.ts";
import { factsOf } from "../submit/facts.ts";
import { submit } from "../submit/submit.ts";
import { artifactsOf } from "./submit-fact.ts";
import type { Submission } from "../submit/write.ts";

/** Looks for a fact at every turn of the supervisor, and tells those who wait for it. Nothing that it remembers matters. */
export type Observer = {
  /** `isLast`: the supervisor is about to leave, and must not leave anything unseen. */
  look(hands: Hands, isLast: boolean): Promise<void>;
};

export type Sight = {
  readonly run: string;
  readonly fact: Fact;
  /** What it was seen by: the same for the same sight. */
  readonly digest: string;
  readonly fields?: Readonly<Record<string, Literal>>;
  /** False where it no longer holds. */
  readonly isFound?: boolean;
  /** The work that it is about: where the workspace holds something else by now, nothing is told. */
  readonly tree?: string;
};

/**
 * Tells a run what was seen. Nothing is written where it would neither move the run nor tell people something new: the same is seen
 * again and again, and the journal is no place for that. `idle` says why. Its files are for the caller to bring up to date.
 */
export async function observe(
  box: Box,
  sight: Sight,
): Promise<Submission | { readonly type: "idle"; readonly message: string }> {
  const { run, fact } = sight;
  const kept = await box.store.load(run);
  if (kept === undefined) return { type: "unknown" };
  const workflow = await box.workflow(kept.row.definition);
  // What has fields is worth knowing by itself: people read it before they decide.
  const hasFields = FACTS[fact]?.fields !== undefined;
  const artifacts = hasFields
    ? artifactsOf(workflow, fact)
    : [...new Set([...awaiting(workflow, kept.run, fact), ...offering(workflow, kept.run, fact)])];
  if (artifacts.length === 0) return { type: "idle", message: `${kept.run.state} does not wait for ${fact}` };
  if (sight.isFound === false && artifacts.every((name) => kept.run.held[name]?.reading.found !== true))
    return { type: "idle", message: `${fact} was not seen before` };
  const facts = await factsOf(box, kept, workflow);
  if (sight.tree !== undefined && sight.tree !== facts.tree)
    return { type: "idle", message: `${fact} is about other work than there is now` };
  // What is written in its files is for those to submit who wrote it: this is about the fact alone.
  const readings = artifacts.map((artifact) => readingOf(artifact, sight));
  const eventOf = (at: string, { tree, reserved }: Facts): Incoming => ({
    type: "observed",
    at,
    readings,
    ...(tree === undefined ? {} : { tree }),
    ...(reserved === undefined ? {} : { reserved }),
  });
  const tried = step(workflow, kept.run, eventOf(kept.row.updatedAt, facts));
  if (!tried.ok) return { type: "idle", message: tried.refusal.message };
  const isNews = artifacts.some((name) => tried.run.held[name] !== kept.run.held[name]);
  if (tried.run.entry === kept.run.entry && !(isNews && hasFields))
    return { type: "idle", message: `${fact} alone does not lead out of ${kept.run.state}` };
  return submit(box, {
    run,
    by: { type: "engine" },
    event: ({ at, ...known }) => eventOf(at, known),
  });
}

function readingOf(artifact: string, { digest, fields = {}, isFound = true }: Sight): Reading {
  return { artifact, slot: "", found: isFound, digest, faults: [], fields, lists: {} };
}
