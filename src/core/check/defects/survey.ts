/** Observes every node and edge during the exploration, and records what the graph alone does not show. */

import { isUp } from "../../step/act.ts";
import { change, type OwnRun } from "../../step/apply.ts";
import { endKey, type Workflow } from "../../model/compile.ts";
import type { Event } from "../../model/event.ts";
import { deadlockOf } from "../../explain/deadlock.ts";
import { holds, isOpen, isSpent } from "../../gates/gate.ts";
import type { Run } from "../../model/run.ts";
import { isGood, standingOf } from "../../gates/artifact-status.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Assertion, Condition, Move } from "../../model/workflow.ts";
import type { ExplorationObserver } from "../explore/explore.ts";
import { dueIn } from "./orders.ts";
import type { Happening } from "../explore/possible.ts";

/** An observation with a trace: to a node, or along an edge. */
export type Sighting = { readonly key: string; readonly node?: number; readonly edge?: number };

export type Survey = ExplorationObserver & {
  readonly taken: ReadonlySet<number>;
  readonly deaths: ReadonlyMap<string, Sighting & { role: string; state: string }>;
  readonly alive: ReadonlyMap<string, Sighting & { role: string; state: string }>;
  readonly violations: ReadonlyMap<Assertion, Sighting>;
  readonly stranded: ReadonlyMap<string, Sighting & { artifact: string; standing: string; state: string }>;
  /** No agent works, no ordered result can arrive, and no person is asked. */
  readonly deadlocks: ReadonlyMap<string, Sighting & { state: string; reason: string }>;
  readonly unspent: ReadonlyMap<string, Sighting & { counter: string; state: string }>;
  readonly ambiguous: ReadonlyMap<string, Sighting & { moves: readonly Move[] }>;
  /** Steps in which the engine takes moves without end. */
  readonly runaways: ReadonlyMap<string, Sighting & { rules: readonly number[] }>;
};

/** A step that takes this many moves would never stop. */
const RULES_MAX = 100;

export function survey(workflow: Workflow): Survey {
  const taken = new Set<number>();
  const deaths = new Map<string, Sighting & { role: string; state: string }>();
  const alive = new Map<string, Sighting & { role: string; state: string }>();
  const violations = new Map<Assertion, Sighting>();
  const judge = (run: Run, sighting: Omit<Sighting, "key">): void => {
    for (const claim of claims.get(run.state) ?? []) {
      if (violations.has(claim) || !isViolated(workflow, run, claim)) continue;
      violations.set(claim, { key: claim.text, ...sighting });
    }
  };
  const stranded = new Map<string, Sighting & { artifact: string; standing: string; state: string }>();
  const deadlocks = new Map<string, Sighting & { state: string; reason: string }>();
  const unspent = new Map<string, Sighting & { counter: string; state: string }>();
  const ambiguous = new Map<string, Sighting & { moves: readonly Move[] }>();
  const runaways = new Map<string, Sighting & { rules: readonly number[] }>();
  const claims = claimsByState(workflow);
  const rivals = rulesWithRivals(workflow);
  const isSilent = silentStates(workflow);

  return {
    taken,
    deaths,
    alive,
    violations,
    stranded,
    deadlocks,
    unspent,
    ambiguous,
    runaways,
    node(node, run) {
      const isFinal = workflow.definition.states[run.state]?.final !== undefined;
      let isAnyUp = false;
      for (const agent of Object.values(run.agents)) {
        if (!isUp(agent)) continue;
        isAnyUp = true;
        const key = endKey(agent.role, run.state);
        const sighting = { key, node, role: agent.role, state: run.state };
        if (isFinal) note(alive, sighting);
        else if (workflow.ends[key] === undefined) note(deaths, sighting);
      }
      if (!isFinal && !isAnyUp && isSilent.has(run.state) && !deadlocks.has(run.state)) {
        const found = deadlockOf(workflow, run, []);
        if (found !== undefined)
          note(deadlocks, { key: run.state, node, state: run.state, reason: found.reason });
      }
      judge(run, { node });
    },
    edge({ edge, before, happening, after }) {
      let rules = 0;
      let mayClash = false;
      for (const event of after.events) {
        if (event.type !== "moved") continue;
        rules += 1;
        taken.add(event.rule);
        if (rivals.has(event.rule)) mayClash = true;
      }
      if (rules === 0) {
        const stuck = strandedBy(workflow, after.run, happening);
        if (stuck !== undefined) note(stranded, { ...stuck, edge });
        const counter = spentInVain(workflow, happening, after);
        if (counter !== undefined)
          note(unspent, { key: `${counter} ${before.state}`, edge, counter, state: before.state });
      }
      if (rules >= RULES_MAX) note(runaways, { key: after.run.state, edge, rules: rulesOf(after.events) });
      if (rules > 1 && claims.size > 0)
        for (const run of passedThrough(before, after.events)) judge(run, { edge });
      if (!mayClash) return;
      for (const moves of clashesOf(workflow, before, { happening, events: after.events })) {
        note(ambiguous, { key: moves.map((move) => workflow.ruleOf.get(move)).join(" "), edge, moves });
      }
    },
  };
}

