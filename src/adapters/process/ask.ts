/** Asks a program something about itself: it is started for a moment, without input, and ended if it takes too long. */

import { execFile } from "node:child_process";
import type { Env } from "../home/paths.ts";

const ANSWER_MS = 10_000;

/** `code` is undefined where it did not end by itself. */
export function askProgram(
  place: string,
  argv: readonly string[],
  env: Env,
): Promise<{ readonly code: number | undefined; readonly stdout: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      place,
      [...argv],
      { env, timeout: ANSWER_MS, killSignal: "SIGKILL", encoding: "utf8" },
      (error, stdout) => {
        const code = typeof error?.code === "number" ? error.code : undefined;
        resolve({ code: error === null ? 0 : code, stdout });
      },
    );
    child.stdin?.end();
  });
}
