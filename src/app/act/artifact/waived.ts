/** What a person answers for by waiving it, in words: said at the move that waives it, and again when the work is accepted. */

import type { Workflow } from "../../../core/model/compile.ts";
import type { Run } from "../../../core/model/run.ts";

/** `run` is the run before the waiver, or after it: the verdict stays what it was. */
export function sayWaived({ definition }: Workflow, run: Run, artifact: string): string {
  const reading = run.held[artifact]?.reading;
  if (reading === undefined || !reading.found)
    return `no ${artifact} was made of this work; you answer for it`;
  const { verdict } = reading;
  if (verdict === undefined || verdict === "pass" || verdict === "pass_with_notes")
    return `${artifact} is not for this work as it is; you answer for it`;
  const rounds = run.counters[definition.artifacts[artifact]?.fresh ?? ""] ?? 1;
  return rounds > 1
    ? `${rounds} ${artifact}s failed; you answer for it`
    : `the ${artifact} failed; you answer for it`;
}

export function saysWaived(workflow: Workflow, run: Run): readonly string[] {
  return Object.keys(run.waivers).map((artifact) => sayWaived(workflow, run, artifact));
}
