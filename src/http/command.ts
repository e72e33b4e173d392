/** `signalbox serve`: the page, on loopback, until it is interrupted. */

import { createInterface, type Interface } from "node:readline";
import { EXIT_INTERRUPTED } from "../app/exit-codes.ts";
import { badUsage, UserError } from "../app/failure.ts";
import { withDatabase, type Invocation } from "../app/invocation.ts";
import { requireHost, sessionsFile } from "../app/page/host.ts";
import type { Emit } from "../app/outcome.ts";
import type { Answer, Command } from "../cli/command.ts";
import type { PageServing } from "./server.ts";

const PORT_MAX = 65_535;
/** After Ctrl-D. */
const CLOSED =
  "This terminal takes no more input: codes and new links need another signalbox serve. Ctrl-C ends the server.";

export const command: Command = {
  usage: "[--port N] [--database URL]",
  about:
    "Serves a page for this machine's runs on http://127.0.0.1: what waits for you, each run on the diagram of its workflow, what was changed, and the decisions.\nThe printed link works once; Enter prints a new one. Before a page may decide, type the code that it shows into this terminal.\nOther machines cannot reach it. Ctrl-C ends it; runs go on.",
  words: { min: 0, max: 0 },
  options: {
    port: { takes: "N", about: "the port; 4747, or any free one where that is taken, unless given" },
    database: { takes: "URL", about: "the PostgreSQL database that several machines share" },
  },
  examples: ["signalbox serve", "signalbox serve --port 8080"],
  answer: (given, called): Answer => {
    const door = withDatabase(called, given.options["database"]);
    requireHost(door);
    const wanted = given.options["port"];
    const port = wanted === undefined ? undefined : Number(wanted);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= PORT_MAX))
      throw badUsage(`--port ${wanted ?? ""} is not a port`, "signalbox serve --help");
    return {
      exit: EXIT_INTERRUPTED,
      code: "ok",
      message: "the page is served",
      data: () => ({}),
      text: () => "",
      next: "",
      stream: (emit, signal) => serve(door, { port, emit, signal }),
    };
  },
};

async function serve(
  door: Invocation,
  {
    port,
    emit,
    signal,
  }: { readonly port: number | undefined; readonly emit: Emit; readonly signal: AbortSignal },
): Promise<number> {
  const [{ listen }, { pageServer }, { sessionsOf }] = await Promise.all([
    import("./listen.ts"),
    import("./server.ts"),
    import("./sessions.ts"),
  ]);
  const canDecide = process.stdin.isTTY;
  const sessions = sessionsOf(sessionsFile(door));
  const terminal = canDecide ? createInterface({ input: process.stdin, signal }) : undefined;
  let bound = 0;
  const app = pageServer({
    door,
    sessions,
    port: () => bound,
    canDecide,
    deciding: oneAtATime(terminal, emit),
    signal,
  });
  const { server, port: own } = await listen(app, port);
  bound = own;
  const say = (): void => {
    const link = `http://127.0.0.1:${bound}/#${sessions.newLinkToken()}`;
    emit({ text: `The page: ${link}\n`, data: { link } });
  };
  say();
  if (terminal !== undefined) {
    emit({
      text: "Enter prints a new link. To let a page decide, type the code that it shows. Ctrl-C ends the server.\n",
      data: {},
    });
    terminal.on("line", (line) => {
      if (line.trim() === "") say();
      else emit({ text: `${sessions.enterCode(line)}\n`, data: {} });
    });
    terminal.on("close", () => {
      if (!signal.aborted) emit({ text: `${CLOSED}\n`, data: {} });
    });
  } else
    emit({
      text: "There is no terminal to type a code into: the page shows and does not decide.\n",
      data: {},
    });
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
  server.closeAllConnections();
  server.close();
  return EXIT_INTERRUPTED;
}

/** A key with a passphrase asks at this terminal, so nothing else reads the terminal during a decision. */
export function oneAtATime(
  terminal: Interface | undefined,
  emit: Emit,
): NonNullable<PageServing["deciding"]> {
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  terminal?.once("close", () => (isClosed = true));
  return (what, work) => {
    const own = last.then(async () => {
      emit({ text: `From the page: ${what}\n`, data: { decision: what } });
      if (!isClosed) terminal?.pause();
      const say = (outcome: string): void =>
        emit({ text: `  ${outcome}\n`, data: { decision: what, outcome } });
      try {
        const outcome = await work();
        say(outcome.message);
        return outcome;
      } catch (error) {
        say(error instanceof UserError ? `Refused: ${error.message}` : "Failed: see the page.");
        throw error;
      } finally {
        if (!isClosed) terminal?.resume();
      }
    });
    last = own.catch(() => undefined);
    return own;
  };
}
