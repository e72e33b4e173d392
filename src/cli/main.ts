/** The process around the command line: what it is started with, what it prints, and what becomes of text that does not arrive. */

import { EXIT_FAILED } from "../app/exit-codes.ts";
import { whyNotWritten } from "../app/failure.ts";
import { isTerminal, print } from "./print.ts";
import { run } from "./run.ts";

const COLUMNS = 80;

export async function main(): Promise<void> {
  const printed = await run(process.argv.slice(2), {
    cwd: currentFolder(),
    env: process.env,
    ...shown(),
    isTyped,
    talk: {
      print: (text) => print(2, text),
      // Some terminals do not say how wide they are.
      columns: () => (isTerminal(2) ? process.stderr.columns || COLUMNS : undefined),
    },
    live: { print: say, interrupted },
  });
  show(printed);
}

function isTyped(): boolean {
  return process.getBuiltinModule("node:tty").isatty(0) && isTerminal(2);
}

/** Some terminals do not say how wide they are. */
function shown(): { readonly terminal: boolean; readonly width?: number } {
  return isTerminal(1) ? { terminal: true, width: process.stdout.columns || COLUMNS } : { terminal: false };
}

/**
 * Only streams ask for this: everything else ends at once when it is interrupted. A reader that left interrupts, too, as soon as
 * there is something to print.
 */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort(signal));
  whenLost(() => controller.abort("SIGPIPE"));
  return controller.signal;
}

/** Empty where the folder was removed under our feet. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** Why what we print does not arrive any more; empty as long as it does. */
let lost = "";
let stop: () => void = () => undefined;

/** The end of a call. */
function show({
  code,
  stdout,
  stderr,
}: {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}): void {
  // Only said, never forced: leaving at once would cut off what is still on its way through a pipe.
  process.exitCode = code;
  say(stdout);
  // What goes with an answer means nothing without it.
  if (!isFailed()) print(2, stderr);
}

function say(text: string): void {
  print(1, text, (code) => {
    // Who closed it before we began waits for how it ends.
    if (lost !== "" || code === "EBADF") return;
    lost = code;
    stop();
    if (!isFailed()) return;
    // Whatever the command itself ends with: its answer did not arrive.
    process.once("exit", () => (process.exitCode = EXIT_FAILED));
    print(2, `signalbox: what it says cannot be written to the standard output: ${whyNotWritten(code)}\n`);
  });
}

/** A reader that leaves is told, also one that has left. */
function whenLost(tell: () => void): void {
  stop = tell;
  if (lost !== "") tell();
}

/** Otherwise who reads has seen enough, as with `| head`. */
function isFailed(): boolean {
  return lost !== "" && lost !== "EPIPE";
}
