/** The person of a demo: whoever sits at the keyboard, or a stand-in that says so. */

import { UserError } from "../../app/failure.ts";
import { createInterface } from "node:readline/promises";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Paint } from "../paint.ts";
import { STAND_IN, type Stage } from "../../app/demo.ts";

/** Exactly what a person would type, in this process. Gives what is printed. */
export async function typed({ repo, env }: Stage, argv: readonly string[]): Promise<string> {
  const { run } = await import("../run.ts");
  const { code, stdout, stderr } = await run(argv, { cwd: repo, env, procs: STAND_IN });
  if (code === EXIT_OK) return stdout;
  throw new UserError("demo-failed", `signalbox ${argv.join(" ")} ended with ${code}: ${stdout}${stderr}`, {
    next: "signalbox doctor",
    exit: code,
  });
}

export type Said = "yes" | "no";

/** Anything but a clear yes is a no, after it was asked again. */
export async function askAtKeyboard(question: string, paint: Paint): Promise<Said> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Whoever leaves has not said yes.
  const left = new Promise<string>((resolve) => void terminal.once("close", () => resolve("no")));
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      const said = (await Promise.race([terminal.question(`${paint.bold(question)} [yes/no] `), left]))
        .trim()
        .toLowerCase();
      if (said === "yes" || said === "y") return "yes";
      if (said === "no" || said === "n") return "no";
    }
    return "no";
  } finally {
    terminal.close();
  }
}

export function isSomebodyThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}
