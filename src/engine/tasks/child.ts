/**
 * Whether runs can be made of tasks by a workflow, and with these parameters.
 *
 * Asked before the first one begins, and by `check` where the child's workflow can be found.
 */

import { notAsked, tagsIn } from "../../core/gates/requested-tags.ts";
import type { Defect } from "../../core/check/defect.ts";
import { closest } from "../../core/text/closest.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { unnamedIn } from "../../core/text/generated-names.ts";
import { sayTaken, takes } from "../../core/model/param.ts";
import type { Children, Shape, TakenFrom } from "../../core/model/artifact.ts";
import type { Literal, Value } from "../../core/model/value.ts";
import { START, type Param, ORIGIN, type Action, type Move } from "../../core/model/workflow.ts";
import { FILLED } from "./child-params.ts";
import { awaitingIn } from "../supervise/fact.ts";

/** All of them; `find` knows the child's workflow by its name, or not. */
export function badChildren(parent: Workflow, find: (name: string) => Workflow | undefined): Defect[] {
  const { artifacts, places } = parent.definition;
  return Object.entries(artifacts).flatMap(([name, { reader }]) => {
    const child = reader.type === "children" ? find(reader.workflow) : undefined;
    if (child === undefined || reader.type !== "children") return [];
    const at = places[`artifacts.${name}`] ?? { file: "", line: 1, col: 1 };
    return objectionsTo(child, parent, reader).map((message): Defect => ({
      code: "bad-child",
      at,
      message,
      trace: [],
    }));
  });
}

/** In sentences; none where all is well. */
export function objectionsTo(child: Workflow, parent: Workflow, reader: Children): readonly string[] {
  return [
    ...endlessIn(child),
    ...namelessIn(child, reader),
    ...taggedBy(child),
    ...Object.keys(reader.with).flatMap((name) => misfitsOf(name, { child, parent, reader })),
  ];
}

/** Only moves move: a run that goes on when no run waits for it could not be ended. */
function endlessIn(child: Workflow): readonly string[] {
  const { name, states } = child.definition;
  const endless = Object.keys(states).find(
    (state) =>
      states[state]?.final === undefined &&
      awaitingIn(child, state, "parent-over").length === 0 &&
      !isPassed(child, state),
  );
  const isBegun = (child.movesFrom[START] ?? []).some(({ by }) => by.includes("engine"));
  return [
    ...(isBegun ? [] : [`${name} cannot be made of tasks: no move from start is \`by: engine\``]),
    ...(endless === undefined
      ? []
      : [`${name} cannot be made of tasks: in ${endless} no move \`by: engine\` waits for parent-over`]),
  ];
}

/** Names are made when people begin runs: what is made of tasks belongs to its parent, and is told. */
function namelessIn({ definition }: Workflow, reader: Children): readonly string[] {
  return unnamedIn(definition, reader.with).map(
    ([name]) => `${name} of ${definition.name} is named only when a person begins a run: say it under "with"`,
  );
}

type On = { readonly child: Workflow; readonly parent: Workflow; readonly reader: Children };

function misfitsOf(name: string, { child, parent, reader }: On): readonly string[] {
  const { name: workflow, params } = child.definition;
  const param = Object.hasOwn(params, name) ? params[name] : undefined;
  if (param === undefined) {
    const near = closest(name, Object.keys(params));
    const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
    return [`${workflow} has no parameter "${name}"${hint}`];
  }
  const given = reader.with[name] ?? "";
  if (tagsIn(child.definition).includes(name) && !isHandedOn(given, parent))
    return [
      `${name} of ${workflow} names a tag, which a person asks for: hand on a parameter that is theirs`,
    ];
  if (typeof given === "object" && "from" in given)
    return objectionsToTaken({ child, parent, reader }, given, { name, param });
  const values =
    typeof given === "object" && "easy" in given ? [given.easy, given.medium, given.hard] : [given];
  const wrong = values.map((value) => misfit(param, value, parent)).find((found) => found !== undefined);
  return wrong === undefined ? [] : [`${name} of ${workflow} is ${sayTaken(param)}, and ${wrong}`];
}

/** What is told of a task is not what a person has asked for. */
function taggedBy({ definition }: Workflow): readonly string[] {
  const told = tagsIn(definition).find((name) => FILLED.some((each) => each === name));
  if (told === undefined) return [];
  return [`${told} of ${definition.name} names a tag, which a person asks for, and every task has one`];
}

