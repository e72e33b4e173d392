/** Runs that were made of the tasks of another one, and of theirs. */

import type { ChildRow, Graphs } from "../ports/graphs.ts";

type FamilyStore = Pick<Graphs, "childrenOf">;

/** As far as they are not over. */
export function descendantsOf(store: FamilyStore, run: string): Promise<readonly string[]> {
  return below(store, run, isUnderWay);
}

/** The run and all of them, also those that are over. */
export async function familyOf(store: FamilyStore, run: string): Promise<readonly string[]> {
  return [run, ...(await below(store, run, (child) => child.run !== ""))];
}

async function below(
  store: FamilyStore,
  run: string,
  isMeant: (child: ChildRow) => boolean,
): Promise<readonly string[]> {
  const own = (await store.childrenOf(run)).filter(isMeant);
  return (
    await Promise.all(own.map(async (child) => [child.run, ...(await below(store, child.run, isMeant))]))
  ).flat();
}

export function isUnderWay({ run, status }: Pick<ChildRow, "run" | "status">): boolean {
  return run !== "" && (status === "running" || status === "waiting");
}
