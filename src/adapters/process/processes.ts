/** Processes that outlive us, each under a shim of a few lines of shell: `bin/shim.sh`. */

import { readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Process, Processes } from "../../engine/ports.ts";
import { failpoint } from "../failpoint.ts";
import type { Home } from "../home/paths.ts";
import { endAll } from "./end.ts";
import { claim, identityIn, LOG, makePrivate, probeFolder, writeExit } from "./folder.ts";
import { launchShim } from "./launch.ts";
import { rotateLog } from "./log.ts";

export type On = {
  readonly home: Home;
  /** Between asking to end and ending. */
  readonly graceMs?: number;
  /** How long a launch waits for its shim to be seen. */
  readonly launchMs?: number;
  /** How long a claim is believed without looking for its shim. */
  readonly startingMs?: number;
  readonly logBytesMax?: number;
};

/** As if by SIGKILL. */
const KILLED = 137;

export function shimProcesses(on: On): Processes {
  const { home, graceMs = 3000, launchMs = 5000, startingMs = 2000, logBytesMax = 8 * 1024 * 1024 } = on;
  const probe = (dir: string): Process => {
    const folder = realOf(dir);
    return folder === undefined ? { type: "absent" } : probeFolder(folder, startingMs);
  };
  return {
    probe,
    async launch(launch) {
      for (const folder of [home.exits, home.pokes, launch.dir]) makePrivate(folder);
      return launchShim({ ...launch, dir: realpathSync(launch.dir) }, { home, launchMs, startingMs });
    },
    async kill({ dir }) {
      const before = probe(dir);
      makePrivate(dir);
      const folder = realpathSync(dir);
      failpoint("process.before-kill");
      // A shim that comes later finds the claim and leaves.
      claim(folder);
      await endAll({ folder, graceMs, leader: () => identityIn(folder) });
      failpoint("process.after-kill");
      // What was lost before stays lost: whoever asks again must still learn that it was not us.
      if (before.type !== "lost") writeExit(folder, KILLED);
    },
    reported() {
      const ids = namesIn(home.exits);
      failpoint("process.before-forget");
      for (const id of ids) rmSync(join(home.exits, id), { force: true });
      failpoint("process.after-forget");
      return ids;
    },
    rotate(dir) {
      rotateLog(join(dir, LOG), logBytesMax);
    },
  };
}

function realOf(dir: string): string | undefined {
  try {
    return realpathSync(dir);
  } catch {
    // Nobody has made it.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The first launch makes it.
    return [];
  }
}
