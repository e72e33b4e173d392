/** States that no run reaches and moves that no run can take, each with the nearest reason. */

import { isUp } from "../../step/act.ts";
import type { Workflow } from "../../model/compile.ts";
import { holds } from "../../gates/gate.ts";
import { isGood, standingOf } from "../../gates/artifact-status.ts";
import { START, type Condition, type Move } from "../../model/workflow.ts";
import type { Defect } from "../defect.ts";
import { explore, NODES_MAX, type Exploration, type ExplorationObserver } from "../explore/explore.ts";
import { nodesOf } from "../explore/graph.ts";
import { variantsOf } from "../explore/variants.ts";

/** `excused` are moves with a more precise defect. */
export function neverTaken(
  workflow: Workflow,
  { graph }: Exploration,
  known: { taken: ReadonlySet<number>; excused: ReadonlySet<Move> },
): Defect[] {
  const { taken, excused } = known;
  const reached = new Set<string>([
    START,
    ...[...taken].map((rule) => workflow.definition.moves[rule]?.to ?? ""),
  ]);
  for (let node = 0; node < nodesOf(graph); node += 1)
    reached.add(graph.states[graph.nodeState.at(node)] ?? "");
  const { states, moves, places, stages = [] } = workflow.definition;
  const others = variantsIn(workflow, taken);
  const shut = moves.filter(
    (move, rule) =>
      reached.has(move.from) &&
      !taken.has(rule) &&
      states[move.from]?.final === undefined &&
      !others.has(variantOf(workflow, move)),
  );
  // A stage that is disabled in every run is disabled on purpose.
  const off = new Set(stages.filter(({ enabled }) => enabled === false).map(({ name }) => name));
  const unreachable = Object.entries(states)
    .filter(([name, { stage = "" }]) => !reached.has(name) && !off.has(stage))
    .map(([name]) => name);
  const lost = firstOf(
    unreachable,
    moves,
    shut.map((move) => move.to),
  );
  const told = shut.filter((move) => !excused.has(move));
  return [
    ...lost.map((name): Defect => ({
      code: "unreachable-state",
      at: places[`states.${name}`] ?? NOWHERE,
      message: `no run ever reaches ${name}`,
      trace: [],
    })),
    ...(told.length === 0 ? [] : explain(workflow, told)),
  ];
}

/** A move of a stage may exist in several variants: it is enough that a run takes one of them. */
function variantsIn(workflow: Workflow, taken: ReadonlySet<number>): ReadonlySet<string> {
  const moves = workflow.definition.moves.filter((_, rule) => taken.has(rule));
  const variants = new Set(moves.map((move) => variantOf(workflow, move)));
  variants.delete(ALONE);
  return variants;
}

const ALONE = "";

/** Everything of a move except the conditions on enabled stages. */
function variantOf({ definition }: Workflow, move: Move): string {
  const isOfStage = (condition: Condition): boolean =>
    condition.type === "param" &&
    (definition.stages ?? []).some(
      ({ enabled }) => typeof enabled === "object" && enabled.param === condition.param,
    );
  if (!move.when.some(isOfStage)) return ALONE;
  return JSON.stringify({ ...move, to: "", need: [], when: move.when.filter((one) => !isOfStage(one)) });
}

/**
 * States behind a closed move are reported with that move. Of states that lead to each other, only the one that no other leads to
 * is reported, or else the first.
 */
function firstOf(unreachable: readonly string[], moves: readonly Move[], shut: readonly string[]): string[] {
  const explained = new Set(shut);
  const spread = (): void => {
    for (const name of explained)
      for (const move of moves)
        if (move.from === name && unreachable.includes(move.to)) explained.add(move.to);
  };
  const isFirst = (name: string): boolean =>
    !moves.some((move) => move.to === name && move.from !== name && unreachable.includes(move.from));
  const first: string[] = [];
  spread();
  for (const name of [...unreachable.filter(isFirst), ...unreachable]) {
    if (explained.has(name)) continue;
    first.push(name);
    explained.add(name);
    spread();
  }
  return first;
}

const NOWHERE = { file: "", line: 1, col: 1 };

/** Explores again, and records which part of each closed gate was ever met, and which agents were at work there. */
function explain(workflow: Workflow, shut: readonly Move[]): Defect[] {
  const met = new Map(shut.map((move) => [move, new Set<string | Condition>()]));
  const present = new Map(shut.map((move) => [move, new Set<string>(["human", "engine"])]));
  const observer: ExplorationObserver = {
    node(_node, run) {
      for (const move of shut) {
        if (move.from !== run.state) continue;
        for (const name of move.need) if (isGood(standingOf(workflow, run, name))) met.get(move)?.add(name);
        for (const condition of move.when) if (holds(workflow, run, condition)) met.get(move)?.add(condition);
        for (const agent of Object.values(run.agents)) if (isUp(agent)) present.get(move)?.add(agent.role);
      }
    },
    edge() {},
  };
  explore(workflow, { params: variantsOf(workflow), observer, nodesMax: NODES_MAX });
  return shut.map((move) =>
    reason(workflow, move, { met: met.get(move) ?? new Set(), present: present.get(move) ?? new Set() }),
  );
}

function reason(
  workflow: Workflow,
  move: Move,
  seen: { met: ReadonlySet<string | Condition>; present: ReadonlySet<string> },
): Defect {
  const where = `${move.from} to ${move.to}`;
  const artifacts = [
    ...move.need,
    ...move.when.flatMap((condition) =>
      condition.type === "artifact" && condition.in.some(isGood) && !seen.met.has(condition)
        ? [condition.artifact]
        : [],
    ),
  ];
  const missing = artifacts.find((name) => !seen.met.has(name) && !hasProducer(workflow, name, seen.present));
  if (missing !== undefined) {
    const by = workflow.definition.artifacts[missing]?.by.join(" or ") ?? "nobody";
    const message = `${where} needs ${missing}, which only ${by} produces, and ${by} is never at work in ${move.from}`;
    return { code: "no-producer", at: move.at, message, trace: [] };
  }
  const absent = move.by.every((who) => !seen.present.has(who));
  const why = absent
    ? `${move.by.join(" or ")} is never at work in ${move.from}`
    : "what it asks for never holds there";
  return { code: "never-possible", at: move.at, message: `${where} can never be taken: ${why}`, trace: [] };
}

function hasProducer(workflow: Workflow, name: string, present: ReadonlySet<string>): boolean {
  const artifact = workflow.definition.artifacts[name];
  return artifact !== undefined && artifact.by.some((who) => present.has(who));
}
