/**
 * Turns stages that can be disabled into guards on moves.
 *
 * While a stage is disabled, every move to its first phase leads to the target of its last phase. No move from outside leads to
 * its other states or needs its artifacts. A parameter never changes in a run: inside the stage it is enabled.
 */

import type { Path } from "../../problem.ts";
import { START, type Condition, type Move, type Stage } from "../../../core/model/workflow.ts";
import type { Build } from "../build/builder.ts";
import { listOf, report } from "../build/context.ts";
import { followingIn } from "./expand.ts";
import { entryOf } from "../phases/site.ts";
import { summaryOf } from "../phases/summary.ts";
import { paramOr } from "../build/params.ts";
import { buildPhases } from "./schedule.ts";
import type { StageFile } from "../schema/schema.ts";
import { blockedState, exhaustedState, type Expanded } from "./sink.ts";

/** A stage that can be disabled. */
type Optional = Stage & {
  readonly first: string;
  readonly states: ReadonlySet<string>;
  /** The target of its last phase. */
  readonly then: string;
};

export function buildStages(build: Build): Stage[] {
  return Object.entries(build.file.stages ?? {}).map(([name, stage]) => ({
    name,
    enabled: enabledIn(build, stage, ["stages", name, "enabled"]),
    makes: [...madeIn(build.expanded, stage), ...(stage.summary === undefined ? [] : [summaryOf(name)])],
    ...summariesIn(build, name),
    blocked: [blockedState(name), ...(stage.exhausted === undefined ? [] : [exhaustedState(name)])],
    phases: buildPhases(build.expanded, stage),
  }));
}

function summariesIn(build: Build, name: string): Pick<Stage, "summaries"> {
  const summaries = [...build.expanded.summaries].flatMap(([artifact, { stage, when, path }]) =>
    stage === name
      ? [
          {
            artifact,
            when: switchOf(build, when, [...path, artifact === summaryOf(name) ? "when" : "phases"]),
          },
        ]
      : [],
  );
  return summaries.length === 0 ? {} : { summaries };
}

function enabledIn(build: Build, { enabled = true }: StageFile, path: Path): Stage["enabled"] {
  return switchOf(build, enabled, path);
}

function switchOf(build: Build, enabled: string | boolean, path: Path): Stage["enabled"] {
  if (typeof enabled === "boolean") return enabled;
  const { context, declared } = build;
  const value = paramOr({ context, params: declared.params }, enabled, { as: "bool", path });
  return typeof value === "object" ? value : true;
}

/** The artifacts of the phases in order, each after those that were made on the way to it. */
function madeIn({ kernel }: Expanded, { phases }: StageFile): string[] {
  return Object.entries(phases).flatMap(([id, { makes }]) => [
    ...[`${id}-list`, `${id}-parts`, `${id}-fix`, id, summaryOf(id)].filter((name) =>
      Object.hasOwn(kernel.artifacts, name),
    ),
    ...listOf(makes).filter((name) => name !== id),
  ]);
}

export function leadPast(build: Build, stages: readonly Stage[], moves: readonly Move[]): Move[] {
  const left = stages.filter(({ enabled }) => enabled !== true).map((stage) => optionalIn(build, stage));
  // A summary is skipped in the same way, and lies inside a stage.
  const optional = [...stages.flatMap((stage) => passedIn(build, stage)), ...left];
  if (optional.length === 0) return [...moves];
  checkEnds(build, left);
  const landed = moves.flatMap((move) =>
    landings(optional, move).filter(({ to }) => isBegun(build, move, to)),
  );
  return landed.flatMap((move) => withoutNeeds(optional, move));
}

function optionalIn({ file, context }: Build, stage: Stage): Optional {
  const [first] = Object.entries(file.stages?.[stage.name]?.phases ?? {});
  return {
    ...stage,
    first: entryOf(first),
    states: new Set(context.names.statesIn.get(stage.name)),
    then: followingIn(file, stage.name),
  };
}

function passedIn({ expanded }: Build, { summaries = [] }: Stage): Optional[] {
  const passed = summaries.filter(({ when }) => when !== true);
  return passed.map(({ artifact, when }) => ({
    name: artifact,
    enabled: when,
    makes: [artifact],
    first: artifact,
    states: new Set([artifact]),
    then: expanded.summaries.get(artifact)?.next ?? "",
  }));
}

/** The move for an enabled target, then the moves past each disabled stage. */
function landings(optional: readonly Optional[], move: Move, passed: readonly Optional[] = []): Move[] {
  const stage = optional.find(({ states }) => states.has(move.to));
  if (stage === undefined || isCertain(optional, stage, move.from)) return [move];
  // A cycle of disabled stages has no target; the check of the stages reports it.
  if (passed.includes(stage)) return [];
  const entering = given(move, stage, true);
  if (move.to !== stage.first) return entering;
  const past = given(move, stage, false).map((each) => ({ ...each, to: stage.then }));
  return [...entering, ...past.flatMap((each) => landings(optional, each, [...passed, stage]))];
}

/** A run starts only in an enabled stage: past the last one no work is left. */
function isBegun({ expanded }: Build, { from, to }: Move, landing: string): boolean {
  return from !== START || landing === to || expanded.kernel.states[landing]?.stage !== undefined;
}

/** A disabled stage does not make its artifacts, so no gate requires them. */
function withoutNeeds(optional: readonly Optional[], move: Move): Move[] {
  const stage = optional.find(
    (each) => !isCertain(optional, each, move.from) && move.need.some((name) => each.makes.includes(name)),
  );
  if (stage === undefined) return [move];
  const others = optional.filter((other) => other !== stage);
  const need = move.need.filter((name) => !stage.makes.includes(name));
  return [
    ...given(move, stage, true),
    ...given(move, stage, false).map((each) => ({ ...each, need })),
  ].flatMap((each) => withoutNeeds(others, each));
}

/** In a state of a stage, that stage is enabled, and so are all stages with the same parameter. */
function isCertain(optional: readonly Optional[], { enabled }: Stage, from: string): boolean {
  const own = optional.find(({ states }) => states.has(from))?.enabled;
  return paramOf(own) === paramOf(enabled) && own !== undefined;
}

function paramOf(enabled: Stage["enabled"] | undefined): string {
  return typeof enabled === "object" ? enabled.param : "";
}

/** The move with the stage enabled or disabled; none if its guards contradict that. */
function given(move: Move, { enabled }: Stage, value: boolean): Move[] {
  if (typeof enabled === "boolean") return enabled === value ? [move] : [];
  const { param } = enabled;
  const said = move.when.find((condition) => condition.type === "param" && condition.param === param);
  if (said?.type === "param" && !said.in.includes(value)) return [];
  const guard: Condition = { type: "param", param, in: [value] };
  return [{ ...move, when: [...move.when.filter((condition) => condition !== said), guard] }];
}

/** The rule for an agent's end has one target, which must exist in every run. */
function checkEnds({ context, file }: Build, optional: readonly Optional[]): void {
  for (const [index, end] of (file.ends ?? []).entries()) {
    const stage = optional.find(({ states }) => end.try !== undefined && states.has(end.try));
    if (stage === undefined || listOf(end.in).every((name) => stage.states.has(name))) continue;
    report(context, context.placeOf(["ends", index, "try"]), {
      code: "bad-value",
      message: `stage ${stage.name} can be disabled, and then no move leads to ${end.try}: let the engine move on from here instead`,
    });
  }
}
