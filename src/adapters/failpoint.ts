/**
 * Named places where tests end this process, so that every crash can be tried.
 *
 * `SIGNALBOX_FAILPOINT=name` (or `name:3`, the third time it is reached) kills with SIGKILL: nothing gets a chance to tidy up.
 * `SIGNALBOX_FAILPOINT_LOG` names a file that says so first: a test that never gets there proves nothing.
 */

import { appendFileSync } from "node:fs";

/** Every durable operation and every effect has one before and one after it. */
export type Failpoint = `${string}.${string}`;

const [wanted = "", count = "1"] = (process.env["SIGNALBOX_FAILPOINT"] ?? "").split(":");
let left = Number(count);

export function failpoint(name: Failpoint): void {
  if (name !== wanted) return;
  left -= 1;
  if (left > 0) return;
  const log = process.env["SIGNALBOX_FAILPOINT_LOG"];
  if (log !== undefined) appendFileSync(log, `${name}\n`);
  process.kill(process.pid, "SIGKILL");
}
