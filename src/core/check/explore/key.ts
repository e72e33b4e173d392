/**
 * A short string that is equal for two runs that behave alike from here on.
 *
 * Attempts, digests, times and texts of answers decide nothing, so the key omits them. It also omits differences in status that
 * no gate distinguishes, and everything that is never read again.
 */

import { isForeign } from "../../gates/accepted-artifacts.ts";
import { isUp } from "../../step/act.ts";
import { endKey, type Workflow } from "../../model/compile.ts";
import { countedBy, valueIn } from "../../model/field.ts";
import { isUsable } from "../../gates/gate.ts";
import { isGrouped } from "../../gates/fan-out-groups.ts";
import { isProof, ownMoves } from "../../step/move-at-end.ts";
import type { Agent, Run } from "../../model/run.ts";
import { hasVerdict, isGood, standingOf } from "../../gates/artifact-status.ts";
import type { Reader } from "../../model/artifact.ts";
import type { Condition, ArtifactStatus } from "../../model/workflow.ts";
import { aheadOf, type ReadsAhead } from "./live.ts";
import { conditionsOf, isAboutField, type AboutField } from "./outcomes.ts";
import { usesOrigin } from "./places.ts";
import { toldWhenOld, type ArtifactRead } from "./reads.ts";

export type RunKeys = (run: Run) => string;

const STANDINGS: readonly ArtifactStatus[] = [
  "missing",
  "invalid",
  "stale",
  "valid",
  "holds",
  "waived",
  "all",
  "some",
  "none",
  "pass",
  "pass_with_notes",
  "needs_fix",
  "needs_human",
  "reject",
];

export function keysOf(workflow: Workflow): RunKeys {
  const { definition } = workflow;
  const states = new Map(Object.keys(definition.states).map((name, index) => [name, index]));
  const aheadAt = aheadOf(workflow);
  const paramsOf = paramMarks(workflow);
  const partsIn = partMarks(workflow);
  const bound = boundRoles(workflow);
  const hasOrigin = usesOrigin(workflow);
  const roles = Object.keys(definition.roles);
  const tried = new Set(Object.keys(workflow.ends).filter((rule) => workflow.ends[rule]?.try !== undefined));
  const hasSlots = Object.values(definition.artifacts).some((artifact) => artifact.each !== undefined);
  return (run) => {
    const ahead = aheadAt(run);
    // One character for each part: short keys make a large product fast.
    let key = String.fromCharCode(states.get(run.state) ?? 0) + countMark(paramsOf(run, ahead));
    for (const counter of ahead.counters) key += countMark(run.counters[counter] ?? 0);
    const parts = partsIn(ahead);
    for (const part of parts) key += markOf({ workflow, run }, part);
    for (const role of roles) {
      key += String.fromCharCode(agentMark(run, run.agents[role], bound));
      if (tried.has(endKey(role, run.state))) key += hasNew(workflow, run, role) ? "n" : "-";
    }
    if (hasSlots) key += slotsKey(run, parts, bound);
    if (hasOrigin) for (const frame of run.frames) key += `<${frame.state}<${frame.from}`;
    return key;
  };
}

/** A number for the values of all parameters that still matter. Runs with the same number have the same moves ahead of them. */
function paramMarks({ definition }: Workflow): (run: Run, ahead: ReadsAhead) => number {
  const numbers = new Map<string, number>();
  const known = new Map<ReadsAhead, WeakMap<Run["params"], number>>();
  return ({ params }, ahead) => {
    const here = known.get(ahead) ?? new WeakMap<Run["params"], number>();
    known.set(ahead, here);
    const told = here.get(params);
    if (told !== undefined) return told;
    const names = ahead.params.filter((name) => definition.params[name]?.type !== "text");
    const values = JSON.stringify(names.map((name) => [name, params[name]]));
    const number = numbers.get(values) ?? numbers.size;
    numbers.set(values, number);
    here.set(params, number);
    return number;
  };
}