/** States whose moves read no result that the engine itself can deliver there. */
function silentStates(workflow: Workflow): ReadonlySet<string> {
  const due = dueIn(workflow);
  const isSilent = (state: string): boolean =>
    (workflow.engineMovesFrom[state] ?? []).every((move) =>
      artifactsIn(move).every((name) => due.get(state)?.has(name) !== true),
    );
  return new Set(Object.keys(workflow.definition.states).filter(isSilent));
}

function note<T extends Sighting>(sightings: Map<string, T>, sighting: T): void {
  if (!sightings.has(sighting.key)) sightings.set(sighting.key, sighting);
}

/** The run in each state that one step enters and leaves again: assertions also hold there. */
function passedThrough(before: Run, events: readonly Event[]): Run[] {
  const seen: Run[] = [];
  const run: OwnRun = { ...before };
  let moves = 0;
  for (const event of events) {
    if (event.type === "moved") {
      if (moves > 0) seen.push({ ...run });
      moves += 1;
    }
    change(run, event);
  }
  return seen;
}

function claimsByState(workflow: Workflow): Map<string, Assertion[]> {
  const claims = new Map<string, Assertion[]>();
  for (const assertion of workflow.definition.assertions) {
    if (assertion.type === "eventually") continue;
    for (const state of assertion.in) claims.set(state, [...(claims.get(state) ?? []), assertion]);
  }
  return claims;
}

function isViolated(workflow: Workflow, run: Run, claim: Assertion): boolean {
  const any = (lists: Assertion["when"]): boolean =>
    lists.some((list) => list.every((condition) => holds(workflow, run, condition)));
  if (any(claim.unless)) return false;
  const applies = claim.when.length === 0 || any(claim.when);
  return claim.type === "never" ? applies : !applies;
}

/** A result has arrived that the engine must act on, but a counter, parameter or origin closes each of its moves. */
function strandedBy(
  workflow: Workflow,
  run: Run,
  { artifact, human }: Happening,
): (Sighting & { artifact: string; standing: string; state: string }) | undefined {
  if (artifact === undefined || human || workflow.definition.states[run.state]?.waits === true)
    return undefined;
  const standing = standingOf(workflow, run, artifact);
  if (standing === "missing" || standing === "stale" || standing === "invalid") return undefined;
  const deciding = (workflow.movesFrom[run.state] ?? []).filter((move) =>
    artifactsIn(move).includes(artifact),
  );
  const waiting = deciding.some(
    (move) => !move.by.includes("engine") || isOnlyWaiting({ workflow, run }, move, artifact),
  );
  if (deciding.length === 0 || waiting) return undefined;
  return { key: `${run.state} ${artifact} ${standing}`, artifact, standing, state: run.state };
}

/** The artifact's status fits the move; only other artifacts are still missing. */
function isOnlyWaiting(situation: { workflow: Workflow; run: Run }, move: Move, artifact: string): boolean {
  const { workflow, run } = situation;
  if (move.need.includes(artifact) && !isGood(standingOf(workflow, run, artifact))) return false;
  const about = (condition: Condition): boolean =>
    !("artifact" in condition) || condition.artifact === artifact;
  return move.when.filter(about).every((condition) => holds(workflow, run, condition));
}

/** A budget is spent and no move follows. */
function spentInVain(
  workflow: Workflow,
  { event }: Happening,
  { run, events }: { run: Run; events: readonly Event[] },
): string | undefined {
  if (event.type === "agent-ended" && event.slot !== "") return undefined;
  const counted = events.find((each) => each.type === "counted");
  return counted !== undefined && isSpent(workflow, run, counted.counter) ? counted.counter : undefined;
}

function rulesOf(events: readonly Event[]): number[] {
  return events.flatMap((event) => (event.type === "moved" ? [event.rule] : []));
}

/** Moves with a possible competitor; all others need no further look. */
function rulesWithRivals(workflow: Workflow): ReadonlySet<number> {
  const { moves } = workflow.definition;
  const rules = [...moves.keys()].filter((rule) => {
    const taken = moves[rule];
    const others = taken === undefined ? [] : (workflow.movesFrom[taken.from] ?? []);
    return others.some(
      (other) =>
        other !== taken && other.by.some((by) => isRival(taken, other, by) && taken?.by.includes(by)),
    );
  });
  return new Set(rules);
}

/** Moves that were open at the same time, so that only their order in the file decided. */
function clashesOf(
  workflow: Workflow,
  before: Run,
  { happening, events }: { happening: Happening; events: readonly Event[] },
): Move[][] {
  const reserved = "reserved" in happening.event ? (happening.event.reserved ?? []) : [];
  const clashes: Move[][] = [];
  const run: OwnRun = { ...before };
  const situation = { workflow, run, reserved };
  for (const each of events) {
    if (each.type === "moved") {
      const rule = workflow.definition.moves[each.rule];
      const rivals = (workflow.movesFrom[each.from] ?? []).filter(
        (move) => isRival(rule, move, each.by) && isOpen(situation, move),
      );
      if (rivals.length > 1) clashes.push(rivals);
    }
    change(run, each);
  }
  return clashes;
}

/** Moves of the engine compete with each other; a requested move competes only with requests for the same target. */
function isRival(taken: Move | undefined, other: Move, by: string): boolean {
  if (taken === undefined || !other.by.includes(by) || taken.answer !== other.answer) return false;
  return by === "engine" || other.to === taken.to;
}
