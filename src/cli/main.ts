/** The process around the command line. */

import { print, isTerminal } from "./print.ts";
import { say, show, whenLost } from "./printed.ts";
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
