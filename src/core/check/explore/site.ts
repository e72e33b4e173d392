/** For each state, the events that are worth exploring, computed once for a workflow. */

import type { Workflow } from "../../model/compile.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Artifact } from "../../model/artifact.ts";
import { FACTS } from "../../model/vocabulary.ts";
import { ORIGIN, type Condition, type Move } from "../../model/workflow.ts";
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
  /** Facts that only open moves of people here: the engine sees them when a person requests such a move. */
  readonly seenLate: ReadonlySet<string>;
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
  const personal = personalFacts(workflow);
  const sites = new Map<string, StateSite>();
  for (const [name, state] of Object.entries(workflow.definition.states)) {
    if (state.final === undefined)
      sites.set(name, siteOf(workflow, name, { live: live(name), sameText, ordered, personal }));
  }
  cache.set(workflow, sites);
  return sites;
}

function siteOf(
  workflow: Workflow,
  state: string,
  relevance: {
    live: readonly string[];
    sameText: StateSite["sameText"];
    ordered: OrderedResults;
    personal: ReadonlySet<string>;
  },
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
        !relevance.personal.has(name) &&
        !isTooEarly(workflow, name, { ...relevance, state }),
    ),
    seenLate: new Set(relevant.filter((name) => relevance.personal.has(name))),
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
 * Facts of the outside world that only moves of people wait for, and each of those alone leads where it leads. No condition distinguishes why such a fact does not hold, and no
 * assertion is broken because it holds.
 */
function personalFacts(workflow: Workflow): ReadonlySet<string> {
  const { artifacts, moves, assertions } = workflow.definition;
  const isPersonal = (move: Move): boolean =>
    move.answer === undefined &&
    move.by.every((who) => who === "human") &&
    !(workflow.movesFrom[move.from] ?? []).some((other) => isRival(move, other));
  const others = new Set([
    ...moves.flatMap(({ need, waive }) => [...need, ...waive]),
    ...moves.filter((move) => !isPersonal(move)).flatMap(({ when }) => when.flatMap(artifactOf)),
    ...assertions.flatMap(({ when }) => when.flat().flatMap(artifactOf)),
    ...conditionsOf(workflow).flatMap((condition) => (isForHolding(condition) ? [] : artifactOf(condition))),
    ...Object.values(artifacts).flatMap(({ bind }) => bind),
  ]);
  const isOutside = ({ reader }: Artifact): boolean =>
    reader.type === "fact" && FACTS[reader.fact]?.deed === undefined;
  return new Set(
    Object.entries(artifacts).flatMap(([name, one]) => (isOutside(one) && !others.has(name) ? [name] : [])),
  );
}

/** Whether a person can request both moves in the same words. */
function isRival(move: Move, other: Move): boolean {
  if (other === move || other.answer !== undefined || !other.by.includes("human")) return false;
  return [move.to, ORIGIN].includes(other.to) || move.to === ORIGIN;
}

function artifactOf(condition: Condition): string[] {
  return "artifact" in condition ? [condition.artifact] : [];
}

function isForHolding(condition: Condition): boolean {
  return condition.type === "artifact" && condition.in.every((status) => status === "holds");
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
