/** The human key: whether there is one, and what it is worth. */

import type { Env } from "../home/paths.ts";
import { viewKey } from "../person/key.ts";
import { keyPath } from "../person/key-file.ts";
import { looked, ok, type Finding } from "./finding.ts";

export function lookAtKey(env: Env): readonly Finding[] {
  return looked("human key", () => {
    const path = keyPath(env);
    const key = viewKey(path);
    if (key === undefined) return [ok("human key", `not there yet; made at ${path} when you first need it`)];
    if (key.tier === "prevented") return [ok("human key", `${path}, under a passphrase`)];
    return [
      ok(
        "human key",
        `${path}, for you alone; with a passphrase no agent could use it: signalbox key --passphrase`,
      ),
    ];
  });
}
