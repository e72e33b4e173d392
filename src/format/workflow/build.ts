/** The expanded file becomes the core's definition. Every name is looked up; what is not there is a problem with a place. */

import type {
  Assertion,
  Definition,
  Param,
  Place,
  Projection,
  Role,
  State,
  Tree,
} from "../../core/workflow.ts";
import { buildArtifact, paramOr } from "./artifact.ts";
import { buildActions, mapValues, originOf, usePrompt, type Build, type Prompts } from "./builder.ts";
import { buildConditions } from "./conditions.ts";
import {
  listOf,
  report,
  requireActors,
  requireName,
  requireNames,
  type Context,
  type Path,
} from "./context.ts";
import { answerMoves, buildAsk, buildEnd, buildMove } from "./moves.ts";
import { checkRelations } from "./relations.ts";
import type { WhenFile, WorkflowFile } from "./schema.ts";
import type { Expanded } from "./sink.ts";

const MINUTES = 120;
const STALL_MINUTES = 30;

type Given = { readonly file: WorkflowFile; readonly expanded: Expanded; readonly prompts: Prompts };

export function build(context: Context, { file, expanded, prompts }: Given): Definition {
  const { kernel } = expanded;
  const params = mapValues(file.params ?? {}, (param, name) => buildParam(context, param, ["params", name]));
  const artifacts = mapValues(kernel.artifacts, (artifact, name) =>
    buildArtifact(context, artifact, { name, path: originOf(expanded, "artifacts", name) }),
  );
  const all: Build = { context, file, expanded, prompts, declared: { artifacts, params }, used: new Set() };
  const definition: Definition = {
    name: file.name,
    title: file.title,
    params,
    counters: mapValues(kernel.counters, (counter, name) => buildCounter(all, counter, name)),
    artifacts,
    roles: mapValues(kernel.roles, (role, name) => buildRole(all, role, name)),
    states: mapValues(kernel.states, (state, name) => buildState(all, state, name)),
    moves: [
      ...kernel.moves.flatMap((move, index) => buildMove(all, move, originOf(expanded, "moves", index))),
      ...answerMoves(all),
    ],
    ends: kernel.ends.flatMap((end, index) => buildEnd(all, end, originOf(expanded, "ends", index))),
    asks: mapValues(kernel.asks, (ask, name) => buildAsk(all, ask, name)),
    prompts: {},
    assertions: (file.assert ?? []).map((assertion, index) =>
      buildAssertion(all, assertion, ["assert", index]),
    ),
    projections: (file.projection ?? []).map(buildProjection),
    places: placesOf(all),
  };
  checkRelations(context, definition, (kind, name) => originOf(expanded, kind, name));
  return {
    ...definition,
    prompts: Object.fromEntries(
      [...all.used].sort().flatMap((name) => (prompts[name] === undefined ? [] : [[name, prompts[name]]])),
    ),
  };
}

function placesOf({ context, expanded }: Build): Record<string, Place> {
  const { kernel } = expanded;
  const places: Record<string, Place> = {};
  for (const kind of ["states", "artifacts", "counters", "roles", "asks"] as const) {
    for (const name of Object.keys(kernel[kind]))
      places[`${kind}.${name}`] = context.keyPlaceOf(originOf(expanded, kind, name));
  }
  return places;
}

function buildParam(context: Context, param: NonNullable<WorkflowFile["params"]>[string], path: Path): Param {
  if ("int" in param) {
    const [min, max] = param.int;
    if (min > max)
      report(context, context.placeOf([...path, "int"]), {
        code: "bad-param",
        message: `${min} is more than ${max}`,
      });
    if (param.default < min || param.default > max)
      report(context, context.placeOf([...path, "default"]), {
        code: "bad-param",
        message: `the default ${param.default} is not between ${min} and ${max}`,
      });
    return { type: "int", min, max, default: param.default };
  }
  if ("enum" in param) {
    if (!param.enum.includes(param.default))
      requireName(context, {
        kind: "value",
        name: param.default,
        known: param.enum,
        path: [...path, "default"],
      });
    return { type: "enum", values: param.enum, default: param.default };
  }
  if ("bool" in param) return { type: "bool", default: param.bool };
  requireActors(context, param.set, [...path, "set"]);
  return { type: "text", default: param.text, set: listOf(param.set) };
}

