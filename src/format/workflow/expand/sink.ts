/** Collects the pieces of an expansion, and the positions that they came from. */

import type { Path } from "../../problem.ts";
import type { WorkflowFile } from "../schema/schema.ts";

export type Kernel = {
  [K in "counters" | "artifacts" | "roles" | "states" | "moves" | "ends" | "asks"]: NonNullable<
    WorkflowFile[K]
  >;
};

export type Expanded = {
  readonly kernel: Kernel;
  /** The path in the file for each piece, by `kind.name` or `kind.index`. */
  readonly origins: ReadonlyMap<string, Path>;
  /** The path in the file of the keys of a piece, if it is deeper than its origin. */
  readonly insides: ReadonlyMap<string, Path>;
  /** States that a phase generates, with the phase that represents them in diagrams. */
  readonly helpers: ReadonlyMap<string, string>;
  /** States in which a summary is written, with the target of a run without that summary. */
  readonly summaries: ReadonlyMap<string, Summarized>;
};

type Summarized = {
  /** As in the file: true, false, or a parameter. */
  readonly when: string | boolean;
  readonly next: string;
  readonly stage: string;
  readonly path: Path;
};

/** The pieces of an expansion, while they are collected. */
export type Sink = {
  readonly kernel: Kernel;
  readonly origins: Map<string, Path>;
  readonly insides: Map<string, Path>;
  readonly helpers: Map<string, string>;
  readonly summaries: Map<string, Summarized>;
};

/** The state in which the stage's last question is open. */
export function blockedState(stage: string): string {
  return `${stage}-blocked`;
}

/** The state that asks what to do when fixes and restarts are spent. */
export function exhaustedState(stage: string): string {
  return `${stage}-exhausted`;
}

type PieceKind = "states" | "artifacts" | "counters";
type SinkPiece<K extends PieceKind> = {
  readonly name: string;
  readonly value: Kernel[K][string];
  readonly path: Path;
  /** The position of its keys, if it differs from its path. */
  readonly inside?: Path;
};

export function put<K extends PieceKind>(
  sink: Sink,
  kind: K,
  { name, value, path, inside }: SinkPiece<K>,
): void {
  // The file's own declaration takes precedence: it may refine a generated one.
  if (Object.hasOwn(sink.kernel[kind], name)) return;
  Object.assign(sink.kernel[kind], { [name]: value });
  sink.origins.set(`${kind}.${name}`, path);
  if (inside !== undefined) sink.insides.set(`${kind}.${name}`, inside);
}

export function addMove(sink: Sink, move: WorkflowFile["moves"][number], path: Path): void {
  sink.origins.set(`moves.${sink.kernel.moves.length}`, path);
  sink.kernel.moves.push(move);
}

export function addEnd(sink: Sink, end: NonNullable<WorkflowFile["ends"]>[number], path: Path): void {
  sink.origins.set(`ends.${sink.kernel.ends.length}`, path);
  sink.kernel.ends.push(end);
}
