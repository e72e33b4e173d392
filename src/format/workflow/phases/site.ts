/** The position of a phase in its stage, and functions that every kind of phase shares. */

import type { Path } from "../../problem.ts";
import { listOf } from "../build/context.ts";
import type { ArtifactFile, PhaseFile, StageFile, WhenFile, WorkflowFile } from "../schema/schema.ts";

export type PhaseSite = {
  readonly id: string;
  readonly phase: PhaseFile;
  readonly stage: string;
  /** The targets of a restart when fixes are spent; their guards exclude each other and cover all cases. */
  readonly restarts: readonly RestartRule[];
  /** The first state of each phase of the stage, and every handwritten state. */
  readonly phases: readonly string[];
  readonly next: string;
  /** The state that asks about spent fixes and restarts. */
  readonly exhausted: string;
  /** Roles that fix this phase's output after a review. */
  readonly fixers: readonly string[];
  /** The reviewed phase, if the review is about exactly one output. */
  readonly reviewed: PhaseFile | undefined;
  readonly path: Path;
};

/**
 * A restart: its target, its counter, the scopes that it starts again and the artifacts that it archives. Without `to`, no
 * restart is possible where `when` holds.
 */
export type RestartRule = {
  readonly when: WhenFile;
  readonly to?: string;
  readonly counter: string;
  readonly scopes: readonly string[];
  readonly outputs: readonly string[];
};

type NamedPhase = readonly [string, PhaseFile];

/** The first state of a phase. */
export function entryOf([id = "", phase]: NamedPhase | readonly [] = []): string {
  return phase?.hand?.[0] ?? id;
}

/** The artifacts of a phase that a restart of its stage archives. */
export function outputsOf([id, { out, makes, split }]: NamedPhase): readonly string[] {
  const list = split === undefined ? [] : [listOfSplit(id)];
  return out === undefined ? listOf(makes) : [...list, id];
}

/** The artifact with the members of a split phase. */
export function listOfSplit(id: string): string {
  return `${id}-list`;
}

/** The scopes of the fixes of reviews and checks: a restart of the stage, or a person's retry, starts them again. */
export function cyclesOf({ phases }: Pick<StageFile, "phases">): string[] {
  return Object.entries(phases)
    .filter(([, { review, fix }]) => review !== undefined || fix !== undefined)
    .map(([id]) => cycleOf(id));
}

export function cyclesIn({ stages }: WorkflowFile): string[] {
  return Object.values(stages ?? {}).flatMap(cyclesOf);
}

export function cycleOf(phase: string): string {
  return `${phase}.cycle`;
}

export function outOf(out: PhaseFile["out"]): ArtifactFile {
  if (out === undefined) return {};
  return typeof out === "string" ? { in: out, file: true } : out;
}

/** The stage of the phase, and its title for people. */
export function stageOf({ stage, phase }: PhaseSite): { stage: string; title?: string } {
  return { stage, ...(phase.title === undefined ? {} : { title: phase.title }) };
}
