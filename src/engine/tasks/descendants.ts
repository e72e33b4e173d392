/** Runs that were made of the tasks of another one, and of theirs, as far as they are not over. */

import type { ChildRow, Graphs } from "../ports/graphs.ts";

export async function descendantsOf(
  store: Pick<Graphs, "childrenOf">,
  run: string,
): Promise<readonly string[]> {
  const own = (await store.childrenOf(run)).filter(isUnderWay);
  return (
    await Promise.all(own.map(async (child) => [child.run, ...(await descendantsOf(store, child.run))]))
  ).flat();
}

export function isUnderWay({ run, status }: Pick<ChildRow, "run" | "status">): boolean {
  return run !== "" && (status === "running" || status === "waiting");
}
