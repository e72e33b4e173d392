/** Ends the supervisor, for who must have the state home to itself. It is harmless: the next command starts another one. */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { writePrivate } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";
import { startOf } from "../process/table.ts";
import { isSupervisorAlive, takeSupervisorLock, type SupervisorLock } from "./lock.ts";

const PATIENCE_MS = 10_000;

/** Said by the supervisor itself. A pid alone may be another process by now; with its start time it may not. */
export function writePid(home: Home): void {
  writePrivate(pidFile(home), `${process.pid} ${startOf(process.pid) ?? ""}\n`);
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

function askToEnd(home: Home): boolean {
  const [pid = "", ...start] = (textOf(pidFile(home)) ?? "").trim().split(" ");
  if (!/^\d+$/.test(pid) || startOf(Number(pid)) !== start.join(" ")) return false;
  try {
    process.kill(Number(pid), "SIGTERM");
  } catch {
    // It has ended in this moment.
  }
  return true;
}

function pidFile({ root }: Home): string {
  return `${root}/supervisor.pid`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A supervisor that has not said who it is cannot be asked.
    return undefined;
  }
}
