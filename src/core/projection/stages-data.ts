/** The progress of a run through its stages, under stable names, for files. */

import { scheduleOf, type Workflow } from "../model/compile.ts";
import { fillPath } from "../text/fill-path.ts";
import type { StageRestart, Run } from "../model/run.ts";
import { entriesOf, type ScheduleEntry } from "./schedule.ts";
import { isEnabled } from "./stages.ts";
import { isGood } from "../gates/artifact-status.ts";
import { explainedStatus } from "../gates/status-reason.ts";
import type { Literal } from "../model/value.ts";
import type { Condition, Move } from "../model/workflow.ts";

type StageStatus = "pending" | "in_progress" | "completed" | "failed" | "blocked" | "restarting" | "skipped";

export function stagedOf(
  workflow: Workflow,
  run: Run,
  stoppedAt: Literal | null,
): Readonly<Record<string, unknown>> {
  const entries = entriesOf(workflow, run);
  const at = entries.find(({ phase }) => phase === run.progress?.phase);
  const failure = failureOf(workflow, run, at);
  const isOver = workflow.definition.states[run.state]?.final !== undefined;
  return {
    at: { stage: at?.stage ?? null, phase: at?.phase ?? null },
    schedule: entries.map(({ phase, stage, name, type, status }) => ({ phase, stage, name, type, status })),
    phases: Object.fromEntries(
      entries.map(({ phase, status, attempts }) => [phase, { status, attempts }] as const),
    ),
    stageStatus: stageWords(workflow, run, entries),
    progress: overall(workflow, run, { at, stoppedAt }),
    gates: gatesOf(workflow, run),
    files: filesOf(workflow, run, entries),
    failure,
    blockReason: failure === null || isOver ? {} : { [failure.stage]: failure.error },
    restarts: (run.progress?.restarted ?? []).map((restart) => restartView(workflow, run, restart)),
    stoppedAt,
  };
}

function stageWords(
  workflow: Workflow,
  run: Run,
  entries: readonly ScheduleEntry[],
): Record<string, StageStatus> {
  const stages = workflow.definition.stages ?? [];
  return Object.fromEntries(
    stages.map((stage) => {
      const own = entries.filter((entry) => entry.stage === stage.name).map(({ status }) => status);
      return [
        stage.name,
        isEnabled(stage, run) ? stageWord(workflow, run, { own, name: stage.name }) : "skipped",
      ];
    }),
  );
}

function stageWord(
  { definition }: Workflow,
  run: Run,
  { own, name }: { readonly own: readonly ScheduleEntry["status"][]; readonly name: string },
): StageStatus {
  // A bad result of one phase may be fixed in the next.
  const isAtWork = own.includes("in_progress");
  if (own.includes("failed") && !isAtWork)
    return definition.states[run.state]?.final === undefined ? "blocked" : "failed";
  if (own.every((status) => status === "skipped")) return "skipped";
  if (own.every((status) => status === "skipped" || status === "pending")) return "pending";
  if (own.every((status) => status !== "pending" && status !== "in_progress")) return "completed";
  return run.progress?.restarts === name ? "restarting" : "in_progress";
}

/** One word for the whole run. */
function overall(
  { definition }: Workflow,
  run: Run,
  { at, stoppedAt }: { readonly at: ScheduleEntry | undefined; readonly stoppedAt: Literal | null },
): StageStatus | "stopped" {
  const final = definition.states[run.state]?.final;
  if (final !== undefined) return final === "done" ? "completed" : final === "failed" ? "failed" : "stopped";
  if (stoppedAt !== null) return "stopped";
  const isStranded = Object.values(run.agents).some(({ status }) => status === "crashed");
  if (at?.status === "failed" || isStranded) return "blocked";
  if (run.progress?.restarts !== undefined) return "restarting";
  return at === undefined && scheduleOf(definition).length > 0 ? "pending" : "in_progress";
}

