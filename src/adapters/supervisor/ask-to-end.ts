/** Asks the supervisor to leave: it finishes what it is at, and nothing that it started ends with it. */

import type { Home } from "../home/paths.ts";
import { startOf } from "../process/table.ts";
import { supervisorSaid } from "./said.ts";

/** Whether there was somebody to ask. A pid alone may be another process by now; with its start time it may not. */
export function askToEnd(home: Home): boolean {
  const { pid, start } = supervisorSaid(home);
  if (!/^\d+$/.test(pid) || startOf(Number(pid)) !== start) return false;
  try {
    process.kill(Number(pid), "SIGTERM");
  } catch {
    // It has ended in this moment, or is not ours to end: who waits for it will see.
  }
  return true;
}
