/** Looks at a process. Loaded only where there is one to look at. */

import { realpathSync } from "node:fs";
import { probeFolder } from "../../../adapters/process/folder.ts";
import type { Process } from "../../../engine/ports/process.ts";

/** How long a claim is believed before its shim is looked for. */
const STARTING_MS = 2000;

export function probe(dir: string): Process {
  let folder: string;
  try {
    folder = realpathSync(dir);
  } catch {
    // Nobody has made it.
    return { type: "absent" };
  }
  return probeFolder(folder, STARTING_MS);
}
