/** Rows of runs by their status: one short look for each, so that the number of runs that ever ended does not matter. */

import type { Filter, RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";

export const UNDER_WAY = ["running", "waiting"] as const;
export const FINISHED = ["done", "cancelled", "failed"] as const;

/** `more` is how many the limit left out. */
export type RowPage = { readonly rows: readonly RunRow[]; readonly more: number };

/** The newest first. */
export async function rowsIn(
  store: Pick<Store, "list">,
  statuses: readonly string[],
  filter: Filter,
): Promise<RowPage> {
  const lists = await Promise.all(statuses.map((status) => store.list({ ...filter, status })));
  const rows = latest(lists.flatMap((list) => list.rows)).toSorted(newestFirst);
  const shown = rows.slice(0, filter.limit);
  return { rows: shown, more: lists.reduce((sum, list) => sum + list.more, 0) + rows.length - shown.length };
}

/** Those under way first, then those that ended. */
export async function allRows(store: Pick<Store, "list">, filter: Filter): Promise<RowPage> {
  const open = await rowsIn(store, UNDER_WAY, filter);
  const left = filter.limit - open.rows.length;
  const ended = await rowsIn(store, FINISHED, { ...filter, limit: Math.max(left, 1) });
  const shown = ended.rows.slice(0, left);
  return {
    rows: latest([...open.rows, ...shown]),
    more: open.more + ended.more + ended.rows.length - shown.length,
  };
}

/** A run that changes between two looks is in both: the later look counts. */
function latest(rows: readonly RunRow[]): readonly RunRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

export function newestFirst(
  a: Pick<RunRow, "startedAt" | "id">,
  b: Pick<RunRow, "startedAt" | "id">,
): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}