/** A parameter that only a person fills in. */
function isHandedOn(given: Children["with"][string], { definition }: Workflow): boolean {
  return typeof given === "object" && "param" in given && notAsked(definition, given.param) === undefined;
}

/** What a task says is known only when it is read; a field has a shape. */
function objectionsToTaken(
  { child, parent }: On,
  { from, or }: TakenFrom,
  { name, param }: { readonly name: string; readonly param: Param },
): readonly string[] {
  const { name: workflow } = child.definition;
  if (isRunBy(child, name))
    return [`${name} of ${workflow} says what is run: nobody but a person may write it`];
  if (or !== undefined && param.type !== "bool")
    return [`${name} of ${workflow} is ${sayTaken(param)}, and "or" makes it true`];
  if ("task" in from) return [];
  const reader = parent.definition.artifacts[from.artifact]?.reader;
  const shape = reader?.type === "json" || reader?.type === "yaml" ? reader.shape : undefined;
  const inner =
    shape?.type === "object" ? (shape.required[from.field] ?? shape.optional[from.field]) : undefined;
  const wrong = inner === undefined ? undefined : misfitOf(param, inner);
  const field = `${from.artifact}.${from.field}`;
  return wrong === undefined ? [] : [`${name} of ${workflow} is ${sayTaken(param)}, and ${field} ${wrong}`];
}

/** A command of a check, or the program that an agent is. */
function isRunBy({ definition }: Workflow, name: string): boolean {
  const commands = Object.values(definition.artifacts).flatMap(({ reader }) =>
    reader.type === "check" ? [reader.command, ...(reader.more ?? [])] : [],
  );
  const programs = Object.values(definition.roles).map(({ harness }) => harness);
  return [...commands, ...programs].some((value) => typeof value === "object" && value.param === name);
}

/** Of a shape; how large a number is, and which word a text is, is seen when it is there. A list is read as how many members it has. */
function misfitOf(param: Param, shape: Shape): string | undefined {
  const values = "values" in shape ? (shape.values ?? []) : [];
  const other = values.find((value) => !takes(param, value));
  if (other !== undefined) return `can be ${JSON.stringify(other)}`;
  const kinds = { int: ["number", "list"], bool: ["boolean"], enum: ["text"], text: ["text"] };
  return kinds[param.type].includes(shape.type) ? undefined : `is a ${shape.type}`;
}

function misfit(param: Param, value: Value, parent: Workflow): string | undefined {
  if (typeof value !== "object") return takes(param, value) ? undefined : `${JSON.stringify(value)} is not`;
  const own = parent.definition.params[value.param];
  if (own === undefined || valuesOf(own).every((each) => takes(param, each))) return undefined;
  return `$${value.param} is ${sayTaken(own)}`;
}

/** The ends of what it can be. No list of words holds every text. */
function valuesOf(param: Param): readonly Literal[] {
  switch (param.type) {
    case "int":
      return [param.min, param.max];
    case "enum":
      return param.values;
    case "bool":
      return [true, false];
    case "text":
      return ["\0"];
  }
}

/** A state in which no run stays: it asks nothing, starts nothing, and every way on is the engine's and reads what exists already. */
function isPassed({ definition, movesFrom }: Workflow, name: string): boolean {
  const { states, moves } = definition;
  const state = states[name];
  if (state === undefined || state.ask !== undefined || state.waits || state.enter.length > 0) return false;
  const ways = movesFrom[name] ?? [];
  const begins = moves.some(
    ({ to, do: actions }) => (to === name || to === ORIGIN) && actions.some(isBeginning),
  );
  return (
    !begins && ways.length > 0 && ways.every((way) => isEngineAlone(way) && !isWatching(definition, way))
  );
}

function isEngineAlone({ by }: Move): boolean {
  return by.every((who) => who === "engine");
}

/** Only what the engine itself comes to see can happen without anybody being there. */
function isWatching({ artifacts }: Workflow["definition"], { when, need }: Move): boolean {
  const named = [
    ...need,
    ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  ];
  return named.some((artifact) => artifacts[artifact]?.by.includes("engine") === true);
}

function isBeginning({ type }: Action): boolean {
  switch (type) {
    case "start":
    case "start-each":
    case "start-tasks":
    case "start-next":
    case "tell":
    case "run":
    case "perform":
      return true;
    case "stop":
    case "stop-all":
    case "mark":
    case "release":
    case "archive":
      return false;
  }
}
