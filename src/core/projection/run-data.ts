/** A run as projections see it: everything a file may show, under stable names. */

import { checksOf, type CheckView } from "./check-results.ts";
import type { Workflow } from "../model/compile.ts";
import { framesOf, phaseOf } from "./phase.ts";
import type { Run } from "../model/run.ts";
import { progressOf } from "./stages.ts";
import { stagedOf } from "./stages-data.ts";
import { standingOf } from "../gates/artifact-status.ts";
import { statusOf } from "../model/status.ts";
import type { Literal } from "../model/value.ts";

/** What the edge knows and the core does not: the workspace, the session, a pull request. */
export type Resources = Readonly<Record<string, Literal | null>>;

export type View = {
  readonly run: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, Literal>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly artifacts: Readonly<Record<string, string>>;
  /** Those that hold, by the name of the artifact, with their fields. */
  readonly facts: Readonly<Record<string, Readonly<Record<string, Literal>>>>;
  readonly agents: Readonly<Record<string, string>>;
  readonly resources: Resources;
  /** What each check said last, by the name of the artifact. */
  readonly checks: Readonly<Record<string, CheckView>>;
};

export function viewOf(workflow: Workflow, run: Run, resources: Resources): View {
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
      // A question that was withdrawn is nobody's decision.
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

function factsOf(workflow: Workflow, run: Run): View["facts"] {
  const facts = Object.entries(workflow.definition.artifacts).filter(
    ([name, { reader }]) => reader.type === "fact" && standingOf(workflow, run, name) === "holds",
  );
  return Object.fromEntries(facts.map(([name]) => [name, run.held[name]?.reading.fields ?? {}]));
}
