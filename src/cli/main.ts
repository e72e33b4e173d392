/** The process around the command line. */

import { print, isTerminal } from "./print.ts";
import { run } from "./run.ts";

async function main(): Promise<void> {
  const { code, stdout, stderr } = await run(process.argv.slice(2), {
    cwd: currentFolder(),
    env: process.env,
    terminal: isTerminal(1),
    live: { print: (text) => print(1, text), interrupted },
  });
  // Only said, never forced: leaving at once would cut off what is still on its way through a pipe.
  process.exitCode = code;
  print(1, stdout);
  print(2, stderr);
}

/** Only streams ask for this: everything else ends at once when it is interrupted. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort(signal));
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

void main();
