/** The protocol: tools and their answers over the standard streams, with whatever version of it a client speaks. */

import { UserError } from "../app/failure.ts";
import { Server, type CallToolResult, type Tool as ToolOnWire } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { agentCalling, type AgentCaller } from "../app/caller.ts";
import { doorOf, type World } from "../cli/run.ts";
import { inputOf, toolsFor, type Tool } from "../app/tools.ts";
import { call } from "./call.ts";

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
  // It closes itself, whoever leaves: a client that goes, or sends more than is taken.
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
  // What was begun is finished, though nobody hears of it any more.
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

/** Whose token is no good has the tools of everybody, and is told why by any other. */
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
