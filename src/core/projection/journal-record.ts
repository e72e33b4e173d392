/**
 * What the journal knows of a run beyond its current data: when each artifact was accepted, the result of each, and every review
 * with its text, round by round. Computed from the events, so that it cannot differ from them.
 */

import { change, type OwnRun } from "../step/apply.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event, Reading } from "../model/event.ts";
import { valueIn } from "../model/field.ts";
import { fillPath } from "../text/fill-path.ts";
import { reads } from "./project.ts";
import { NO_RUN, slotKey, type Run } from "../model/run.ts";
import { standingOfSlot } from "../gates/artifact-status.ts";
import { explainedStatusOfSlot } from "../gates/status-reason.ts";
import { VERDICTS, type Tests, type Verdict } from "../model/verdict.ts";
import type { Reader, ReviewText } from "../model/artifact.ts";
import type { Definition, ArtifactStatus } from "../model/workflow.ts";

/** One accepted round of a review. */
export type Round = ReviewText & {
  /** The number of the round. A review that is submitted again before the next move replaces the earlier one. */
  readonly iteration: number;
  /** The verdict that counts, the claimed verdict, and the word that its author wrote. */
  readonly verdict: Verdict;
  readonly claimed: Verdict;
  readonly word: string;
  readonly status: "approved" | "needs_revision" | "rejected";
  readonly reviewer: string;
  readonly at: string;
  readonly file: string;
  readonly tests: Tests | null;
};

type Validation = {
  readonly step: string;
  readonly artifact: string;
  readonly timestamp: string;
  readonly mode: "normal" | "strict";
  readonly result: {
    readonly valid: boolean;
    readonly high: number;
    readonly medium: number;
    readonly low: number;
    readonly verdict: string | null;
  };
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
};

export type RunRecord = {
  /** Fields that files show under `run`. */
  readonly run: {
    readonly checksums: Readonly<Record<string, { readonly hash: string; readonly validated_at: string }>>;
    readonly validations: readonly Validation[];
    readonly lastAction: string | null;
    readonly lastVerdict: { readonly artifact: string; readonly verdict: string; readonly at: string } | null;
    /** The last round of each review. */
    readonly reviews: Readonly<Record<string, unknown>>;
  };
  /** All rounds, by artifact. */
  readonly reviews: Readonly<Record<string, readonly Round[]>>;
};

const VALIDATIONS_KEPT = 50;
const ROUNDS_KEPT = 50;
const PATHS = [
  "run.checksums",
  "run.validations",
  "run.lastAction",
  "run.lastVerdict",
  "run.reviews",
  "reviews",
];

/** Whether any projection shows these values; otherwise the caller need not read all events. */
export function showsRecord({ projections }: Pick<Definition, "projections">): boolean {
  return projections.some((each) => "of" in each || PATHS.some((path) => reads(each.data, path)));
}

/** The values collected while walking through the events. */
type RecordWalk = {
  readonly run: OwnRun;
  readonly takenIn: Map<string, { readonly digest: string; readonly at: string }>;
  readonly validations: Validation[];
  /** By digest: the same text may be accepted again, but the journal has it once. */
  readonly texts: Map<string, ReviewText>;
  readonly rounds: Map<string, EnteredRound[]>;
  lastAction: string | null;
  lastVerdict: RunRecord["run"]["lastVerdict"];
};

export function recordOf(workflow: Workflow, events: Iterable<Event>): RunRecord {
  const walk: RecordWalk = {
    run: { ...NO_RUN },
    takenIn: new Map(),
    validations: [],
    texts: new Map(),
    rounds: new Map(),
    lastAction: null,
    lastVerdict: null,
  };
  for (const event of events) {
    change(walk.run, event);
    if (event.type === "moved") walk.lastAction = `${event.from} -> ${event.to}, by ${event.by}`;
    if (event.type === "artifact-read") note(workflow, walk, event);
  }
  const reviews = Object.fromEntries(
    [...walk.rounds].map(([name, rounds]) => [name, rounds.slice(-ROUNDS_KEPT).map(({ round }) => round)]),
  );
  return {
    run: {
      checksums: checksumsOf(workflow, walk),
      validations: walk.validations.slice(-VALIDATIONS_KEPT),
      lastAction: walk.lastAction,
      lastVerdict: walk.lastVerdict,
      reviews: Object.fromEntries(Object.entries(reviews).map(([name, rounds]) => [name, rounds.at(-1)])),
    },
    reviews,
  };
}

