/**
 * Stages and their phases become states, moves, counters, artifacts and ends: the kernel knows nothing else.
 *
 * Every piece remembers the place in the file it came from, so that a problem in it is shown where a person can mend it.
 */

import { listOf, type Path } from "./context.ts";
import {
  checkPhase,
  cycleOf,
  eachPhase,
  reviewPhase,
  runPhase,
  tasksPhase,
  type PhaseSite,
} from "./phases.ts";
import type { StageFile, WorkflowFile } from "./schema.ts";

export type Kernel = {
  [K in "counters" | "artifacts" | "roles" | "states" | "moves" | "ends" | "asks"]: NonNullable<
    WorkflowFile[K]
  >;
};

export type Expanded = {
  readonly kernel: Kernel;
  /** Path in the file for each piece, by `kind.name` or `kind.index`. */
  readonly origins: ReadonlyMap<string, Path>;
  /** States that a phase made for itself, with the phase they are drawn as. */
  readonly helpers: ReadonlyMap<string, string>;
};

/** Where an expansion puts its pieces. */
export type Sink = {
  readonly kernel: Kernel;
  readonly origins: Map<string, Path>;
  readonly helpers: Map<string, string>;
};

export function expand(file: WorkflowFile): Expanded {
  const sink: Sink = { kernel: copyOf(file), origins: new Map(), helpers: new Map() };
  const stages = Object.entries(file.stages ?? {});
  for (const [index, [name, stage]] of stages.entries())
    expandStage(sink, { name, stage, next: stages[index + 1]?.[1], file });
  return sink;
}

/** The state in which the stage's last question is open. */
export function blockedState(stage: string): string {
  return `${stage}-blocked`;
}

function copyOf(file: WorkflowFile): Kernel {
  return {
    counters: { ...file.counters },
    artifacts: { ...file.artifacts },
    roles: { ...file.roles },
    states: { ...file.states },
    moves: [...file.moves],
    ends: [...(file.ends ?? [])],
    asks: { ...file.asks },
  };
}

function expandStage(
  sink: Sink,
  on: { name: string; stage: StageFile; next: StageFile | undefined; file: WorkflowFile },
): void {
  const { name, stage } = on;
  const phases = Object.entries(stage.phases);
  const following = stage.then ?? Object.keys(on.next?.phases ?? {})[0] ?? "";
  const path: Path = ["stages", name];
  if (stage.restart !== undefined)
    put(sink, "counters", `${name}.restarts`, { max: stage.restart.max, per: "run" }, path);
  put(sink, "states", blockedState(name), { stage: name, waits: true, ask: stage.stuck }, [...path, "stuck"]);
  for (const [index, [id, phase]] of phases.entries()) {
    const site: PhaseSite = {
      id,
      phase,
      stage: name,
      first: phases[0]?.[0] ?? id,
      scopes: [
        name,
        ...phases.flatMap(([other, { review }]) => (review === undefined ? [] : [cycleOf(other)])),
      ],
      outputs: phases.flatMap(([other, { out }]) => (out === undefined ? [] : [other])),
      next: phases[index + 1]?.[0] ?? following,
      restarts: stage.restart !== undefined,
      fixers: phases.flatMap(([, other]) => (other.review === id ? listOf(other.fix?.by) : [])),
      reviewed: phase.review === undefined ? undefined : stage.phases[phase.review],
      path: [...path, "phases", id],
    };
    expandPhase(sink, site);
  }
}

function expandPhase(sink: Sink, site: PhaseSite): void {
  const { phase } = site;
  if (phase.review !== undefined) return reviewPhase(sink, site);
  if (phase.each !== undefined) return eachPhase(sink, site);
  if (phase.check !== undefined) return checkPhase(sink, site);
  if (phase.tasks !== undefined) return tasksPhase(sink, site);
  if (phase.ask !== undefined)
    return put(sink, "states", site.id, { stage: site.stage, waits: true, ask: phase.ask }, site.path);
  return runPhase(sink, site);
}

export function put<K extends "states" | "artifacts" | "counters">(
  sink: Sink,
  kind: K,
  name: string,
  value: Kernel[K][string],
  path: Path,
): void {
  // What the file declares itself comes first: a stage may refine what it would make.
  if (Object.hasOwn(sink.kernel[kind], name)) return;
  Object.assign(sink.kernel[kind], { [name]: value });
  sink.origins.set(`${kind}.${name}`, path);
}

export function addMove(sink: Sink, move: WorkflowFile["moves"][number], path: Path): void {
  sink.origins.set(`moves.${sink.kernel.moves.length}`, path);
  sink.kernel.moves.push(move);
}

export function addEnd(sink: Sink, end: NonNullable<WorkflowFile["ends"]>[number], path: Path): void {
  sink.origins.set(`ends.${sink.kernel.ends.length}`, path);
  sink.kernel.ends.push(end);
}