/** For each pair of successive stages: the required artifacts, and the phase that decides. */
function gatesOf(workflow: Workflow, run: Run): Record<string, unknown> {
  const stages = (workflow.definition.stages ?? []).filter((stage) => isEnabled(stage, run));
  return Object.fromEntries(
    stages.map(({ name, phases = [] }, index) => [
      `${name}->${stages[index + 1]?.name ?? "COMPLETE"}`,
      {
        required: phases.flatMap(({ makes }) => makes.flatMap((artifact) => fileOf(workflow, run, artifact))),
        phase: phases.at(-1)?.id ?? null,
      },
    ]),
  );
}

/** The name of a file, without its folder. */
function fileOf({ definition }: Workflow, run: Run, artifact: string): string[] {
  const path = fillPath(run, definition.artifacts[artifact]?.file ?? "", "*");
  return path === "" ? [] : [path.slice(path.lastIndexOf("/") + 1)];
}

/** The files of all accepted artifacts that still count. */
function filesOf(
  { definition }: Workflow,
  run: Run,
  entries: readonly ScheduleEntry[],
): Record<string, string> {
  const awaited = new Set(
    entries.flatMap(({ status, gate }) =>
      status === "pending" ? (gate?.required ?? []).map(({ artifact }) => artifact) : [],
    ),
  );
  return Object.fromEntries(
    Object.entries(run.held).flatMap(([key, { reading }]) => {
      const { file = "" } = definition.artifacts[reading.artifact] ?? {};
      const isNew = run.baseline[key] !== reading.digest && !awaited.has(reading.artifact);
      const isThere = file !== "" && reading.found && isNew;
      return isThere ? [[key, fillPath(run, file, reading.slot)]] : [];
    }),
  );
}

type StageFailure = {
  readonly stage: string;
  readonly phase: string;
  readonly error: string;
  readonly failedAt: string;
};

function failureOf(workflow: Workflow, run: Run, at: ScheduleEntry | undefined): StageFailure | null {
  if (at?.status !== "failed" || run.progress === undefined) return null;
  const { stage, phase } = at;
  const { is, rule, since } = run.progress;
  if (is !== "failed")
    return { stage, phase, error: `the run ended in ${run.state}`, failedAt: run.updatedAt };
  const when = workflow.definition.moves[rule]?.when ?? [];
  const looked = when.flatMap((condition) => (condition.type === "artifact" ? [condition.artifact] : []));
  const made = (at.gate?.required ?? []).map(({ artifact }) => artifact);
  const found = [...new Set([...looked, ...made])]
    .map((artifact) => explainedStatus(workflow, run, artifact))
    .flatMap(({ standing, reason }) => (isGood(standing) ? [] : [reason]));
  const spent = when.flatMap(saySpent);
  return { stage, phase, error: [...found, ...spent].join("; "), failedAt: since };
}

function saySpent(condition: Condition): string[] {
  return condition.type === "counter" && condition.is === "spent" ? [`${condition.counter} is spent`] : [];
}

function restartView(
  workflow: Workflow,
  run: Run,
  { stage, from, to, restart, rule, at }: StageRestart,
): unknown {
  const reason = reasonFor(run, workflow.definition.moves[rule], at);
  return { stage, fromPhase: from, toPhase: to, restart, reason, at };
}

function reasonFor({ decisions }: Run, move: Move | undefined, at: string): string {
  if (move?.answer !== undefined) {
    const text = decisions.findLast((decision) => decision.at === at)?.text ?? "";
    return `a person answered ${move.answer}${text === "" ? "" : `: ${text}`}`;
  }
  if (move === undefined || !move.by.includes("engine")) return "it was asked for";
  return move.when.flatMap(sayCondition).join("; ");
}

function sayCondition(condition: Condition): string[] {
  switch (condition.type) {
    case "artifact":
      return [`${condition.artifact} is ${condition.in.join(" or ")}`];
    case "field":
      return [`${condition.artifact}.${condition.field} is ${condition.in.join(" or ")}`];
    case "least":
      return [`${condition.artifact}.${condition.field} is at least ${condition.min}`];
    case "most":
      return [`${condition.artifact}.${condition.field} is at most ${condition.max}`];
    case "counter":
      return saySpent(condition);
    case "param":
    case "origin":
      return [];
  }
}
