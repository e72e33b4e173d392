/** The protocol: tools and their answers over the standard streams, in the version that the client speaks. */

import { UserError, badUsage, closest, failureOf } from "../app/failure.ts";
import { Server, type CallToolResult, type Tool as ToolOnWire } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { agentCalling, type AgentCaller, noToken } from "../app/caller.ts";
import { doorOf, type World, documentOf } from "../cli/run.ts";
import { inputOf, toolsFor, type Tool, requireFit, TOOLS } from "../app/tools.ts";
import { EXIT_OK } from "../app/exit-codes.ts";
import type { Door } from "../cli/command.ts";
import { harmless } from "../cli/paint.ts";
import { sayFailure } from "../cli/render/failure.ts";
import { speak, type ToolInput, type Spoken } from "./tools.ts";

/** One message: an artifact as large as one may be, however it is escaped. */
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

const INSTRUCTIONS =
  "You work in a run of Signalbox. Call get_task first. What you hand in is checked at once; a refusal says what is wrong and what to do next. Only these tools and the `signalbox` command move the run.";

/** Until the client leaves, or we are interrupted. */
export async function serve(world: World, signal: AbortSignal, log: (line: string) => void): Promise<void> {
  // One after the other: a model that calls two tools at once means them in this order.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  };
  if (process.stdin.isTTY) log("waits for a program that speaks the protocol; Ctrl-D ends it");
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MESSAGE_BYTES_MAX,
  });
  const closed = Promise.withResolvers<void>();
  const close = transport.close.bind(transport);
  // It closes itself when the client leaves, or sends more than the limit.
  transport.close = async () => {
    await close();
    closed.resolve();
  };
  const handle = serveStdio(() => serverFor(world, inTurn, log), {
    transport,
    onerror: (error) => log(error.message),
  });
  const leave = (): void => void handle.close().catch((error: unknown) => log(String(error)));
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  await closed.promise;
  // A call that was begun is finished, although the client has left.
  await last;
}

function serverFor(
  world: World,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  log: (line: string) => void,
): Server {
  const server = new Server(
    { name: "signalbox", version: SIGNALBOX_VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", async () => {
    const caller = await knownCaller(world);
    return { tools: toolsFor(caller).map((tool) => onWire(tool, caller)) };
  });
  server.setRequestHandler("tools/call", ({ params }) =>
    inTurn(async (): Promise<CallToolResult> => {
      const { text, isError, document, stack } = await call(world, params.name, params.arguments ?? {});
      if (stack !== "") log(stack);
      return { content: [{ type: "text", text }], structuredContent: { ...document }, isError };
    }),
  );
  return server;
}

/** A caller with a bad token has the tools of everybody; any other tool answers why. */
async function knownCaller(world: World): Promise<AgentCaller | undefined> {
  try {
    return await agentCalling(doorOf(world, {}));
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function onWire(tool: Tool, caller: AgentCaller | undefined): ToolOnWire {
  const { name, title, about: description, looks } = tool;
  return {
    name,
    title,
    description,
    inputSchema: { ...inputOf(tool, caller), type: "object" },
    annotations: { readOnlyHint: looks, destructiveHint: false, openWorldHint: false },
  };
}

export type Called = {
  readonly text: string;
  readonly isError: boolean;
  /** What the command prints with `--json`, and its exit code. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For the log, where it is our bug. */
  readonly stack: string;
};

/**
 * One call of a tool, from its arguments to the words of its outcome.
 *
 * What an agent can fix is a result that says so, never an error of the protocol, which most clients keep to themselves.
 */
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
