/** Moves, answers and ends of agents: the map itself. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import {
  START,
  ORIGIN,
  type AskRule,
  type EndRule,
  type Move,
  type AskOption,
} from "../../../core/model/workflow.ts";
import { RESOURCES } from "./actions.ts";
import { buildActions, mapValues, usePrompt, type Build } from "./builder.ts";
import { buildConditions } from "./conditions.ts";
import { listOf, report, requireActors, requireName, statesOf } from "./context.ts";
import { listNamed } from "../artifacts/lists.ts";
import { paramOr } from "./params.ts";
import { isFilledIn } from "../artifacts/paths.ts";
import type { AskFile, MoveFile, WayFile, WorkflowFile } from "../schema/schema.ts";
import { markOf } from "./verbs.ts";
import { present } from "../../present.ts";

export function buildMove(build: Build, move: MoveFile, path: Path): Move[] {
  const { context } = build;
  const { states, stages } = context.names;
  const from = statesOf(context.names, listOf(move.from));
  requireName(context, {
    kind: "state",
    name: move.from,
    known: [...states, ...stages, START],
    path: [...path, "from"],
  });
  requireTarget(build, move.to, [...path, "to"]);
  requireActors(context, move.by, [...path, "by"]);
  checkActors(build, move, path);
  requireName(context, {
    kind: "resource",
    name: move.reserve,
    known: RESOURCES,
    path: [...path, "reserve"],
  });
  for (const name of listOf(move.reserve))
    build.named.push({ kind: "resource", name, path: [...path, "reserve"] });
  const common = {
    ...wayOf(build, move, path),
    by: listOf(move.by),
    reserve: listOf(move.reserve),
    ...markOf(build, move, path),
    at: context.placeOf(path),
  };
  return from.map((name) => ({ ...common, from: name, to: move.to }));
}

/**
 * A person must be able to start a run; the engine may start only runs that are made from a task. Only a person can waive an
 * artifact.
 */
function checkActors({ context, declared }: Build, move: MoveFile, path: Path): void {
  const by = listOf(move.by);
  const engine = by.indexOf("engine");
  const isChild = Object.values(declared.artifacts).some(
    ({ reader }) => reader.type === "fact" && reader.fact === "parent-over",
  );
  if (listOf(move.from).includes(START) && engine >= 0 && !(isChild && by.includes("human")))
    report(context, context.placeOf(Array.isArray(move.by) ? [...path, "by", engine] : [...path, "by"]), {
      code: "bad-move",
      message:
        "a run is begun by a person or a role, not by the engine itself; a child run by both, with the fact parent-over",
    });
  if (listOf(move.waive).length > 0 && by.some((who) => who !== "human"))
    report(context, context.keyPlaceOf([...path, "waive"]), {
      code: "bad-move",
      message: `only a person may waive: a move with "waive" is by human alone`,
    });
}

