/** Ends the supervisor, for who must have the state home to itself. It is harmless: the next command starts another one. */

import { setTimeout as pause } from "node:timers/promises";
import { writePrivate } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";
import { PROCS } from "../person/processes.ts";
import { startOf } from "../process/table.ts";
import { isSupervisorAlive, type SupervisorLock, takeSupervisorLock } from "./lock.ts";
import { saidFile, sayOf, supervisorSaid } from "./said.ts";

const PATIENCE_MS = 10_000;

/** Said by the supervisor itself. A pid alone may be another process by now; with its start time it may not. */
export function writePid(home: Home): void {
  const { pid } = process;
  const text = sayOf({ pid: String(pid), start: startOf(pid) ?? "", world: PROCS.world() });
  writePrivate(saidFile(home), text);
}

/** Gives the lock, so that no other supervisor begins meanwhile; undefined where the supervisor does not end. */
export async function endSupervisor(home: Home): Promise<SupervisorLock | undefined> {
  const until = performance.now() + PATIENCE_MS;
  let isAsked = false;
  for (;;) {
    if (!isSupervisorAlive(home)) {
      const lock = takeSupervisorLock(home);
      if (lock !== undefined) return lock;
    }
    if (performance.now() > until) return undefined;
    if (!isAsked) isAsked = askToEnd(home);
    await pause(50);
  }
}

/** The supervisor finishes its present step and leaves the programs it started. False where no supervisor runs. A pid alone may be another process by now; with its start time it may not. */
function askToEnd(home: Home): boolean {
  const { pid, start } = supervisorSaid(home);
  if (!/^\d+$/.test(pid) || startOf(Number(pid)) !== start) return false;
  try {
    process.kill(Number(pid), "SIGTERM");
  } catch {
    // It has ended in this moment, or is not ours to end: who waits for it will see.
  }
  return true;
}
