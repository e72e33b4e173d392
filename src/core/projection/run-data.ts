/** A run as projections see it: everything that a file may show, under stable names. */

import type { Workflow } from "../model/compile.ts";
import { framesOf, phaseOf } from "./phase.ts";
import type { Run } from "../model/run.ts";
import { progressOf } from "./stages.ts";
import { stagedOf } from "./stages-data.ts";
import { standingOf, valueOf } from "../gates/artifact-status.ts";
import { statusOf } from "../model/status.ts";
import type { Literal } from "../model/value.ts";
import { fillPath } from "../text/fill-path.ts";
import { project, reads } from "./project.ts";
import { showsQuestions } from "./questions.ts";
import { showsRecord } from "./journal-record.ts";
import { showsSaid } from "./accepted-values.ts";

/** What only the edge knows: the workspace, the session, a pull request. */
export type Resources = Readonly<Record<string, Literal | null>>;

export type ProjectedRun = {
  readonly run: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, Literal>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly artifacts: Readonly<Record<string, string>>;
  /** Facts that hold, by name of the artifact, with their fields. */
  readonly facts: Readonly<Record<string, Readonly<Record<string, Literal>>>>;
  readonly agents: Readonly<Record<string, string>>;
  readonly resources: Resources;
  /** The last result of each check, by name of the artifact. */
  readonly checks: Readonly<Record<string, CheckResult>>;
};

export function viewOf(workflow: Workflow, run: Run, resources: Resources): ProjectedRun {
  const { counters, artifacts, states } = workflow.definition;
  const { id, state, entry, startedAt, updatedAt, decisions, question } = run;
  return {
    run: {
      id,
      state,
      phase: phaseOf(workflow.definition, state),
      stage: states[state]?.stage ?? null,
      stages: progressOf(workflow, run),
      status: statusOf(workflow, run),
      entry,
      startedAt,
      updatedAt,
      // A withdrawn question is not a decision.
      decisions: decisions.filter(({ answer }) => answer !== ""),
      question: question ?? null,
      waivers: Object.values(run.waivers),
      frames: framesOf(workflow.definition, run),
      ...stagedOf(workflow, run, resources["stoppedAt"] ?? null),
    },
    params: run.params,
    counters: Object.fromEntries(Object.keys(counters).map((name) => [name, run.counters[name] ?? 0])),
    artifacts: Object.fromEntries(
      Object.keys(artifacts).map((name) => [name, standingOf(workflow, run, name)]),
    ),
    facts: factsOf(workflow, run),
    agents: Object.fromEntries(Object.entries(run.agents).map(([name, agent]) => [name, agent.status])),
    resources,
    checks: checksOf(workflow, run),
  };
}

function factsOf(workflow: Workflow, run: Run): ProjectedRun["facts"] {
  const facts = Object.entries(workflow.definition.artifacts).filter(
    ([name, { reader }]) => reader.type === "fact" && standingOf(workflow, run, name) === "holds",
  );
  return Object.fromEntries(facts.map(([name]) => [name, run.held[name]?.reading.fields ?? {}]));
}

/** The last result of a check, as projections show it. */
type CheckResult = {
  readonly commands: readonly { readonly command: Literal; readonly exitCode: number | null }[];
  readonly passed: boolean;
  readonly failing: Literal | null;
  readonly rule: Literal | null;
  /** The work that was checked. */
  readonly tree: Literal;
  /** The file with its output. */
  readonly output: string | null;
};

function checksOf({ definition }: Workflow, run: Run): Record<string, CheckResult> {
  const checks: Record<string, CheckResult> = {};
  for (const [name, { reader, file }] of Object.entries(definition.artifacts)) {
    const reading = run.held[name]?.reading;
    if (reader.type !== "check" || reading?.verdict === undefined) continue;
    const { exit_code: code, failing = null, rule = null, tree = "" } = reading.fields;
    const { commands, exit_codes: codes = [] } = reading.lists;
    checks[name] = {
      commands: commands?.map((command, index) => ({ command, exitCode: numberOf(codes[index]) })) ?? [
        { command: valueOf(run, reader.command), exitCode: numberOf(code) },
      ],
      passed: reading.verdict === "pass",
      failing,
      rule,
      tree,
      output: file === "" ? null : fillPath(run, file),
    };
  }
  return checks;
}

/** A command that did not exit has no exit code. */
function numberOf(code: Literal | undefined): number | null {
  return code === undefined || Number(code) < 0 ? null : Number(code);
}

/**
 * Whether no file of the run shows the difference: all files would stay the same except for the time. False if a file also shows
 * data that is not in the run: past events, or facts of the edge.
 */
export function isUnseen(workflow: Workflow, before: Run, after: Run): boolean {
  const { definition } = workflow;
  const trees = definition.projections.flatMap((each) => ("data" in each ? [each.data] : []));
  const isOfEvents = showsRecord(definition) || showsSaid(definition) || showsQuestions(definition);
  if (isOfEvents || trees.some((tree) => reads(tree, "resources"))) return false;
  const said = (run: Run): string => {
    const root = viewOf(workflow, { ...run, updatedAt: before.updatedAt }, {});
    return JSON.stringify(trees.map((tree) => project(tree, root)));
  };
  return said(before) === said(after);
}
