/**
 * What two runs must have in common to behave alike from here on, as a short string.
 *
 * Attempts, digests, times and the words of answers decide nothing, so they are left out; so are differences between
 * standings that no gate tells apart, and whatever nothing reads any more.
 */

import { isUp } from "../act.ts";
import { endKey, type Workflow } from "../compile.ts";
import { countedBy, valueIn } from "../field.ts";
import { isGrouped } from "../groups.ts";
import { isProof, ownMoves } from "../own-move.ts";
import type { Agent, Run } from "../run.ts";
import { hasVerdict, isGood, standingOf } from "../standing.ts";
import type { Reader } from "../artifact.ts";
import type { Condition, Standing } from "../workflow.ts";
import { liveArtifacts, liveCounters, toldWhenStale, usesOrigin } from "./live.ts";
import { conditionsOf, isAboutField, type AboutField } from "./outcomes.ts";

export type Keys = (run: Run) => string;

const STANDINGS: readonly Standing[] = [
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

export function keysOf(workflow: Workflow): Keys {
  const { definition } = workflow;
  const states = new Map(Object.keys(definition.states).map((name, index) => [name, index]));
  const params = Object.keys(definition.params).filter((name) => definition.params[name]?.type !== "text");
  const counters = liveCounters(workflow);
  const live = liveArtifacts(workflow);
  const conditions = conditionsOf(workflow);
  const classes = new Map(
    Object.keys(definition.artifacts).map((name) => [name, classesOf(name, conditions)]),
  );
  const fields = new Map(
    Object.entries(definition.artifacts).map(([name, { reader }]) => [
      name,
      marksOf(name, reader, conditions),
    ]),
  );
  const bound = boundRoles(workflow);
  const hasOrigin = usesOrigin(workflow);
  const outliving = toldWhenStale(workflow);
  const roles = Object.keys(definition.roles);
  const tried = new Set(Object.keys(workflow.ends).filter((rule) => workflow.ends[rule]?.try !== undefined));
  const hasSlots = Object.values(definition.artifacts).some((artifact) => artifact.each !== undefined);
  const grouped = groupedIn(workflow);
  const sets = new Map<string, number>();
  const setOf = new WeakMap<Run["params"], number>();
  /** All runs of one set of parameters share one number. */
  const paramsOf = (run: Run): number => {
    const known = setOf.get(run.params);
    if (known !== undefined) return known;
    const values = JSON.stringify(params.map((name) => run.params[name]));
    const number = sets.get(values) ?? sets.size;
    sets.set(values, number);
    setOf.set(run.params, number);
    return number;
  };
  return (run) => {
    // One character for each part: short keys are what makes a large product quick.
    let key = String.fromCharCode(states.get(run.state) ?? 0) + countMark(paramsOf(run));
    for (const counter of counters.at(run)) key += countMark(run.counters[counter] ?? 0);
    const names = live.at(run);
    for (const name of names) {
      const standing = standingOf(workflow, run, name);
      key += String.fromCharCode(classes.get(name)?.get(standing) ?? 0);
      // A waiver ends when the artifact begins anew: then it is old, or there is none.
      if (outliving.has(name) && standing === "waived") key += run.held[name] === undefined ? "-" : "+";
      if (grouped.has(name)) key += hasVerdict(workflow, run, name) ? "v" : "-";
      if (standing !== "missing") for (const mark of fields.get(name) ?? []) key += mark(run);
    }
    for (const role of roles) {
      key += String.fromCharCode(agentMark(run, run.agents[role], bound));
      if (tried.has(endKey(role, run.state))) key += hasNew(workflow, run, role) ? "n" : "-";
    }
    if (hasSlots) key += slotsKey(run, names, bound);
    if (hasOrigin) for (const frame of run.frames) key += `<${frame.state}<${frame.from}`;
    return key;
  };
}

/** Whether its death would take its own move for it, however it came. */
function hasNew(workflow: Workflow, run: Run, role: string): boolean {
  const agent = run.agents[role];
  if (agent === undefined || !isUp(agent)) return false;
  return ownMoves(workflow, run, role).some((move) => isProof(workflow, move, agent));
}

/** Reviews whose issues are handed out by their files: they are, as long as they were judged, whatever they are worth now. */
function groupedIn({ fanOuts, definition }: Workflow): ReadonlySet<string> {
  const names = Object.keys(fanOuts).filter((name) =>
    fanOuts[name]?.some(({ list }) => isGrouped(definition.artifacts[name], list)),
  );
  return new Set(names);
}

/** Two characters: one would not do for a large number. */
function countMark(count: number): string {
  return String.fromCharCode(count & 0x7fff, count >> 15);
}

/** Standings that every gate, guard and assertion treats alike share a class. */
function classesOf(artifact: string, conditions: readonly Condition[]): Map<Standing, number> {
  const lists = conditions.flatMap((condition) =>
    condition.type === "artifact" && condition.artifact === artifact ? [condition.in] : [],
  );
  // Where an old artifact is told from none, one that is there now differs from none as well: it may become old.
  const isTold = lists.some((list) => list.includes("stale") !== list.includes("missing"));
  const marks = STANDINGS.map(
    (standing) =>
      `${isGood(standing)}${isTold && standing === "missing"}${lists.map((list) => list.includes(standing)).join("")}`,
  );
  return new Map(STANDINGS.map((standing, index) => [standing, marks.indexOf(marks[index] ?? "")]));
}

type Mark = (run: Run) => string;

/** Of a field its value; of how many issues there are only what guards can tell by it. */
function marksOf(artifact: string, reader: Reader, conditions: readonly Condition[]): Mark[] {
  const about = conditions.filter(isAboutField).filter((condition) => condition.artifact === artifact);
  return [...Map.groupBy(about, ({ field }) => field)].map(([field, bounds]): Mark => {
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

/** Roles whose word is about the work as it was handed to them. */
function boundRoles(workflow: Workflow): ReadonlySet<string> {
  const { artifacts, roles } = workflow.definition;
  const names = Object.values(artifacts).flatMap((artifact) => (artifact.bind.length > 0 ? artifact.by : []));
  return new Set(names.filter((name) => roles[name]?.access === "read"));
}

/** Members of a fan-out are alike: only how many are how counts, and that only while somebody waits for them. */
function slotsKey(run: Run, live: readonly string[], bound: ReadonlySet<string>): string {
  const parts: string[] = [];
  for (const artifact in run.slots) {
    const slots = run.slots[artifact] ?? {};
    const isLive = live.includes(artifact);
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
