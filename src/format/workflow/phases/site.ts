/** Where a phase stands, and what every kind of phase shares. */

import { listOf, type Path } from "../build/context.ts";
import type { ArtifactFile, PhaseFile, StageFile, WhenFile, WorkflowFile } from "../schema/schema.ts";

export type PhaseSite = {
  readonly id: string;
  readonly phase: PhaseFile;
  readonly stage: string;
  /** Where work begins again when fixes do not help; the guards of these exclude each other, and leave nothing out. */
  readonly restarts: readonly Restart[];
  /** Where the phases of the stage begin, and every state of those by hand. */
  readonly phases: readonly string[];
  readonly next: string;
  /** Where the question about spent fixes and restarts is asked. */
  readonly exhausted: string;
  /** Roles that mend this phase's output after a review. */
  readonly fixers: readonly string[];
  /** The phase that a review is about, where it is about one output and nothing else. */
  readonly reviewed: PhaseFile | undefined;
  readonly path: Path;
};

/** What a restart goes back to, counts, begins anew and archives; without `to` nothing can begin again where `when` holds. */
export type Restart = {
  readonly when: WhenFile;
  readonly to?: string;
  readonly counter: string;
  readonly scopes: readonly string[];
  readonly outputs: readonly string[];
};

type Named = readonly [string, PhaseFile];

/** Where a phase begins. */
export function entryOf([id = "", phase]: Named | readonly [] = []): string {
  return phase?.hand?.[0] ?? id;
}

/** What of a phase is archived when its stage begins again. */
export function outputsOf([id, { out, makes, split }]: Named): readonly string[] {
  const list = split === undefined ? [] : [listOfSplit(id)];
  return out === undefined ? listOf(makes) : [...list, id];
}

/** What says into which members a phase is split. */
export function listOfSplit(id: string): string {
  return `${id}-list`;
}

/** The scopes of the fixes of reviews and checks: a restart of the stage, or a person's retry, begins them anew. */
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

/** Where the phase is drawn, and its words for people. */
export function stageOf({ stage, phase }: PhaseSite): { stage: string; title?: string } {
  return { stage, ...(phase.title === undefined ? {} : { title: phase.title }) };
}