function buildCounter(
  on: Build,
  counter: { max: number | string; per?: string | undefined },
  name: string,
): Definition["counters"][string] {
  const { context } = on;
  const path = originOf(on.expanded, "counters", name);
  const per = counter.per ?? "run";
  requireName(context, { kind: "scope", name: per, known: context.names.scopes, path: [...path, "per"] });
  const max = paramOr(context, counter.max, [...path, "max"]);
  if (
    typeof max === "object" &&
    on.declared.params[max.param] !== undefined &&
    on.declared.params[max.param]?.type !== "int"
  ) {
    report(context, context.placeOf([...path, "max"]), {
      code: "bad-counter",
      message: `$${max.param} is no whole number`,
    });
  }
  return { max: typeof max === "object" ? max : Number(max), per };
}

function buildRole(on: Build, role: NonNullable<WorkflowFile["roles"]>[string], name: string): Role {
  const path: Path = ["roles", name];
  const prompt = role.prompt ?? name;
  const again = role.again ?? prompt;
  usePrompt(on, prompt, [...path, "prompt"]);
  if (again !== prompt) usePrompt(on, again, [...path, "again"]);
  requireNames(on.context, {
    kind: "artifact",
    names: role.context,
    known: on.context.names.artifacts,
    path: [...path, "context"],
  });
  const minutes = paramOr(on.context, role.minutes ?? MINUTES, [...path, "minutes"]);
  const stall = paramOr(on.context, role.stall ?? STALL_MINUTES, [...path, "stall"]);
  return {
    session: role.session ?? "fresh",
    access: role.access ?? "write",
    prompt,
    again,
    harness: paramOr(on.context, role.harness ?? "", [...path, "harness"]),
    model: paramOr(on.context, role.model ?? "", [...path, "model"]),
    minutes: typeof minutes === "object" ? minutes : Number(minutes),
    stallMinutes: typeof stall === "object" ? stall : Number(stall),
    context: listOf(role.context),
  };
}

function buildState(on: Build, state: WorkflowFile["states"][string], name: string): State {
  const path = originOf(on.expanded, "states", name);
  if (state.ask !== undefined)
    requireName(on.context, {
      kind: "ask",
      name: state.ask,
      known: on.context.names.asks,
      path: state.ask === undefined ? path : [...path, "ask"],
    });
  return {
    ...(state.final === undefined ? {} : { final: state.final }),
    ...(state.stage === undefined ? {} : { stage: state.stage }),
    ...(state.ask === undefined ? {} : { ask: state.ask }),
    waits: state.waits ?? state.ask !== undefined,
    title: state.title ?? "",
    enter: buildActions(on, state.enter, [...path, "enter"]),
  };
}

function buildAssertion(
  on: Build,
  assertion: NonNullable<WorkflowFile["assert"]>[number],
  path: Path,
): Assertion {
  const [type, claim] =
    "never" in assertion
      ? (["never", assertion.never] as const)
      : "always" in assertion
        ? (["always", assertion.always] as const)
        : (["eventually", assertion.eventually] as const);
  requireNames(on.context, {
    kind: "state",
    names: claim.in,
    known: on.context.names.states,
    path: [...path, type, "in"],
  });
  const anyOf = (key: "when" | "unless"): Assertion["when"] =>
    listOf<WhenFile>(claim[key]).map((when, index) =>
      buildConditions(
        on,
        when,
        Array.isArray(claim[key]) ? [...path, type, key, index] : [...path, type, key],
      ),
    );
  return {
    type,
    in: listOf(claim.in),
    when: anyOf("when"),
    unless: anyOf("unless"),
    text: JSON.stringify(assertion),
    at: on.context.placeOf(path),
  };
}

function buildProjection(projection: NonNullable<WorkflowFile["projection"]>[number]): Projection {
  // YAML without tags gives only literals, lists and maps: that is what a tree is.
  return { file: projection.file, as: projection.as, data: projection.data as Tree };
}
