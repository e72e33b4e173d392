/**
 * One decision of people at a time for each run, about the state that the person saw.
 *
 * A decision looks at the run, may merge its work or write the person's words, and only then submits its event. A second decision in
 * between would be refused after the merge, or would replace the words of the first. Acts of agents and of the engine are not held up.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import { conflict } from "../refusal.ts";
import type { Seen } from "../runs/find.ts";

const WAIT_MS = 60_000;

/** Runs that the present call decides about already: a verb of several parts takes its lock once. */
const decided = new AsyncLocalStorage<ReadonlySet<string>>();

export async function whileDeciding<T>(
  { home }: { readonly home: Home },
  run: string,
  work: () => Promise<T>,
): Promise<T> {
  const own = decided.getStore() ?? new Set<string>();
  if (own.has(run)) return work();
  const { whileLocked } = await import("../../adapters/git/call/locks.ts");
  const busy = new UserError("busy", `another command has been deciding about run ${run} for a minute`, {
    next: `signalbox show ${run}`,
    exit: EXIT_CONFLICT,
  });
  const lock = { folder: home.locks, repo: `decision\0${run}`, waitMs: WAIT_MS, busy };
  return whileLocked(lock, () => decided.run(new Set([...own, run]), work));
}

/** Refuses a decision about a state that the run has left since the person saw it. */
export function requireEntry({ run }: Pick<Seen, "run">, entry: number | undefined): void {
  if (entry === undefined || entry === run.entry) return;
  throw conflict(
    run.id,
    `${run.id} has moved on since you saw it: it is in ${run.state} now. Nothing was done`,
  );
}
