/**
 * Expands stages and their phases to states, moves, counters, artifacts and ends; the kernel knows nothing else.
 *
 * Every piece keeps the position in the file that it came from, so that a problem is reported where a person can fix it.
 */

import type { Path } from "../../problem.ts";
import { listOf } from "../build/context.ts";
import { blockedState, exhaustedState, put, type Expanded, type Kernel, type Sink } from "./sink.ts";
import { checkPhase, runPhase, handPhase, tasksPhase } from "../phases/produce.ts";
import { eachPhase } from "../phases/each.ts";
import { reviewPhase } from "../phases/review.ts";
import { entryOf, type PhaseSite, type RestartRule } from "../phases/site.ts";
import { summarize } from "../phases/summary.ts";
import { restartsOf } from "../rules/restarts.ts";
import type { PhaseFile, StageFile, WorkflowFile } from "../schema/schema.ts";

export function expand(file: WorkflowFile): Expanded {
  const sink: Sink = {
    kernel: copyOf(file),
    origins: new Map(),
    insides: new Map(),
    helpers: new Map(),
    summaries: new Map(),
  };
  const stages = Object.entries(file.stages ?? {});
  for (const [name, stage] of stages)
    expandStage(sink, { name, stage, next: followingIn(file, name), restarts: restartsOf(file, name) });
  return sink;
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

type Expanding = {
  readonly name: string;
  readonly stage: StageFile;
  readonly next: string;
  readonly restarts: readonly RestartRule[];
};

function expandStage(sink: Sink, { name, stage, restarts, next }: Expanding): void {
  const phases = Object.entries(stage.phases);
  const path: Path = ["stages", name];
  if (stage.restart !== undefined && "max" in stage.restart)
    put(sink, "counters", {
      name: `${name}.restarts`,
      value: { max: stage.restart.max, per: "run" },
      path,
      inside: [...path, "restart"],
    });
  put(sink, "states", {
    name: blockedState(name),
    value: { stage: name, waits: true, ask: stage.stuck },
    path: [...path, "stuck"],
  });
  if (stage.exhausted !== undefined)
    put(sink, "states", {
      name: exhaustedState(name),
      value: { stage: name, waits: true, ask: stage.exhausted },
      path: [...path, "exhausted"],
    });
  for (const [index, [id, phase]] of phases.entries()) {
    const site: PhaseSite = {
      id,
      phase,
      stage: name,
      restarts,
      exhausted: stage.exhausted === undefined ? blockedState(name) : exhaustedState(name),
      phases: phases.flatMap(([other, { hand }]) => hand ?? [other]),
      next: phase.then ?? (entryOf(phases[index + 1]) || next),
      fixers: phases.flatMap(([, { review, fix }]) => (listOf(review).includes(id) ? listOf(fix?.by) : [])),
      reviewed: reviewedIn(stage, phase),
      path: [...path, "phases", id],
    };
    const isLast = index === phases.length - 1;
    expandPhase(sink, { ...site, next: summarize(sink, site, { summary: stage.summary, isLast }) });
  }
}

function reviewedIn({ phases }: StageFile, { review }: PhaseFile): PhaseFile | undefined {
  const [only = "", ...others] = listOf(review);
  return others.length === 0 ? phases[only] : undefined;
}

/** The target of a stage's last phase: the declared one, or the first phase of the next stage. */
export function followingIn({ stages = {} }: WorkflowFile, name: string): string {
  const names = Object.keys(stages);
  const next = stages[names[names.indexOf(name) + 1] ?? ""];
  return stages[name]?.then ?? entryOf(Object.entries(next?.phases ?? {})[0]);
}

function expandPhase(sink: Sink, site: PhaseSite): void {
  const { phase } = site;
  if (phase.hand !== undefined) return handPhase(sink, site);
  if (phase.review !== undefined) return reviewPhase(sink, site);
  if (phase.each !== undefined) return eachPhase(sink, site);
  if (phase.check !== undefined) return checkPhase(sink, site);
  if (phase.tasks !== undefined) return tasksPhase(sink, site);
  if (phase.ask !== undefined)
    return put(sink, "states", {
      name: site.id,
      value: { stage: site.stage, waits: true, ask: phase.ask },
      path: site.path,
    });
  return runPhase(sink, site);
}
