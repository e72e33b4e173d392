/** A finished run is put away: lists leave it out. Its journal, its branch and its salvage stay. */

import { UserError } from "../../../adapters/user-error.ts";
import type { Acting } from "../../context.ts";
import { EXIT_NOT_YOURS } from "../../exit-codes.ts";
import { success, type Outcome } from "../../outcome.ts";
import { isFinished } from "../../runs/find.ts";
import { requireKept } from "../../runs/load.ts";
import { taskOf } from "../../runs/task.ts";
import type { DataOf, InputOf } from "../../schemas.ts";

export async function putAway(
  on: Acting,
  { run: word, project }: InputOf<"delete">,
): Promise<Outcome<DataOf<"delete">>> {
  const run = await taskOf(on, word, project);
  const { row } = await requireKept(on, run);
  if (!isFinished(row))
    throw new UserError("not-in-map", `${run} is ${row.state}, and only a finished run can be put away`, {
      next: `signalbox cancel ${run}`,
      exit: EXIT_NOT_YOURS,
    });
  await on.box.store.commit([{ type: "hide", run, hidden: true }]);
  return success(
    `${run} is put away; signalbox show ${run} still has it`,
    { run, state: row.state, hidden: true },
    { next: "signalbox list" },
  );
}