type EnteredRound = { readonly round: Round; readonly entry: number };

function note(workflow: Workflow, walk: RecordWalk, event: Extract<Event, { type: "artifact-read" }>): void {
  const { reading, by } = event;
  const { run } = walk;
  const artifact = workflow.definition.artifacts[reading.artifact];
  if (artifact === undefined || artifact.file === "" || artifact.reader.type === "check") return;
  // Also for a review that does not count yet: the event that accepts it later does not repeat its text.
  if (reading.review !== undefined) walk.texts.set(reading.digest, reading.review);
  const { standing, reason } = explainedStatusOfSlot(workflow, run, reading);
  const key = slotKey(reading.artifact, reading.slot);
  // An artifact that was accepted earlier and is stale now was only observed again.
  if (!reading.found || (standing === "stale" && walk.takenIn.get(key)?.digest === reading.digest)) return;
  walk.takenIn.set(key, { digest: reading.digest, at: run.updatedAt });
  walk.validations.push(validationOf({ run, reader: artifact.reader, reading }, standing, reason));
  const verdict = VERDICTS.find((each) => each === standing);
  if (verdict === undefined) return;
  const word = reading.said?.word ?? verdict;
  walk.lastVerdict = { artifact: reading.artifact, verdict: word, at: run.updatedAt };
  const text = walk.texts.get(reading.digest);
  if (text === undefined) return;
  const rounds = walk.rounds.get(reading.artifact) ?? [];
  const earlier = rounds.filter(({ entry }) => entry !== run.entry);
  const round: Round = {
    ...text,
    iteration: (earlier.at(-1)?.round.iteration ?? 0) + 1,
    verdict,
    claimed: reading.verdict ?? verdict,
    word,
    status: statusOf(verdict),
    reviewer: by,
    at: run.updatedAt,
    file: fillPath(run, artifact.file, reading.slot),
    tests: reading.tests ?? null,
  };
  walk.rounds.set(reading.artifact, [...earlier, { round, entry: run.entry }]);
}

function statusOf(verdict: Verdict): Round["status"] {
  switch (verdict) {
    case "pass":
    case "pass_with_notes":
      return "approved";
    case "needs_fix":
    case "needs_human":
      return "needs_revision";
    case "reject":
      return "rejected";
  }
}

function validationOf(
  { run, reader, reading }: { readonly run: Run; readonly reader: Reader; readonly reading: Reading },
  standing: ArtifactStatus,
  reason: string,
): Validation {
  const isValid = standing !== "invalid" && standing !== "missing";
  const count = (severity: string): number =>
    reading.issues === undefined ? 0 : Number(valueIn(reader, reading, severity) ?? 0);
  const faults = reading.faults.map(({ at, reason: why }) => `${at.file}:${at.line}:${at.col}: ${why}`);
  const review = reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
  return {
    step: run.state,
    artifact: slotKey(reading.artifact, reading.slot),
    timestamp: run.updatedAt,
    mode: review?.strict === true ? "strict" : "normal",
    result: {
      valid: isValid,
      high: count("high"),
      medium: count("medium"),
      low: count("low"),
      verdict: reading.said?.word ?? reading.verdict ?? null,
    },
    errors: isValid ? [] : faults.length > 0 ? faults : [reason],
    warnings: standing === "stale" ? [reason] : [],
  };
}

/** Checksums of all accepted artifacts that still count, by file. */
function checksumsOf(workflow: Workflow, { run, takenIn }: RecordWalk): RunRecord["run"]["checksums"] {
  const counting = Object.entries(run.held).flatMap(([key, { reading }]) => {
    const { file = "" } = workflow.definition.artifacts[reading.artifact] ?? {};
    const at = takenIn.get(key)?.at;
    const standing = standingOfSlot(workflow, run, reading);
    const isCounting = standing !== "missing" && standing !== "invalid" && standing !== "stale";
    return at !== undefined && file !== "" && isCounting
      ? [[fillPath(run, file, reading.slot), { hash: reading.digest, validated_at: at }] as const]
      : [];
  });
  return Object.fromEntries(counting);
}
