/** What a change of phase leaves in a run: the pointer, how often each phase was begun, and the last restarts. */

import type { PhaseChange } from "../model/event.ts";
import { RESTARTS_KEPT, type Progress, type Restart } from "../model/run.ts";

type Taken = { readonly rule: number; readonly at: string };

export function advance(before: Progress | undefined, change: PhaseChange, { rule, at }: Taken): Progress {
  const { phases = {}, restarted = [] } = before ?? {};
  const now = { phase: change.phase, is: change.type, rule, since: at };
  if (change.type !== "begun") return { ...now, phases, restarted };
  const { phase, restarts } = change;
  const times = (phases[phase]?.times ?? 0) + 1;
  const begun = { ...now, phases: { ...phases, [phase]: { times } } };
  if (restarts === undefined) return { ...begun, restarted };
  const earlier = restarted.findLast(({ stage }) => stage === restarts)?.restart ?? 0;
  const last: Restart = {
    stage: restarts,
    from: before?.phase ?? phase,
    to: phase,
    restart: earlier + 1,
    rule,
    at,
  };
  return { ...begun, restarts, restarted: [...restarted, last].slice(-RESTARTS_KEPT) };
}

/** A person answers for what the phase should have made, until it begins anew. */
export function answerFor(progress: Progress, phase: string): Progress {
  const { times = 0 } = progress.phases[phase] ?? {};
  return { ...progress, phases: { ...progress.phases, [phase]: { times, waived: true } } };
}
