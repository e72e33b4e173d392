/** For each state, the events that are worth exploring, computed once for a workflow. */

import type { Workflow } from "../../model/compile.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Artifact } from "../../model/artifact.ts";
import type { Move } from "../../model/workflow.ts";
import { liveArtifacts } from "./live.ts";
import { dueIn, isTooEarly, type OrderedResults } from "../defects/orders.ts";
import { conditionsOf, outcomesOf } from "./outcomes.ts";

export type StateSite = {
  /** Moves that an actor may request. */
  readonly movesBy: ReadonlyMap<string, readonly Move[]>;
  readonly answers: readonly string[];
  readonly reserve: readonly string[];
  /** Artifacts that an actor writes and that open a move by themselves. */
  readonly submittedBy: ReadonlyMap<string, readonly string[]>;
  /** Artifacts that the engine itself observes. */
  readonly watched: readonly string[];
  /** Artifacts that a person can only waive. */
  readonly waivable: readonly string[];
  /** Files of the work that the engine reads and that still matter. */
  readonly named: readonly string[];
  /** Artifacts that are bound to the tree and still matter. */
  readonly bound: readonly string[];
  /** Texts that other authors may change, with consequences. */
  readonly spoilable: readonly string[];
  /** Artifacts that share their text with another one and are read together with it. */
  readonly sameText: ReadonlyMap<string, readonly string[]>;
};

const cache = new WeakMap<Workflow, ReadonlyMap<string, StateSite>>();

/** Final states have no site: nothing happens there. */
export function sitesOf(workflow: Workflow): ReadonlyMap<string, StateSite> {
  const known = cache.get(workflow);
  if (known !== undefined) return known;
  const live = liveArtifacts(workflow);
  const sameText = sameTexts(workflow);
  const ordered = dueIn(workflow);
  const sites = new Map<string, StateSite>();
  for (const [name, state] of Object.entries(workflow.definition.states)) {
    if (state.final === undefined)
      sites.set(name, siteOf(workflow, name, { live: live(name), sameText, ordered }));
  }
  cache.set(workflow, sites);
  return sites;
}

function siteOf(
  workflow: Workflow,
  state: string,
  relevance: { live: readonly string[]; sameText: StateSite["sameText"]; ordered: OrderedResults },
): StateSite {
  const { artifacts } = workflow.definition;
  const moves = workflow.movesFrom[state] ?? [];
  const asked = moves.filter((move) => move.answer === undefined);
  const movesBy = new Map<string, Move[]>();
  for (const move of asked)
    for (const who of move.by) if (who !== "engine") movesBy.set(who, [...(movesBy.get(who) ?? []), move]);
  // An artifact that only a later state reads may be written now, by an agent that will not exist then.
  const relevant = relevance.live;
  const submittedBy = new Map<string, string[]>();
  for (const name of relevant) {
    const artifact = artifacts[name];
    if (artifact === undefined || !isWorthWriting(workflow, name)) continue;
    for (const who of artifact.by)
      if (who !== "engine") submittedBy.set(who, [...(submittedBy.get(who) ?? []), name]);
  }
  const told = new Set(
    // A condition that does not name `waived` also distinguishes a waived artifact from a valid one.
    conditionsOf(workflow).flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  );
  return {
    movesBy,
    answers: [...new Set(moves.flatMap((move) => (move.answer === undefined ? [] : [move.answer])))],
    reserve: moves.flatMap((move) => move.reserve),
    submittedBy,
    watched: relevant.filter(
      (name) =>
        artifacts[name]?.by.includes("engine") &&
        artifacts[name].reader.type !== "files" &&
        !isTooEarly(workflow, name, { ...relevance, state }),
    ),
    named: relevant.filter((name) => artifacts[name]?.reader.type === "files"),
    waivable: [...new Set(moves.flatMap((move) => move.need))].filter(
      (name) => told.has(name) || artifacts[name]?.by.includes("human") !== true,
    ),
    bound: relevance.live.filter((name) => artifacts[name]?.bind.includes("tree")),
    spoilable: Object.keys(artifacts).filter((name) =>
      isSpoilable(workflow, name, { live: relevance.live, told }),
    ),
    sameText: relevance.sameText,
  };
}

/**
 * Whether writing the artifact has a consequence of its own: it opens moves of others, or a later guard distinguishes its
 * outcomes.
 */
function isWorthWriting(workflow: Workflow, name: string): boolean {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return false;
  if (outcomesOf(workflow, name, artifact).length > 1) return true;
  // A new version makes artifacts stale that are about it.
  if (Object.values(workflow.definition.artifacts).some((other) => isAbout(other, name))) return true;
  return workflow.definition.moves.some((move) => {
    if (artifactsIn({ need: [], when: move.when }).includes(name)) return true;
    return (
      move.need.includes(name) &&
      (move.answer !== undefined || move.by.some((who) => !artifact.by.includes(who)))
    );
  });
}

/** A change of the artifact makes the other one stale, or changes the other one's members. */
function isAbout(other: Artifact | undefined, name: string): boolean {
  const reader = other?.reader;
  return (
    other?.bind.includes(name) === true ||
    (reader?.type === "files" && "tasks" in reader && reader.tasks === name)
  );
}

/** Whether the artifact is a text, not a verdict, that a relevant artifact is about, or that a guard or assertion reads. */
function isSpoilable(
  workflow: Workflow,
  name: string,
  known: { live: readonly string[]; told: ReadonlySet<string> },
): boolean {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined || artifact.each !== undefined || artifact.by.includes("engine")) return false;
  if (outcomesOf(workflow, name, artifact).some((outcome) => outcome.verdict !== undefined)) return false;
  const isBound = known.live.some((other) => isAbout(workflow.definition.artifacts[other], name));
  return isBound || (known.told.has(name) && known.live.includes(name));
}

function sameTexts(workflow: Workflow): Map<string, string[]> {
  const all = Object.entries(workflow.definition.artifacts);
  return new Map(
    all.map(([name, artifact]) => [
      name,
      all
        .filter(([other, declared]) => other !== name && isSameText(artifact, declared))
        .map(([other]) => other),
    ]),
  );
}

function isSameText(a: Artifact, b: Artifact): boolean {
  if (a.file === "" || a.file !== b.file || a.reader.type !== b.reader.type) return false;
  return a.reader.type !== "section" || b.reader.type !== "section" || a.reader.heading === b.reader.heading;
}
