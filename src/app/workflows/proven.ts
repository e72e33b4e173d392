/** Nothing is begun that could not end: a workflow is proven before its first run, once for each content. What the package brings was proven by its tests. */

import { UserError } from "../../adapters/user-error.ts";
import { check } from "../../core/check/check.ts";
import type { Store } from "../../engine/ports/store.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import type { Loaded } from "./load.ts";

export function requireClean(
  store: Pick<Store, "definition">,
  { workflow, name, isShipped }: Extract<Loaded, { ok: true }>,
  wanted: string,
): void {
  if (isShipped === true) return;
  // Only what was proven is ever kept.
  if (store.definition(workflow.hash()) !== undefined) return;
  const { defects } = check(workflow);
  const [first] = defects;
  if (first === undefined) return;
  const more = defects.length > 1 ? ` (and ${defects.length - 1} more)` : "";
  throw new UserError("invalid-workflow", `${name}: ${first.message}${more}`, {
    next: `signalbox check ${wanted}`,
    exit: EXIT_GATE,
    at: { file: first.at.file, line: first.at.line, col: first.at.col },
  });
}
