/** Runs that were made of the tasks of another one, and of theirs, as far as they are not over. */

import type { ChildRow, Graphs } from "../ports/graphs.ts";

export function descendantsOf(store: Pick<Graphs, "childrenOf">, run: string): readonly string[] {
  const own = store.childrenOf(run).filter(isUnderWay);
  return own.flatMap((child) => [child.run, ...descendantsOf(store, child.run)]);
}

export function isUnderWay({ run, status }: Pick<ChildRow, "run" | "status">): boolean {
  return run !== "" && (status === "running" || status === "waiting");
}
