/** Says once for all why tests that act as a person are left out. */

import { lineageOf, PROCS } from "../../src/adapters/person/processes.ts";
import { markIn } from "../../src/adapters/person/marks.ts";

export function setup(): void {
  const { mark, gap } = lineageOf(PROCS);
  const why = markIn(process.env) ?? mark ?? gap;
  if (why !== undefined) console.log(`Skipped: tests that act as a person, for here nobody is one: ${why}`);
}
