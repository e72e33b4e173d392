/** What keeps a run from going on that is no decision: attention, and agents that have crashed. */

import { foreignFor, sayForeign } from "../../core/accepted.ts";
import { maxOf } from "../../core/gate.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { DeedRow } from "../../engine/ports/outbox.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isFinished, type Seen } from "../box.ts";

/** What a run that is over still has to do in the world. */
const CLEARING: ReadonlySet<DeedRow["deed"]["type"]> = new Set(["stop-agent", "release-resource"]);

/** Why a person must look. What went wrong on the way is no longer anybody's when the run is over: only what it leaves behind is. */
export function attentionOf(store: Pick<Store, "deeds">, row: RunRow): string {
  if (row.attention === "" || row.status === "damaged" || !isFinished(row)) return row.attention;
  const isLeft = store
    .deeds(row.id)
    .some(({ status, deed }) => status === "attention" && CLEARING.has(deed.type));
  return isLeft ? row.attention : "";
}

/** An agent has crashed, and only a person starts it again. */
export function isStranded({ run }: Seen): boolean {
  return Object.values(run.agents).some(({ status }) => status === "crashed");
}

/** With what is left of the budget that its end counts. */
export function sayCrashed({ workflow, run }: Seen): string {
  const roles = Object.values(run.agents)
    .filter(({ status }) => status === "crashed")
    .map(({ role }) => role);
  return [...new Set(roles)]
    .map((role) => {
      const [foreign] = foreignFor(workflow, run, role);
      if (foreign !== undefined) return `${role} was not started: ${sayForeign(workflow, run, foreign)}`;
      const end = workflow.definition.ends.find((each) => each.role === role && each.in === run.state);
      const counter = end?.count;
      if (counter === undefined) return `${role} has crashed`;
      return `${role} has crashed (${counter} ${run.counters[counter] ?? 0} of ${maxOf(workflow, run, counter)})`;
    })
    .join(" and ");
}
