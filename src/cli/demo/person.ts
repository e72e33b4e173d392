/** The person of a demo: whoever sits at the keyboard, or a stand-in that says so. */

import { createInterface } from "node:readline/promises";
import type { Paint } from "../paint.ts";

export type Said = "yes" | "no";

/** Anything but a clear yes is a no, after it was asked again. */
export async function askAtKeyboard(question: string, paint: Paint): Promise<Said> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      const said = (await terminal.question(`${paint.bold(question)} [yes/no] `)).trim().toLowerCase();
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
