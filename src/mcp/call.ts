/**
 * One call of a tool, from its arguments to what is told: the answer of the command that it stands for, word for word.
 *
 * Whatever an agent can mend is a result that says so, never an error of the protocol, which most clients keep to themselves.
 */

import { UserError } from "../adapters/user-error.ts";
import { EXIT_NOT_YOURS, EXIT_OK } from "../app/exit-codes.ts";
import type { Answer, Door } from "../cli/command.ts";
import { harmless } from "../cli/paint.ts";
import { failureOf } from "../app/failure.ts";
import { sayFailure } from "../cli/render/failure.ts";
import { documentOf, doorOf, type World } from "../cli/run.ts";
import { closest } from "../core/closest.ts";
import { isObject, misfits } from "../format/json/shape.ts";
import { callerOf } from "./caller.ts";
import type { Given, Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

export type Called = {
  readonly text: string;
  readonly isError: boolean;
  /** What the command prints with `--json`, and its exit code. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For whoever looks after us, where it is our bug. */
  readonly stack: string;
};

export async function call(world: World, name: string, given: Given): Promise<Called> {
  try {
    const answer = await answerOf(doorOf(world, {}), name, given);
    const { exit, text, talk = "" } = answer;
    return {
      text: harmless(`${text()}${talk}`),
      isError: exit !== EXIT_OK,
      document: { ...documentOf(answer), exit },
      stack: "",
    };
  } catch (error) {
    const failure = await failureOf(error, world);
    const { exit, stack } = failure;
    return {
      text: harmless(sayFailure({ ...failure, stack: "" })),
      isError: true,
      document: { ...documentOf(failure), exit },
      stack,
    };
  }
}

async function answerOf(door: Door, name: string, given: Given): Promise<Answer> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw unknownTool(name);
  // As at the command line: what is kept of it would not be what was said.
  if (!isText(given)) throw new UserError("bad-usage", "an argument is no text", "send text alone");
  const caller = callerOf(door);
  if (tool.for === "everybody") {
    requireFit(tool, given, tool.input(caller));
    return tool.answer(given, { door, caller });
  }
  if (caller === undefined) throw noToken(name);
  if (tool.isOpen !== true) requireFit(tool, given, tool.input(caller));
  return tool.answer(given, { door, caller });
}

/** Nothing that a tool takes is as deep as this. */
const DEPTH_MAX = 20;

function isText(value: unknown, depth = 0): boolean {
  if (depth > DEPTH_MAX) return false;
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (Array.isArray(value)) return value.every((each) => isText(each, depth + 1));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => isText(key) && isText(inner, depth + 1));
}

/** Every field that is wrong is named at once. */
function requireFit(tool: Tool, given: Given, shape: ReturnType<Tool["input"]>): void {
  const wrong = misfits(shape, given).map(({ reason }) => reason);
  if (wrong.length === 0) return;
  const known = Object.keys({ ...shape.required, ...shape.optional });
  const takes = known.length === 0 ? "it takes nothing" : `it takes ${known.join(", ")}`;
  throw new UserError("bad-usage", `${tool.name}: ${wrong.slice(0, MISFITS_SHOWN).join("; ")}`, takes);
}

const MISFITS_SHOWN = 5;

function unknownTool(name: string): UserError {
  const names = TOOLS.map((each) => each.name);
  const near = closest(name, names);
  const hint = near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-tool", `there is no tool "${name}"${hint}`, near ?? "next");
}

/** What a person does is typed by a person. */
function noToken(name: string): UserError {
  return new UserError(
    "no-token",
    `${name} is for agents of runs, and nobody handed on SIGNALBOX_TOKEN here`,
    {
      next: "an agent hands the variable on to `signalbox mcp`; a person types `signalbox next` in a terminal",
      exit: EXIT_NOT_YOURS,
    },
  );
}