/** What the key contains of an artifact in one place. */
type ArtifactKey = {
  readonly name: string;
  readonly classes: ReadonlyMap<ArtifactStatus, number>;
  readonly fields: readonly FieldMark[];
  readonly isToldWhenOld: boolean;
  readonly isGrouped: boolean;
  /** Another artifact is about this one. */
  readonly isBehind: boolean;
};

function partMarks(workflow: Workflow): (ahead: ReadsAhead) => readonly ArtifactKey[] {
  const known = new Map<ReadsAhead, readonly ArtifactKey[]>();
  const grouped = groupedIn(workflow);
  return (ahead) => {
    const parts = known.get(ahead) ?? partsOf(workflow, ahead.reads, grouped);
    known.set(ahead, parts);
    return parts;
  };
}

function partsOf(
  workflow: Workflow,
  reads: readonly ArtifactRead[],
  grouped: ReadonlySet<string>,
): ArtifactKey[] {
  const { artifacts } = workflow.definition;
  const byName = Map.groupBy(reads, ({ artifact }) => artifact);
  return Object.entries(artifacts).flatMap(([name, { reader }]) => {
    const own = byName.get(name) ?? [];
    if (own.every(({ type }) => type === "again")) return [];
    const isBehind = own.some(({ type }) => type === "whole");
    const conditions = isBehind
      ? conditionsOf(workflow)
      : own.flatMap((read) => ("condition" in read ? [read.condition] : []));
    const isToldWhenOld = own.some(({ type }) => type === "there") || toldWhenOld(conditions).has(name);
    const isReadAgain = own.some(({ type }) => type === "again");
    const classes = classesOf(name, conditions, { isToldWhenOld, isReadAgain });
    const fields = marksOf(name, reader, conditions);
    return [{ name, classes, fields, isToldWhenOld, isGrouped: grouped.has(name), isBehind }];
  });
}

function markOf(situation: { workflow: Workflow; run: Run }, part: ArtifactKey): string {
  const { workflow, run } = situation;
  const { name, classes, fields } = part;
  const standing = standingOf(workflow, run, name);
  let mark = String.fromCharCode(classes.get(standing) ?? 0);
  // A waiver ends when the artifact's scope starts again: then the artifact is old, or missing.
  if (part.isToldWhenOld && standing === "waived") mark += run.held[name] === undefined ? "-" : "+";
  // Submissions about a text that another author has changed do not count, even if that text was waived.
  if (part.isBehind && standing === "waived") mark += isForeign(workflow, run, name) ? "f" : "-";
  if (part.isGrouped) mark += hasVerdict(workflow, run, name) ? "v" : "-";
  if (fields.length > 0 && mayBeUsed(situation, name, standing))
    for (const field of fields) mark += field(run);
  return mark;
}

/** Whether anything reads the artifact: now, or after the artifact that it is about has been restored. */
function mayBeUsed(
  { workflow, run }: { workflow: Workflow; run: Run },
  name: string,
  standing: ArtifactStatus,
): boolean {
  const bind = workflow.definition.artifacts[name]?.bind ?? [];
  return (
    isUsable(standing) || (standing === "stale" && bind.some((bound) => isForeign(workflow, run, bound)))
  );
}

/** Whether the agent's end would take its move, for every cause of the end. */
function hasNew(workflow: Workflow, run: Run, role: string): boolean {
  const agent = run.agents[role];
  if (agent === undefined || !isUp(agent)) return false;
  return ownMoves(workflow, run, role).some((move) => isProof(workflow, move, agent));
}

/** Reviews whose issues are distributed by file. This works for every judged review, independent of its current status. */
function groupedIn({ fanOuts, definition }: Workflow): ReadonlySet<string> {
  const names = Object.keys(fanOuts).filter((name) =>
    fanOuts[name]?.some(({ list }) => isGrouped(definition.artifacts[name], list)),
  );
  return new Set(names);
}

/** Two characters, because one is not enough for a large number. */
function countMark(count: number): string {
  return String.fromCharCode(count & 0x7fff, count >> 15);
}

