/** After a stage, or after one of its phases, a role writes a summary for later agents. */

import type { Path } from "../../problem.ts";
import type { PhaseFile, StageFile } from "../schema/schema.ts";
import { put, type Sink } from "../expand/sink.ts";
import { produce } from "./produce.ts";
import { outOf, type PhaseSite } from "./site.ts";

type Summary = NonNullable<StageFile["summary"]>;

/** The state in which the summary is written, and its artifact. */
export function summaryOf(name: string): string {
  return `${name}-summary`;
}

/** Returns the new target of the phase: its own summary, the stage's summary if it is the last phase, or the next phase. */
export function summarize(
  sink: Sink,
  site: PhaseSite,
  written: { readonly summary: Summary | undefined; readonly isLast: boolean },
): string {
  const { summary, isLast } = written;
  if (summary === undefined) return site.next;
  const path: Path = ["stages", site.stage, "summary"];
  const next = isLast
    ? summaryState(sink, site, { summary, of: site.stage, when: summary.when ?? true, path })
    : site.next;
  if (summary.phases === undefined || !isSummedUp(site.phase, summary)) return next;
  return summaryState(sink, { ...site, next }, { summary, of: site.id, when: summary.phases, path });
}

/** Whether a phase has its own summary: only phases with a producer have one. */
export function isSummedUp({ run }: PhaseFile, summary: Summary | undefined): boolean {
  return run !== undefined && summary?.phases !== undefined && summary.phases !== false;
}

function summaryState(
  sink: Sink,
  site: PhaseSite,
  written: { summary: Summary; of: string; when: string | boolean; path: Path },
): string {
  const { summary, of, when, path } = written;
  const state = summaryOf(of);
  const out = outOf(summary.out);
  put(sink, "artifacts", {
    name: state,
    value: {
      ...out,
      ...(out.in === undefined || of === site.stage ? {} : { in: ofPhase(out.in, of) }),
      by: summary.by,
      // Bound to the state, not to the stage: one role writes many summaries, none of them early.
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

/** `PLAN.md` of the stage becomes `PLAN-1.1.md` of its phase. */
function ofPhase(file: string, id: string): string {
  return file.replace(/(\.[^./]*)?$/, (end) => `-${id}${end}`);
}
