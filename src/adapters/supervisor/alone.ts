/**
 * Something is done while no other supervisor is at work.
 *
 * One of an older program would go on with a database whose tables it does not know: every write of it would fail, and it would
 * keep the lock, so that nobody else could act.
 */

import type { Home } from "../home/paths.ts";
import { UserError } from "../user-error.ts";
import { askToEnd } from "./ask-to-end.ts";
import { holdsSupervisorLock, isSupervisorAlive, takeSupervisorLock, type SupervisorLock } from "./lock.ts";
import { supervisorSaid } from "./said.ts";

const PATIENCE_MS = 10_000;
const LOOK_MS = 50;
const EXIT_CONFLICT = 6;

export function whileAlone(home: Home, work: () => void, patienceMs = PATIENCE_MS): void {
  if (holdsSupervisorLock(home)) {
    work();
    return;
  }
  const lock = takenWithin(home, patienceMs);
  try {
    work();
  } finally {
    lock.release();
  }
}

function takenWithin(home: Home, patienceMs: number): SupervisorLock {
  const until = performance.now() + patienceMs;
  let isAsked = false;
  for (;;) {
    const lock = isSupervisorAlive(home) ? undefined : takeSupervisorLock(home);
    if (lock !== undefined) return lock;
    if (performance.now() > until) throw stays(home);
    if (!isAsked) isAsked = askToEnd(home);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

function stays(home: Home): UserError {
  const { pid } = supervisorSaid(home);
  return new UserError(
    "older-supervisor",
    `a supervisor of an older signalbox is at work in ${home.root}, and does not leave (process ${pid})`,
    { next: "wait until it has finished what it is at, and try again", exit: EXIT_CONFLICT },
  );
}
