/**
 * What two runs must have in common to behave alike from here on, as a short string.
 *
 * Attempts, digests, times and the words of answers decide nothing, so they are left out; so are differences between
 * standings that no gate tells apart, and whatever nothing reads any more.
 */

import { isUp } from "../act.ts";
import type { Workflow } from "../compile.ts";
import type { Agent, Run } from "../run.ts";
import { isGood, worth } from "../standing.ts";
import type { Condition, Standing } from "../workflow.ts";
import { liveArtifacts, liveCounters, usesOrigin } from "./live.ts";
import { conditionsOf } from "./outcomes.ts";

export type Keys = (run: Run) => string;

const STANDINGS: readonly Standing[] = ["missing", "invalid", "stale", "valid", "holds", "waived", "all", "some", "none", "pass", "pass_with_notes", "needs_fix", "needs_human", "reject"];

export function keysOf(workflow: Workflow): Keys {
  const { definition } = workflow;
  const states = new Map(Object.keys(definition.states).map((name, index) => [name, index]));
  const params = Object.keys(definition.params).filter((name) => definition.params[name]?.type !== "text");
  const counters = liveCounters(workflow);
  const live = liveArtifacts(workflow);
  const conditions = conditionsOf(workflow);
  const classes = new Map(Object.keys(definition.artifacts).map((name) => [name, classesOf(name, conditions)]));
  const fields = new Map(Object.keys(definition.artifacts).map((name) => [name, fieldsOf(name, conditions)]));
  const bound = boundRoles(workflow);
  const hasOrigin = usesOrigin(workflow);
  return (run) => {
    // One character for each part: short keys are what makes a large product quick.
    let key = String.fromCharCode(states.get(run.state) ?? 0);
    for (const name of params) key += `${String(run.params[name])} `;
    for (const counter of counters.get(run.state) ?? []) key += String.fromCharCode(run.counters[counter] ?? 0);
    for (const name of live.get(run.state) ?? []) {
      const { standing } = worth(workflow, run, name);
      key += String.fromCharCode(classes.get(name)?.get(standing) ?? 0);
      if (standing !== "missing") for (const field of fields.get(name) ?? []) key += `:${String(run.held[name]?.reading.fields[field] ?? "")}`;
    }
    for (const artifact in run.slots) key += `/${artifact}${Object.values(run.slots[artifact] ?? {}).toSorted().join("")}`;
    for (const id in run.agents) key += agentKey(run, run.agents[id], bound);
    if (hasOrigin) for (const frame of run.frames) key += `<${frame.state}<${frame.from}`;
    return key;
  };
}

/** Standings that every gate, guard and assertion treats alike share a class. */
function classesOf(artifact: string, conditions: readonly Condition[]): Map<Standing, number> {
  const lists = conditions.flatMap((condition) => (condition.type === "artifact" && condition.artifact === artifact ? [condition.in] : []));
  const marks = STANDINGS.map((standing) => `${isGood(standing)}${lists.map((list) => list.includes(standing)).join("")}`);
  return new Map(STANDINGS.map((standing, index) => [standing, marks.indexOf(marks[index] ?? "")]));
}

function fieldsOf(artifact: string, conditions: readonly Condition[]): string[] {
  const names = conditions.flatMap((condition) => ((condition.type === "field" || condition.type === "least") && condition.artifact === artifact ? [condition.field] : []));
  return [...new Set(names)];
}

/** Roles whose word is about the work as it was handed to them. */
function boundRoles(workflow: Workflow): ReadonlySet<string> {
  const { artifacts, roles } = workflow.definition;
  const names = Object.values(artifacts).flatMap((artifact) => (artifact.bind.length > 0 ? artifact.by : []));
  return new Set(names.filter((name) => roles[name]?.access === "read"));
}

function agentKey(run: Run, agent: Agent | undefined, bound: ReadonlySet<string>): string {
  if (agent === undefined || agent.status === "stopping") return "";
  const name = agent.slot === "" ? agent.role : `${agent.role}/`;
  if (!isUp(agent)) return `;${name}!`;
  if (!bound.has(agent.role)) return `;${name}`;
  return `;${name}${agent.tree === run.tree ? "=" : "~"}${sameInputs(run, agent.inputs) ? "=" : "~"}`;
}

function sameInputs(run: Run, inputs: Readonly<Record<string, string>>): boolean {
  for (const name in inputs) if (inputs[name] !== (run.held[name]?.reading.digest ?? "")) return false;
  return true;
}
