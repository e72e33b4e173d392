/**
 * Verbs of people: marks of moves, and paths of several moves. Stages are already expanded, so that paths can name their states.
 */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import { valuesOf } from "../../../core/gates/question-parts.ts";
import {
  ORIGIN,
  type Definition,
  type Move,
  type PathStep,
  type VerbPath,
  type DeclaredCommand,
} from "../../../core/model/workflow.ts";
import type { Build } from "./builder.ts";
import { isDoubtful, listOf, report, requireName, statesOf } from "./context.ts";
import type { MoveFile, VerbFile, CommandFile } from "../schema/schema.ts";
import { present } from "../../present.ts";

const ANSWER = "answer:";

/** Readers of artifacts that can contain a person's text. */
const WRITABLE: ReadonlySet<string> = new Set(["section", "document", "file"]);

export function markOf(on: Build, move: MoveFile, path: Path): Pick<Move, "mark"> {
  const { verb } = move;
  for (const key of ["text", "into", "deliver"] as const)
    if (verb === undefined && move[key] !== undefined)
      tell(on, [...path, key], `"${key}" says how a verb of people is carried out: say which with "verb"`);
  if (verb === undefined) return {};
  if (!listOf(move.by).includes("human"))
    tell(on, [...path, "verb"], "a verb is what a person wants: this move is not by human");
  if (listOf(move.from).includes("start"))
    tell(on, [...path, "verb"], "a verb is for runs that are under way: a run is begun by its first move");
  checkDeliver(on, move, path);
  if (move.into !== undefined) requireInto(on, move.into, [...path, "into"]);
  return { mark: { verb, ...howOf(move) } };
}

function howOf({
  text,
  into,
  deliver,
}: Pick<VerbFile, "text" | "into" | "deliver">): Omit<NonNullable<Move["mark"]>, "verb"> {
  return {
    text: text ?? "optional",
    ...present({ into, deliver }),
  };
}

export function buildVerbs(on: Build, definition: Definition): VerbPath[] {
  return (on.file.verbs ?? []).flatMap((declared, index) =>
    buildPath(on, definition, { declared, path: ["verbs", index] }),
  );
}

type DeclaredVerb = { readonly declared: VerbFile; readonly path: Path };

function buildPath(on: Build, definition: Definition, { declared, path }: DeclaredVerb): VerbPath[] {
  const { context } = on;
  const { names } = context;
  const isKnown = requireName(context, {
    kind: "state",
    name: declared.in,
    known: [...names.states, ...names.stages],
    path: [...path, "in"],
  });
  if (declared.into !== undefined) requireInto(on, declared.into, [...path, "into"]);
  checkDeliver(on, declared, path);
  const steps = declared.path.map(stepOf);
  const common = { verb: declared.verb, path: steps, ...howOf(declared), at: context.placeOf(path) };
  const from = statesOf(names, listOf(declared.in));
  if (isKnown)
    for (const state of from) checkSteps(on, definition, { state, steps, path: [...path, "path"] });
  return from.map((state) => ({ ...common, in: state }));
}

function stepOf(word: string): PathStep {
  if (word === ORIGIN) return { type: "origin" };
  if (word.startsWith(ANSWER)) return { type: "answer", answer: word.slice(ANSWER.length) };
  return { type: "state", state: word };
}

type Steps = { readonly state: string; readonly steps: readonly PathStep[]; readonly path: Path };

/** Every step must exist in the map, as far as the target of the step before it is known. */
function checkSteps(on: Build, definition: Definition, { state, steps, path }: Steps): void {
  let from: ReadonlySet<string> | undefined = new Set([state]);
  for (const [index, each] of steps.entries()) {
    const at = [...path, index];
    if (each.type === "state")
      if (!requireName(on.context, { kind: "state", name: each.state, path: at })) return;
    const next = leadsTo(definition, from, each);
    if (next.length === 0) return tellStep(on, definition, { from, step: each, path: at });
    // The origin of a run is known only at run time.
    from = next.includes(ORIGIN) ? undefined : new Set(next);
  }
}

function leadsTo({ moves }: Definition, from: ReadonlySet<string> | undefined, step: PathStep): string[] {
  const own = moves.filter(
    (move) => move.by.includes("human") && (from === undefined || from.has(move.from)),
  );
  if (step.type === "answer") return own.filter(({ answer }) => answer === step.answer).map(({ to }) => to);
  const asked = own.filter(({ answer }) => answer === undefined);
  if (step.type === "state")
    return asked.some(({ to }) => to === step.state || to === ORIGIN) ? [step.state] : [];
  const isRemembered = moves.some((move) => move.remember && (from === undefined || from.has(move.to)));
  return isRemembered && asked.length > 0 ? [ORIGIN] : [];
}

