/**
 * One call of a tool, from its arguments to the words of its outcome.
 *
 * Whatever an agent can fix is a result that says so, never an error of the protocol, which most clients keep to themselves.
 */

import { agentCalling, noToken } from "../app/caller.ts";
import { EXIT_OK } from "../app/exit-codes.ts";
import { badUsage, closest, failureOf, UserError } from "../app/failure.ts";
import { requireFit, TOOLS, toolsFor } from "../app/tools.ts";
import type { Door } from "../cli/command.ts";
import { harmless } from "../cli/paint.ts";
import { sayFailure } from "../cli/render/failure.ts";
import { documentOf, doorOf, type World } from "../cli/run.ts";
import { speak, type ToolInput, type Spoken } from "./tools.ts";

export type Called = {
  readonly text: string;
  readonly isError: boolean;
  /** What the command prints with `--json`, and its exit code. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For whoever looks after us, where it is our bug. */
  readonly stack: string;
};

export async function call(world: World, name: string, given: ToolInput): Promise<Called> {
  try {
    const spoken = await speakFor(doorOf(world, {}), name, given);
    const { exit, text, data } = spoken;
    return {
      text: harmless(text),
      isError: exit !== EXIT_OK,
      document: { ...documentOf({ ...spoken, data: () => data }), exit },
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

async function speakFor(door: Door, name: string, given: ToolInput): Promise<Spoken> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw unknownTool(name);
  // As at the command line: what is kept of it would not be what was said.
  if (!isText(given)) throw badUsage("an argument is no text", "send text alone");
  const caller = await agentCalling(door);
  const isOpen = toolsFor(undefined).includes(tool);
  if (caller === undefined && !isOpen) throw noToken(name);
  requireFit(tool, given, caller);
  return speak(tool, given, { door, caller });
}

/** Nothing that a tool takes is as deep as this. */
const DEPTH_MAX = 20;

function isText(value: unknown, depth = 0): boolean {
  if (depth > DEPTH_MAX) return false;
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (Array.isArray(value)) return value.every((each) => isText(each, depth + 1));
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isText(key) && isText(inner, depth + 1));
}

function unknownTool(name: string): UserError {
  const names = TOOLS.map((each) => each.name);
  const near = closest(name, names);
  const hint = near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-tool", `there is no tool "${name}"${hint}`, near ?? "next");
}