/** An answer is a move that only a person can take, from every state in which the question is open. */
export function answerMoves(build: Build): Move[] {
  const { kernel } = build.expanded;
  return Object.entries(kernel.asks).flatMap(([ask, { options }]) => {
    const states = Object.entries(kernel.states).filter(([, state]) => state.ask === ask);
    return Object.entries(options).flatMap(([option, declared]) =>
      waysOf(declared, option, ["asks", ask, "options", option]).flatMap(({ answer, way, path }) => {
        requireTarget(build, way.to, [...path, "to"]);
        const common = {
          ...wayOf(build, way, path),
          by: ["human"],
          reserve: [],
          answer,
          at: build.context.placeOf(path),
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
  const { to, ways, routes, label: _label, text: _text, verb: _verb, ...rest } = option;
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
  build: Build,
  way: Omit<WayFile, "to">,
  path: Path,
): Pick<Move, "when" | "need" | "count" | "renew" | "remember" | "waive" | "set" | "do"> {
  const { context } = build;
  requireName(context, { kind: "artifact", name: way.need, path: [...path, "need"] });
  requireName(context, { kind: "counter", name: way.count, path: [...path, "count"] });
  requireName(context, { kind: "artifact", name: way.waive, path: [...path, "waive"] });
  for (const [index, name] of listOf(way.new).entries())
    build.begun.push({ name, path: Array.isArray(way.new) ? [...path, "new", index] : [...path, "new"] });
  return {
    when: buildConditions(build, way.when, [...path, "when"]),
    need: listOf(way.need),
    count: [...new Set(listOf(way.count))],
    renew: listOf(way.new),
    remember: way.remember ?? false,
    waive: listOf(way.waive),
    ...(way.set === undefined ? {} : { set: buildSet(build, way.set, [...path, "set"]) }),
    do: buildActions(build, way.do, [...path, "do"]),
  };
}

/** Only parameters that nothing depends on: no guard reads a text, and no path contains a parameter that may change. */
function buildSet(build: Build, set: Readonly<Record<string, string>>, path: Path): NonNullable<Move["set"]> {
  const { context, declared } = build;
  return mapValues(set, (value, name) => {
    const at = context.keyPlaceOf([...path, name]);
    const param = context.isTroubled(["params", name]) ? undefined : declared.params[name];
    if (!context.names.params.has(name))
      report(context, at, {
        code: "unknown-parameter",
        message: `unknown parameter "${name}"`,
        suggestion: closest(name, [...context.names.params]),
      });
    else if (param !== undefined && param.type !== "text")
      report(context, at, {
        code: "bad-move",
        message: `${name} is not a text: parameters that guards may read are fixed when a run starts`,
      });
    else if (isFilledIn(name))
      report(context, at, {
        code: "bad-move",
        message: `paths contain ${name}: after a change, existing files would not be found`,
      });
    return paramOr({ context, params: declared.params }, value, { as: "text", path: [...path, name] });
  });
}

export function buildEnd(
  build: Build,
  end: NonNullable<WorkflowFile["ends"]>[number],
  path: Path,
): EndRule[] {
  const { context } = build;
  requireName(context, { kind: "role", name: end.role, path: [...path, "role"] });
  requireName(context, { kind: "state", name: end.in, path: [...path, "in"] });
  if (end.try !== undefined) requireName(context, { kind: "state", name: end.try, path: [...path, "try"] });
  requireName(context, { kind: "counter", name: end.else.count, path: [...path, "else", "count"] });
  const common = {
    role: end.role,
    ...(end.try === undefined ? {} : { try: end.try }),
    then: buildActions(build, end.then, [...path, "then"]),
    ...(end.else.count === undefined ? {} : { count: end.else.count }),
    do: buildActions(build, end.else.do, [...path, "else", "do"]),
    at: context.placeOf(path),
  };
  return listOf(end.in).map((name) => ({ ...common, in: name }));
}

export function buildAsk(build: Build, ask: AskFile, name: string): AskRule {
  const { context } = build;
  const path: Path = ["asks", name];
  usePrompt(build, ask.question, context.placeOf([...path, "question"]));
  requireName(context, { kind: "artifact", name: ask.shows, path: [...path, "shows"] });
  requireName(context, { kind: "counter", name: ask.reask, path: [...path, "reask"] });
  if (Object.keys(ask.options).length === 0)
    report(context, context.placeOf([...path, "options"]), {
      code: "bad-option",
      message: "nothing could be answered: a question has at least one option",
    });
  const options = mapValues(ask.options, (option, key): AskOption => {
    const places = [option.to, option.ways, option.routes].filter((place) => place !== undefined);
    if (places.length !== 1)
      report(context, context.keyPlaceOf([...path, "options", key]), {
        code: "bad-option",
        message: `an option leads somewhere: one of "to", "ways" or "routes"`,
      });
    else if (option.to === undefined) checkBeside(build, option, [...path, "options", key]);
    return {
      text: option.text ?? "none",
      ...(option.verb === undefined ? {} : { verb: option.verb }),
      routes: Object.keys(option.routes ?? {}),
      label: option.label ?? "",
      ...(option.vouch === undefined ? {} : { vouch: listOf(option.vouch) }),
    };
  });
  const parts = buildParts(build, ask, path);
  const shows = listOf(ask.shows);
  // With several lists, the workflow must declare what is shown.
  const isAlone = parts !== undefined && parts.more === undefined && !shows.includes(parts.artifact);
  return {
    id: ask.id ?? "",
    question: ask.question,
    // A person who answers part by part answers for the list as shown.
    shows: isAlone ? [...shows, parts.artifact] : shows,
    options,
    ...present({ reask: ask.reask, parts }),
  };
}

function buildParts({ context }: Build, ask: AskFile, path: Path): AskRule["parts"] {
  const rest = ask.rest ?? "ask";
  if (typeof ask.parts === "string") return { ...listNamed(context, ask.parts, [...path, "parts"]), rest };
  const [first, ...more] = (ask.parts ?? []).map((name, index) =>
    listNamed(context, name, [...path, "parts", index]),
  );
  if (first !== undefined) return { ...first, rest, ...(more.length === 0 ? {} : { more }) };
  if (ask.rest !== undefined)
    report(context, context.keyPlaceOf([...path, "rest"]), {
      code: "bad-option",
      message: `"rest" says what becomes of "parts" that have no answer, and there are none`,
    });
  return undefined;
}

/** If an option has several targets, each has its own guards, counters and actions. */
function checkBeside({ context }: Build, option: AskFile["options"][string], path: Path): void {
  const inside = option.ways === undefined ? "routes" : "ways";
  for (const key of ["when", "need", "count", "new", "remember", "waive", "set", "do"] as const)
    if (option[key] !== undefined)
      report(context, context.keyPlaceOf([...path, key]), {
        code: "bad-option",
        message: `"${key}" belongs inside "${inside}", to each of its targets`,
      });
}

function requireTarget(build: Build, name: string, path: Path): void {
  requireName(build.context, { kind: "state", name, known: [...build.context.names.states, ORIGIN], path });
}
