/** Whether an agent can be asked for an effort. */

import { EFFORTS, type Effort } from "../../core/model/vocabulary.ts";
import type { Driver } from "../ports/drivers.ts";
import type { Harness } from "../ports/settings.ts";

type Answer = { readonly effort: Effort } | { readonly why: string };

/** `said` is the word of a workflow or of a person. A command line of one's own takes an effort where it names one. */
export function askableEffort(said: string, driver: Driver, harness: Harness): Answer {
  const effort = EFFORTS.find((each) => each === said);
  if (effort === undefined) return { why: `it is ${EFFORTS.join(", ")}` };
  if (!driver.efforts.includes(effort)) return { why: `${driver.name} has no option for it` };
  if (driver.name === "command" && !linesOf(harness).some((line) => line.includes("{effort}")))
    return { why: `the command of the harness ${harness.name} does not name {effort}` };
  return { effort };
}

function linesOf({ program, again = [], terminal = [] }: Harness): readonly string[] {
  return [...program, ...again, ...terminal];
}
