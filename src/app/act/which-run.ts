/** A verb without a run, where several are under way: only those are listed on which the verb works now. */

import { UserError } from "../../adapters/user-error.ts";
import type { Verb } from "../../core/model/workflow.ts";
import { filtered } from "../../engine/lists.ts";
import type { Acting } from "../context.ts";
import { namedRow, runsUnderWay, WHICH_RUN } from "../runs/find.ts";
import { seenOf } from "../runs/load.ts";
import { actionsOf } from "../view/actions.ts";

const LISTED = 10;

/** Undefined for another error, and where the verb works on no run. */
export async function whichRunFor(
  on: Acting,
  { verb, able }: { readonly verb: Verb; readonly able: string },
  error: unknown,
): Promise<UserError | undefined> {
  if (!(error instanceof UserError) || error.code !== WHICH_RUN) return undefined;
  const rows = await filtered(await runsUnderWay(on.box.store), async ({ id, status }) => {
    if (status === "damaged") return false;
    return (await actionsOf(await seenOf(on, id))).actions.some((action) => action.verb === verb);
  });
  const [first, second] = rows;
  if (first === undefined) return undefined;
  const next = `signalbox ${verb} ${first.id}`;
  if (second === undefined)
    return new UserError(WHICH_RUN, `no run was named; only ${namedRow(first)} ${able} now`, next);
  const shown = rows.slice(0, LISTED).map(namedRow).join(", ");
  const rest = rows.length > LISTED ? ` and ${rows.length - LISTED} more` : "";
  return new UserError(WHICH_RUN, `name one of the runs that ${able} now: ${shown}${rest}`, next);
}
