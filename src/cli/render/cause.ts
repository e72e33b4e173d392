/** Why a run asks, below its question. */

import { wrapped } from "../fit.ts";

/** Below what is asked, in lines that fit. */
export function sayCause(cause: readonly string[], width: number | undefined): readonly string[] {
  return cause.map((line) => `${wrapped(`  > ${line}`.trimEnd(), width)}\n`);
}
