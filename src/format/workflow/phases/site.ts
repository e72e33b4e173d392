/** Where a phase stands, and what every kind of phase shares. */

import { listOf, type Path } from "../context.ts";
import type { ArtifactFile, PhaseFile, StageFile, WorkflowFile } from "../schema.ts";

export type PhaseSite = {
  readonly id: string;
  readonly phase: PhaseFile;
  readonly stage: string;
  /** The stage's first phase, its scopes and its outputs: what a restart goes back to, begins anew and archives. */
  readonly first: string;
  readonly scopes: readonly string[];
  readonly outputs: readonly string[];
  /** Where the phases of the stage begin, and every state of those by hand. */
  readonly phases: readonly string[];
  readonly next: string;
  readonly restarts: boolean;
  /** Roles that mend this phase's output after a review. */
  readonly fixers: readonly string[];
  /** The phase that a review is about, where it is about one output and nothing else. */
  readonly reviewed: PhaseFile | undefined;
  readonly path: Path;
};

type Named = readonly [string, PhaseFile];

/** Where a phase begins. */
export function entryOf([id = "", phase]: Named | readonly [] = []): string {
  return phase?.hand?.[0] ?? id;
}

/** What of a phase is archived when its stage begins again. */
export function outputsOf([id, { out, makes }]: Named): readonly string[] {
  return out === undefined ? listOf(makes) : [id];
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
