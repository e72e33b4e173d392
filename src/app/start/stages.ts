/** The stages of a workflow as people name them on the command line: in any case, with those that can be disabled. */

import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Stage } from "../../core/model/workflow.ts";

const HELP = "signalbox run --help";

/** Options of every run that begin like one that disables a stage. */
const OTHERS = ["--no-start", "--no-color"];

export type Typed = readonly (readonly [name: string, value: string])[];

/** Parameters as they were typed, and those that `--no-STAGE` sets. */
export function withoutStages(workflow: Workflow, names: readonly string[], typed: Typed): Typed {
  const off = names.map((name) => {
    const param = paramOf(workflow, name);
    const other = typed.find(([known, value]) => known === param && value !== "false");
    if (other === undefined) return [param, "false"] as const;
    throw new UserError("bad-usage", `--no-${name} and --param ${other.join("=")} do not go together`, HELP);
  });
  return [...typed, ...off];
}

function paramOf(workflow: Workflow, name: string): string {
  const { enabled } = stageNamed(workflow, name) ?? { enabled: true };
  if (typeof enabled === "object") return enabled.param;
  const all = optionsOf(workflow);
  const near = closest(`--no-${name}`, [...all, ...OTHERS]);
  const list = all.length === 0 ? "it has none" : `there are ${all.join(", ")}`;
  const hint = near === undefined ? list : `did you mean ${near}?`;
  const what = `${workflow.definition.name} has no stage "${name}" that can be disabled`;
  throw new UserError("unknown-stage", `${what}; ${hint}`, HELP);
}

export function stageNamed({ definition }: Workflow, name: string): Stage | undefined {
  const stages = definition.stages ?? [];
  return (
    stages.find((stage) => stage.name === name) ??
    stages.find((stage) => stage.name.toLowerCase() === name.toLowerCase())
  );
}

function optionsOf({ definition }: Workflow): string[] {
  return (definition.stages ?? []).map(offOption).filter((option) => option !== "");
}

/** `--no-test` and the like; empty for a stage that is always there. */
export function offOption({ name, enabled }: Stage): string {
  return typeof enabled === "object" ? `--no-${name.toLowerCase()}` : "";
}
