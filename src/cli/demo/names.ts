/** Which workflows have a demo: those with a folder of their own in `demos`. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../adapters/library/package.ts";

export function demosFolder(): string {
  return join(packageRoot(), "demos");
}

export function demoNames(): readonly string[] {
  const all = demosFolder();
  return readdirSync(all)
    .filter((name) => existsSync(join(all, name, "demo.json")))
    .toSorted();
}
