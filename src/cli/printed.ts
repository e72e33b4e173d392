/** What is printed by this process, whoever has worked it out, and what becomes of what does not arrive. */

import { whyNotWritten } from "../app/failure.ts";
import { print } from "./print.ts";

const EXIT_FAILED = 1;

/** Why what we print does not arrive any more; empty as long as it does. */
let lost = "";
let stop: () => void = () => undefined;

/** The end of a call. */
export function show({
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

export function say(text: string): void {
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
export function whenLost(tell: () => void): void {
  stop = tell;
  if (lost !== "") tell();
}

/** Otherwise who reads has seen enough, as with `| head`. */
function isFailed(): boolean {
  return lost !== "" && lost !== "EPIPE";
}
