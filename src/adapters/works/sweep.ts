/** Takes away what whoever died in the middle of a write left behind. What somebody may still be writing stays. */

import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { startOf } from "../process/table.ts";

const OLD_MS = 3_600_000;
const SCRATCH = /^[a-z]+-\d+-/;

/** Only where ours leave such files, and not below: a look there must not take longer with every run. */
export function sweep(home: Home, now: number): void {
  for (const folder of [home.root, home.bin, home.exits, home.pokes])
    for (const name of namesIn(folder)) if (name.endsWith(".new")) drop(join(folder, name), now);
  const scratch = join(home.root, "tmp");
  for (const name of namesIn(scratch)) if (SCRATCH.test(name)) drop(join(scratch, name), now);
}

function drop(file: string, now: number): void {
  try {
    const isOld = now - lstatSync(file).mtimeMs >= OLD_MS;
    if (isOld && !isUsed(file)) rmSync(file, { recursive: true, force: true });
  } catch {
    // It is gone, or it is not ours to remove: nobody depends on that.
  }
}

/** Names tell who made them: `NAME.PID.CHANCE.new` and `git-PID-CHANCE`. */
function isUsed(file: string): boolean {
  const pid = /[.-](\d+)[.-][0-9a-f]+(?:\.new|\.lock)?$/.exec(file)?.[1];
  return pid !== undefined && startOf(Number(pid)) !== undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none.
    return [];
  }
}