function tellStep(
  on: Build,
  definition: Definition,
  of: { readonly from: ReadonlySet<string> | undefined; readonly step: PathStep; readonly path: Path },
): void {
  const { context } = on;
  const { step } = of;
  const where = [...(of.from ?? [])].join(" or ");
  if (context.problems.length > 0) return;
  if (step.type === "origin")
    return tell(
      on,
      of.path,
      `${where} does not remember where the run came from, or no move of a person leaves it`,
    );
  if (step.type === "state")
    return tell(on, of.path, `no move of a person leads from ${where} to ${step.state}`);
  const known = Object.entries(definition.states).flatMap(([name, { ask }]) => {
    const declared = of.from?.has(name) === false ? undefined : definition.asks[ask ?? ""];
    return declared === undefined ? [] : valuesOf(declared);
  });
  report(context, context.placeOf(of.path), {
    code: "bad-verb",
    message: `${where} has no answer "${step.answer}"`,
    suggestion: closest(step.answer, known),
  });
}

function checkDeliver(on: Build, { verb, deliver }: Pick<MoveFile, "verb" | "deliver">, path: Path): void {
  if (deliver !== undefined && verb !== undefined && verb !== "accept")
    tell(on, [...path, "deliver"], "only accepting delivers");
}

/** The text comes from a person: the artifact must accept a text of a person. */
function requireInto(on: Build, name: string, path: Path): void {
  const { context, declared } = on;
  const known = requireName(context, { kind: "artifact", name, path });
  const artifact = declared.artifacts[name];
  if (!known || artifact === undefined || isDoubtful(context, name)) return;
  if (!artifact.by.includes("human")) tell(on, path, `${name} does not count from a person`);
  else if (!WRITABLE.has(artifact.reader.type) || artifact.each !== undefined)
    tell(on, path, `${name} is not a text that a person writes`);
}

function tell({ context }: Build, path: Path, message: string): void {
  report(context, context.placeOf(path), { code: "bad-verb", message });
}

/** Commands that a workflow declares: each is another name of a command, or says what is done in which states. */

/** A word that can be typed: an option begins with a dash, and a file has a dot. */
const WORD = /^[a-z][a-z0-9-]*$/;

export function buildCommands(on: Build, { states, params }: Definition): Record<string, DeclaredCommand> {
  checkIdentity(on, params);
  const phases = Object.values(states).flatMap(({ phase }) => (phase === undefined ? [] : [phase]));
  const known = [...Object.keys(states), ...phases];
  return Object.fromEntries(
    Object.entries(on.file.commands ?? {}).map(([name, command]) => {
      const path = ["commands", name];
      if (!WORD.test(name))
        badCommand(
          on,
          path,
          `"${name}" cannot be typed as a command: use a-z, 0-9 and -, and begin with a letter`,
        );
      return [name, buildCommand({ on, path, states: known }, command)];
    }),
  );
}

type CommandSite = { readonly on: Build; readonly path: Path; readonly states: readonly string[] };

function buildCommand({ on, path, states }: CommandSite, command: CommandFile): DeclaredCommand {
  const { about = "", short = false, call, in: places = {}, begin = false } = command;
  if ((call === undefined) === (command.in === undefined))
    badCommand(
      on,
      path,
      `say either "call", the command that it is a name of, or "in", what is done in which state`,
    );
  if (call === undefined && command.with !== undefined)
    badCommand(on, [...path, "with"], `"with" gives options to the command that is named by "call"`);
  if (call !== undefined && command.begin !== undefined)
    badCommand(on, [...path, "begin"], `"begin" belongs to "in": "call: create" begins a run as well`);
  for (const place of Object.keys(places))
    requireName(on.context, { kind: "state", name: place, known: states, path: [...path, "in", place] });
  if (call === undefined) return { about, short, in: places, begin };
  const given = Object.entries(command.with ?? {}).map(([option, value]) => [option, String(value)] as const);
  return { about, short, call, with: Object.fromEntries(given) };
}

/** Two names for one run could say different things. */
function checkIdentity(on: Build, params: Definition["params"]): void {
  const names = Object.entries(params).flatMap(([name, param]) =>
    param.type === "text" && param.identifies === true ? [name] : [],
  );
  for (const name of names.slice(1))
    report(on.context, on.context.keyPlaceOf(["params", name, "identifies"]), {
      code: "bad-param",
      message: `"${names[0] ?? ""}" identifies a run already: one parameter does`,
    });
}

function badCommand({ context }: Build, path: Path, message: string): void {
  report(context, context.keyPlaceOf(path), { code: "bad-command", message });
}