/** Statuses that every gate, guard and assertion ahead treats alike share a class. */
function classesOf(
  artifact: string,
  conditions: readonly Condition[],
  distinguished: { isToldWhenOld: boolean; isReadAgain: boolean },
): Map<ArtifactStatus, number> {
  const lists = conditions.flatMap((condition) =>
    condition.type === "artifact" && condition.artifact === artifact ? [condition.in] : [],
  );
  const isFieldRead = conditions.some((each) => isAboutField(each) && each.artifact === artifact);
  const marks = STANDINGS.map((standing) => {
    // Where a guard distinguishes an old artifact from a missing one, a current one also differs from a missing one: it may
    // become old.
    const isNone = distinguished.isToldWhenOld && standing === "missing";
    const isKept = distinguished.isReadAgain && standing === "waived";
    const isRead = isFieldRead && isUsable(standing);
    const told = lists.map((list) => list.includes(standing));
    return [isGood(standing), isNone, isKept, isRead, ...told].join();
  });
  return new Map(STANDINGS.map((standing, index) => [standing, marks.indexOf(marks[index] ?? "")]));
}

type FieldMark = (run: Run) => string;

/** The value of a field. For a number of issues, only the result of the guards' comparisons. */
function marksOf(artifact: string, reader: Reader, conditions: readonly Condition[]): FieldMark[] {
  const about = conditions.filter(isAboutField).filter((condition) => condition.artifact === artifact);
  return [...Map.groupBy(about, ({ field }) => field)].map(([field, bounds]): FieldMark => {
    if (countedBy(reader, field) === undefined)
      return (run) => `:${JSON.stringify(run.held[artifact]?.reading.fields[field] ?? null)}`;
    return (run) => {
      const count = Number(valueIn(reader, run.held[artifact]?.reading, field) ?? -1);
      return `:${bounds.map((bound) => (isWithin(bound, count) ? "y" : "n")).join("")}`;
    };
  });
}

function isWithin(condition: AboutField, count: number): boolean {
  switch (condition.type) {
    case "field":
      return condition.in.includes(count);
    case "least":
      return count >= condition.min;
    case "most":
      return count <= condition.max;
  }
}

/** Roles whose artifacts refer to the work at the handover. */
function boundRoles(workflow: Workflow): ReadonlySet<string> {
  const { artifacts, roles } = workflow.definition;
  const names = Object.values(artifacts).flatMap((artifact) => (artifact.bind.length > 0 ? artifact.by : []));
  return new Set(names.filter((name) => roles[name]?.access === "read"));
}

/** Members of a fan-out are interchangeable: only the number in each status counts, and only while a gate waits for them. */
function slotsKey(run: Run, live: readonly ArtifactKey[], bound: ReadonlySet<string>): string {
  const parts: string[] = [];
  for (const artifact in run.slots) {
    const slots = run.slots[artifact] ?? {};
    const isLive = live.some(({ name }) => name === artifact);
    for (const slot in slots) {
      const part = `${isLive ? (slots[slot] ?? "") : ""}${agentsIn(run, { artifact, slot }, bound)}`;
      if (part !== "") parts.push(`${artifact}${part}`);
    }
  }
  return parts.toSorted().join();
}

function agentsIn(
  run: Run,
  { artifact, slot }: { readonly artifact: string; readonly slot: string },
  bound: ReadonlySet<string>,
): string {
  let marks = "";
  for (const id in run.agents) {
    const agent = run.agents[id];
    // Members of another fan-out may have the same names.
    const isOwn = agent?.slot === slot && agent.fan === artifact;
    const mark = isOwn ? agentMark(run, agent, bound) : 0;
    if (mark > 0) marks += `${id.slice(0, id.indexOf("/"))}${mark}`;
  }
  return marks;
}

function agentMark(run: Run, agent: Agent | undefined, bound: ReadonlySet<string>): number {
  if (agent === undefined || agent.status === "stopping") return 0;
  if (!isUp(agent)) return 1;
  if (!bound.has(agent.role)) return 2;
  return 3 + (agent.tree === run.tree ? 0 : 1) + (sameInputs(run, agent.inputs) ? 0 : 2);
}

function sameInputs(run: Run, inputs: Readonly<Record<string, string>>): boolean {
  for (const name in inputs) if (inputs[name] !== (run.held[name]?.reading.digest ?? "")) return false;
  return true;
}
