/** The schedule of a run as people want to see it: a row for each phase, and what keeps it from being left. */

import { entriesOf } from "../../../core/projection/schedule.ts";
import { isGood } from "../../../core/gates/artifact-status.ts";
import type { Seen } from "../../runs/find.ts";
import type { ArtifactView, ScheduleView } from "../run-view.ts";

export type { ScheduleView };

export type Owed = NonNullable<ScheduleView["gate"]>["required"][number];

export function scheduleOf({ workflow, run }: Seen, artifacts: readonly ArtifactView[]): ScheduleView[] {
  if (workflow.definition.stages === undefined) return [];
  const reasonOf = (name: string): string =>
    artifacts.find(({ artifact }) => artifact === name)?.reason ?? "";
  return entriesOf(workflow, run).map(({ gate, ...entry }) => {
    if (gate === undefined) return { ...entry, gate: null };
    const required = gate.required.map((owed) => ({ ...owed, reason: reasonOf(owed.artifact) }));
    return { ...entry, gate: { status: gate.status, required } };
  });
}

/** What still keeps the phase from being left. */
export function missingIn({ gate }: ScheduleView): readonly Owed[] {
  return (gate?.required ?? []).filter(({ standing }) => !isGood(standing));
}
