/**
 * The schedule of a workflow for one run: every phase with its status and its gate.
 *
 * There is one pointer, the current phase. Phases before it are passed and phases after it are pending, also after a restart has
 * moved it back. So the status of two phases cannot contradict each other.
 */

import { scheduleOf, type Scheduled, type Workflow } from "../model/compile.ts";
import { fillPath } from "../text/fill-path.ts";
import type { Run } from "../model/run.ts";
import { isEnabled } from "./stages.ts";
import { isGood, standingOf } from "../gates/artifact-status.ts";
import type { Phase, ArtifactStatus } from "../model/workflow.ts";

/** *failed*: the run is blocked or ended there. *skipped*: not part of this run. *waived*: a person waived its result. */
export type PhaseStatus = "pending" | "in_progress" | "completed" | "failed" | "skipped" | "waived";

type Required = { readonly artifact: string; readonly file: string; readonly standing: ArtifactStatus };

/** The artifacts that must be valid when the run leaves the phase. *dropped*: this run does not need them. */
type PhaseGate = {
  readonly status: "satisfied" | "missing" | "pending" | "dropped";
  readonly required: readonly Required[];
};

export type ScheduleEntry = {
  readonly phase: string;
  readonly stage: string;
  readonly name: string;
  readonly type: Phase["type"];
  readonly status: PhaseStatus;
  /** The number of times that the phase has started. */
  readonly attempts: number;
  /** The phase was passed without work, because its optional artifact was not made. */
  readonly idle: boolean;
  /** Undefined if the phase makes nothing. */
  readonly gate?: PhaseGate;
};

export function entriesOf(workflow: Workflow, run: Run): ScheduleEntry[] {
  const schedule = scheduleOf(workflow.definition);
  const here = schedule.findIndex(({ phase }) => phase.id === run.progress?.phase);
  const final = workflow.definition.states[run.state]?.final;
  return schedule.map((entry, index) => {
    const { stage, phase } = entry;
    const passed = statusOf(run, entry, { distance: here < 0 ? 1 : index - here, final });
    const status = passed === "completed" && isRefused(workflow, run, phase) ? "failed" : passed;
    const gate = phase.makes.length === 0 ? {} : { gate: gateOf(workflow, run, { phase, status }) };
    return {
      phase: phase.id,
      stage: stage.name,
      name: phase.title === "" ? phase.id : phase.title,
      type: phase.type,
      status,
      attempts: run.progress?.phases[phase.id]?.times ?? 0,
      idle: status === "completed" && isIdle(workflow, run, phase),
      ...gate,
    };
  });
}

function isIdle({ definition }: Workflow, { held }: Run, { id, makes }: Phase): boolean {
  return makes.length === 0 && definition.artifacts[id] !== undefined && held[id] === undefined;
}

/** A run may leave a phase with a bad result to have it fixed: until then, the phase has not succeeded. */
function isRefused(workflow: Workflow, run: Run, { makes }: Phase): boolean {
  return makes.some((artifact) => REFUSED.has(standingOf(workflow, run, artifact)));
}

const REFUSED: ReadonlySet<ArtifactStatus> = new Set(["needs_fix", "needs_human", "reject"]);

type PhasePosition = {
  readonly distance: number;
  readonly final: "done" | "cancelled" | "failed" | undefined;
};

function statusOf(run: Run, { stage, phase }: Scheduled, { distance, final }: PhasePosition): PhaseStatus {
  if (!isEnabled(stage, run)) return "skipped";
  if (distance > 0) return final === "done" ? "skipped" : "pending";
  const { times = 0, waived } = run.progress?.phases[phase.id] ?? {};
  const passed = waived === true ? "waived" : "completed";
  // A run may have started in a later phase.
  if (distance < 0) return times === 0 && waived !== true ? "skipped" : passed;
  switch (run.progress?.is) {
    case "left":
      return passed;
    case "failed":
      return "failed";
    case "begun":
    case undefined:
      return final === undefined ? "in_progress" : "failed";
  }
}

function gateOf(
  workflow: Workflow,
  run: Run,
  { phase, status }: { readonly phase: Phase; readonly status: PhaseStatus },
): PhaseGate {
  const required = phase.makes.map((artifact) => ({
    artifact,
    file: fillPath(run, workflow.definition.artifacts[artifact]?.file ?? "", "*"),
    standing: standingOf(workflow, run, artifact),
  }));
  return { required, status: openness(status, required) };
}

function openness(status: PhaseStatus, required: readonly Required[]): PhaseGate["status"] {
  switch (status) {
    case "pending":
      return "pending";
    case "skipped":
      return "dropped";
    // The gate was open then. Later changes of the artifact do not matter for it.
    case "completed":
    case "waived":
      return "satisfied";
    case "in_progress":
    case "failed":
      return required.every(({ standing }) => isGood(standing)) ? "satisfied" : "missing";
  }
}
