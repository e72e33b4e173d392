/**
 * What an earlier graph of the same artifact leaves to a new one.
 *
 * All of it is lost where its stage has begun anew since: by `new`, or because the run was in another one meanwhile.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Event } from "../../core/model/event.ts";
import type { Past } from "../../core/tasks/carry-over.ts";
import type { Box } from "../box.ts";
import type { ChildRow, GraphKey } from "../ports/graphs.ts";

export type Earlier = ChildRow & Past;

export async function earlierOf(
  { store }: Pick<Box, "store">,
  workflow: Workflow,
  { parent, artifact, entry }: GraphKey,
): Promise<readonly Earlier[]> {
  const rows = (await store.childrenOf(parent)).filter(
    (row) => row.artifact === artifact && row.entry < entry,
  );
  const last = rows.at(-1)?.entry;
  if (last === undefined) return [];
  const since = eventsSince(await store.events(parent), last);
  if (hasBegunAnew(workflow, artifact, since)) return [];
  const isWaived = since.some((event) => event.type === "waiver-given" && event.artifact === artifact);
  return rows.flatMap((row) => (row.entry === last ? pastOf(row, isWaived) : []));
}

/** What happened after the run entered a state for the so many-th time. */
function eventsSince(journal: readonly { readonly event: Event }[], entry: number): readonly Event[] {
  const events = journal.map(({ event }) => event);
  const moves = events.flatMap(({ type }, at) => (type === "moved" ? [at] : []));
  return events.slice((moves[entry - 1] ?? events.length) + 1);
}

function hasBegunAnew({ definition }: Workflow, artifact: string, since: readonly Event[]): boolean {
  const { states, moves, artifacts } = definition;
  const entered = since.filter((event) => event.type === "moved");
  const stage = states[entered.at(-1)?.to ?? ""]?.stage;
  return entered.some(({ rule, to }) => {
    const renewed = moves[rule]?.renew ?? [];
    const other = states[to]?.stage ?? stage;
    return (
      other !== stage || renewed.some((scope) => scope === stage || scope === artifacts[artifact]?.fresh)
    );
  });
}

/** Nobody may have noticed yet how its run has ended. */
function pastOf(row: ChildRow, isWaived: boolean): readonly Earlier[] {
  if (row.outcome === "done" || (row.outcome === "" && row.status === "done"))
    return [{ ...row, outcome: "done" }];
  return row.outcome === "skipped" || isWaived ? [{ ...row, outcome: "skipped" }] : [];
}
