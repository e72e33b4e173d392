/** After a stage, or after a phase of it, a role writes down what those who come later must know. */

import type { Path } from "../build/context.ts";
import type { PhaseFile, StageFile } from "../schema/schema.ts";
import { put, type Sink } from "../expand/sink.ts";
import { produce } from "./produce.ts";
import { outOf, type PhaseSite } from "./site.ts";

type Summary = NonNullable<StageFile["summary"]>;

/** The state in which it is written, and its artifact. */
export function summaryOf(name: string): string {
  return `${name}-summary`;
}

/** Gives where the phase leads now: to its own summary, to that of the stage when it is the last, or on. */
export function summarize(
  sink: Sink,
  site: PhaseSite,
  on: { readonly summary: Summary | undefined; readonly isLast: boolean },
): string {
  const { summary, isLast } = on;
  if (summary === undefined) return site.next;
  const path: Path = ["stages", site.stage, "summary"];
  const next = isLast
    ? summaryState(sink, site, { summary, of: site.stage, when: summary.when ?? true, path })
    : site.next;
  if (summary.phases === undefined || !isSummedUp(site.phase, summary)) return next;
  return summaryState(sink, { ...site, next }, { summary, of: site.id, when: summary.phases, path });
}

/** Whether a phase has a summary of its own: only what somebody produces is worth one. */
export function isSummedUp({ run }: PhaseFile, summary: Summary | undefined): boolean {
  return run !== undefined && summary?.phases !== undefined && summary.phases !== false;
}

function summaryState(
  sink: Sink,
  site: PhaseSite,
  on: { summary: Summary; of: string; when: string | boolean; path: Path },
): string {
  const { summary, of, when, path } = on;
  const state = summaryOf(of);
  const out = outOf(summary.out);
  put(sink, "artifacts", {
    name: state,
    value: {
      ...out,
      ...(out.in === undefined || of === site.stage ? {} : { in: ofPhase(out.in, of) }),
      by: summary.by,
      // Of the state, not of the stage: one role writes many of these, and none of them before its time.
      fresh: state,
    },
    path,
    inside: [...path, "out"],
  });
  const phase: PhaseFile = site.phase.title === undefined ? {} : { title: `${site.phase.title}: summary` };
  produce(sink, { ...site, id: state, phase, path }, { state, role: summary.by, owes: state, to: site.next });
  sink.helpers.set(state, site.id);
  sink.summaries.set(state, { when, next: site.next, stage: site.stage, path });
  return state;
}

/** `PLAN.md` of the stage is `PLAN-1.1.md` of its phase. */
function ofPhase(file: string, id: string): string {
  return file.replace(/(\.[^./]*)?$/, (end) => `-${id}${end}`);
}
