/** A question at the terminal that takes a yes. */

import { harmless } from "./paint.ts";

/** One of these words; Enter takes the usual one. */
export async function choose(question: string, words: readonly string[], usual: string): Promise<string> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const typed = await terminal.question(
        `${harmless(`${question} ${words.join(", ")}`)} [${harmless(usual)}] `,
      );
      const said = typed.trim() === "" ? usual : typed.trim();
      if (words.includes(said)) return said;
    }
  } finally {
    terminal.close();
  }
}

/** True where no person can be asked: programs mean what they call. */
export async function isConfirmed(question: string): Promise<boolean> {
  const { isatty } = process.getBuiltinModule("node:tty");
  if (!isatty(0) || !isatty(2)) return true;
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${harmless(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
