/** The expanded file becomes the core's definition. Every name is looked up; what is not there is a problem with a place. */

import {
  START,
  ORIGIN,
  type Action,
  type Ask,
  type Assertion,
  type Definition,
  type End,
  type Move,
  type Option,
  type Param,
  type Place,
  type Projection,
  type Prompt,
  type Role,
  type State,
  type Tree,
} from "../../core/workflow.ts";
import { parseAction, PERFORMABLE, RESOURCES, type Mention } from "./actions.ts";
import { buildArtifact, paramOr } from "./artifact.ts";
import { buildConditions } from "./conditions.ts";
import { listOf, report, requireName, type Context, type Path } from "./context.ts";
import type { Expanded } from "./expand.ts";
import type { AskFile, WayFile, WhenFile, WorkflowFile } from "./schema.ts";

const MINUTES = 120;
const STALL_MINUTES = 30;

export type Prompts = Readonly<Record<string, Prompt>>;

type Build = {
  readonly context: Context;
  readonly file: WorkflowFile;
  readonly expanded: Expanded;
  readonly prompts: Prompts;
  readonly declared: { readonly artifacts: Definition["artifacts"]; readonly params: Definition["params"] };
  readonly used: Set<string>;
};

export function build(
  context: Context,
  file: WorkflowFile,
  expanded: Expanded,
  prompts: Prompts,
): Definition {
  const { kernel } = expanded;
  const params = mapValues(file.params ?? {}, (param, name) => buildParam(context, param, ["params", name]));
  const artifacts = mapValues(kernel.artifacts, (artifact, name) =>
    buildArtifact(context, name, artifact, originOf(expanded, "artifacts", name)),
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
  return {
    ...definition,
    prompts: Object.fromEntries(
      [...all.used].sort().flatMap((name) => (prompts[name] === undefined ? [] : [[name, prompts[name]]])),
    ),
  };
}

function originOf(expanded: Expanded, kind: string, name: string | number): Path {
  return expanded.origins.get(`${kind}.${name}`) ?? [kind, name];
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
  const max = paramOr(context, counter.max, path, "max");
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
  for (const artifact of listOf(role.context))
    requireName(on.context, {
      kind: "artifact",
      name: artifact,
      known: on.context.names.artifacts,
      path: [...path, "context"],
    });
  const minutes = paramOr(on.context, role.minutes ?? MINUTES, path, "minutes");
  const stall = paramOr(on.context, role.stall ?? STALL_MINUTES, path, "stall");
  return {
    session: role.session ?? "fresh",
    access: role.access ?? "write",
    prompt,
    again,
    harness: paramOr(on.context, role.harness ?? "", path, "harness"),
    model: paramOr(on.context, role.model ?? "", path, "model"),
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

function buildMove(on: Build, move: WorkflowFile["moves"][number], path: Path): Move[] {
  const { context } = on;
  const from = listOf(move.from);
  for (const [index, name] of from.entries()) {
    const at: Path = Array.isArray(move.from) ? [...path, "from", index] : [...path, "from"];
    requireName(context, { kind: "state", name, known: [...context.names.states, START], path: at });
  }
  requireTarget(on, move.to, [...path, "to"]);
  for (const who of listOf(move.by)) requireActor(on, who, [...path, "by"]);
  for (const resource of listOf(move.reserve))
    requireName(context, { kind: "resource", name: resource, known: RESOURCES, path: [...path, "reserve"] });
  const common = {
    ...wayOf(on, move, path),
    by: listOf(move.by),
    reserve: listOf(move.reserve),
    at: context.placeOf(path),
  };
  return from.map((name) => ({ ...common, from: name, to: move.to }));
}

/** An answer is a move that only a person can take, from every state in which the question is open. */
function answerMoves(on: Build): Move[] {
  const { kernel } = on.expanded;
  return Object.entries(kernel.asks).flatMap(([ask, { options }]) => {
    const states = Object.entries(kernel.states).filter(([, state]) => state.ask === ask);
    return Object.entries(options).flatMap(([option, declared]) =>
      waysOf(declared, option, ["asks", ask, "options", option]).flatMap(({ answer, way, path }) => {
        requireTarget(on, way.to, [...path, "to"]);
        const common = {
          ...wayOf(on, way, path),
          by: ["human"],
          reserve: [],
          answer,
          at: on.context.placeOf(path),
        };
        return states.map(([from]): Move => ({ ...common, from, to: way.to }));
      }),
    );
  });
}

function waysOf(
  option: AskFile["options"][string],
  name: string,
  path: Path,
): { answer: string; way: WayFile; path: Path }[] {
  const { to, ways, routes, label: _label, text: _text, ...rest } = option;
  return [
    ...(to === undefined ? [] : [{ answer: name, way: { ...rest, to }, path }]),
    ...(ways ?? []).map((way, index) => ({ answer: name, way, path: [...path, "ways", index] })),
    ...Object.entries(routes ?? {}).map(([route, way]) => ({
      answer: `${name}/${route}`,
      way,
      path: [...path, "routes", route],
    })),
  ];
}

function wayOf(
  on: Build,
  way: Omit<WayFile, "to">,
  path: Path,
): Pick<Move, "when" | "need" | "count" | "renew" | "remember" | "waive" | "do"> {
  const { context } = on;
  for (const name of listOf(way.need))
    requireName(context, { kind: "artifact", name, known: context.names.artifacts, path: [...path, "need"] });
  for (const name of listOf(way.count))
    requireName(context, { kind: "counter", name, known: context.names.counters, path: [...path, "count"] });
  for (const name of listOf(way.waive))
    requireName(context, {
      kind: "artifact",
      name,
      known: context.names.artifacts,
      path: [...path, "waive"],
    });
  return {
    when: buildConditions(context, on.declared, way.when, [...path, "when"]),
    need: listOf(way.need),
    count: listOf(way.count),
    renew: listOf(way.new),
    remember: way.remember ?? false,
    waive: listOf(way.waive),
    do: buildActions(on, way.do, [...path, "do"]),
  };
}

function buildEnd(on: Build, end: NonNullable<WorkflowFile["ends"]>[number], path: Path): End[] {
  const { context } = on;
  requireName(context, { kind: "role", name: end.role, known: context.names.roles, path: [...path, "role"] });
  for (const name of listOf(end.in))
    requireName(context, { kind: "state", name, known: context.names.states, path: [...path, "in"] });
  if (end.try !== undefined)
    requireName(context, {
      kind: "state",
      name: end.try,
      known: context.names.states,
      path: [...path, "try"],
    });
  if (end.else.count !== undefined)
    requireName(context, {
      kind: "counter",
      name: end.else.count,
      known: context.names.counters,
      path: [...path, "else", "count"],
    });
  const common = {
    role: end.role,
    ...(end.try === undefined ? {} : { try: end.try }),
    then: buildActions(on, end.then, [...path, "then"]),
    ...(end.else.count === undefined ? {} : { count: end.else.count }),
    do: buildActions(on, end.else.do, [...path, "else", "do"]),
    at: context.placeOf(path),
  };
  return listOf(end.in).map((name) => ({ ...common, in: name }));
}

function buildAsk(on: Build, ask: AskFile, name: string): Ask {
  const { context } = on;
  const path: Path = ["asks", name];
  usePrompt(on, ask.question, [...path, "question"]);
  for (const artifact of listOf(ask.shows))
    requireName(context, {
      kind: "artifact",
      name: artifact,
      known: context.names.artifacts,
      path: [...path, "shows"],
    });
  if (ask.reask !== undefined)
    requireName(context, {
      kind: "counter",
      name: ask.reask,
      known: context.names.counters,
      path: [...path, "reask"],
    });
  const options = mapValues(ask.options, (option, key): Option => {
    const places = [option.to, option.ways, option.routes].filter((place) => place !== undefined);
    if (places.length !== 1)
      report(context, context.keyPlaceOf([...path, "options", key]), {
        code: "bad-option",
        message: `an option leads somewhere: one of "to", "ways" or "routes"`,
      });
    return {
      text: option.text ?? "none",
      routes: Object.keys(option.routes ?? {}),
      label: option.label ?? "",
    };
  });
  return {
    id: ask.id ?? "",
    question: ask.question,
    shows: listOf(ask.shows),
    options,
    ...(ask.reask === undefined ? {} : { reask: ask.reask }),
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
  for (const name of listOf(claim.in))
    requireName(on.context, {
      kind: "state",
      name,
      known: on.context.names.states,
      path: [...path, type, "in"],
    });
  const anyOf = (key: "when" | "unless"): Assertion["when"] =>
    listOf<WhenFile>(claim[key]).map((when, index) =>
      buildConditions(
        on.context,
        on.declared,
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

function buildActions(on: Build, actions: readonly string[] | undefined, path: Path): Action[] {
  return (actions ?? []).flatMap((text, index) => {
    const parsed = parseAction(text);
    if (typeof parsed === "string") {
      report(on.context, on.context.placeOf([...path, index]), {
        code: "bad-action",
        message: `write it as: ${parsed}`,
      });
      return [];
    }
    for (const mention of parsed.mentions) requireMention(on, mention, [...path, index]);
    return [parsed.action];
  });
}

function requireMention(on: Build, { kind, name }: Mention, path: Path): void {
  const { names } = on.context;
  switch (kind) {
    case "role":
      requireName(on.context, { kind: "role", name, known: names.roles, path });
      return;
    case "artifact":
      requireName(on.context, { kind: "artifact", name, known: names.artifacts, path });
      return;
    case "resource":
      requireName(on.context, { kind: "resource", name, known: RESOURCES, path });
      return;
    case "performable":
      requireName(on.context, { kind: "deed", name, known: PERFORMABLE, path });
      return;
    case "prompt":
      usePrompt(on, name, path);
      return;
  }
}

function usePrompt(on: Build, name: string, path: Path): void {
  if (requireName(on.context, { kind: "prompt", name, known: Object.keys(on.prompts), path }))
    on.used.add(name);
}

function requireTarget(on: Build, name: string, path: Path): void {
  requireName(on.context, { kind: "state", name, known: [...on.context.names.states, ORIGIN], path });
}

function requireActor(on: Build, name: string, path: Path): void {
  requireName(on.context, {
    kind: "role",
    name,
    known: [...on.context.names.roles, "human", "engine"],
    path,
  });
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
