/**
 * Starting a shim, which starts the program.
 *
 * Everybody may try at any time: only the shim that makes the claim starts anything. What we add to that is not to start a
 * shim in vain, and to wait until there is something to see.
 */

import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Launch, Process } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import type { Home } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";
import type { Children } from "./children.ts";
import { SHIM } from "./folder.ts";
import { markerOf } from "./marker.ts";

type Shim = { hasEnded: boolean; error: Error | undefined };

type On = {
  readonly home: Home;
  readonly children: Children;
  readonly launchMs: number;
  readonly probe: (dir: string) => Process;
};

/** Variables of the shell itself: it would change them, or trip over them. */
const OF_SHELLS = new Set(["IFS", "OPTIND", "PPID", "PS1", "PS2", "PS4", "LINENO", "OLDPWD", "SHLVL", "_"]);
const POLL_MS_MAX = 40;

export async function launchShim(launch: Launch, on: On): Promise<Process> {
  const { dir } = launch;
  let seen = on.probe(dir);
  if (isSettled(seen)) return seen;
  const shim = seen.type === "absent" ? start(launch, on) : undefined;
  const giveUpAt = performance.now() + on.launchMs;
  for (let wait = 2; performance.now() < giveUpAt; wait = Math.min(wait * 2, POLL_MS_MAX)) {
    await pause(wait);
    const hasEnded = shim?.hasEnded === true;
    if (shim?.error !== undefined) throw new Error(`cannot start ${launch.id}`, { cause: shim.error });
    seen = on.probe(dir);
    if (isSettled(seen)) return seen;
    if (seen.type === "absent" && hasEnded) throw new Error(`the folder ${dir} cannot be claimed`);
  }
  return { type: "starting" };
}

function isSettled(seen: Process): boolean {
  return seen.type !== "absent" && seen.type !== "starting";
}

function start(launch: Launch, { home, children }: On): Shim {
  // Otherwise the error would be the same as for a missing shell.
  if (!statSync(launch.cwd).isDirectory()) throw new Error(`${launch.cwd} is no folder`);
  const stdin = launch.stdin === "" ? "/dev/null" : launch.stdin;
  const script = join(packageRoot(), "bin", SHIM);
  failpoint("process.before-spawn");
  const child = spawn(
    "/bin/sh",
    [script, launch.dir, home.exits, home.pokes, stdin, ...launch.argv],
    // Detached makes it the leader of a new session: it does not hear what happens to our group or our terminal.
    { cwd: launch.cwd, env: environmentOf(launch), detached: true, stdio: ["ignore", "pipe", "ignore"] },
  );
  failpoint("process.after-spawn");
  const shim: Shim = { hasEnded: false, error: undefined };
  child.once("exit", () => (shim.hasEnded = true));
  child.once("error", (error) => (shim.error = error));
  children.watch(launch.dir, child);
  child.unref();
  return shim;
}

/**
 * Goes through a shell, which knows only variables with proper names. PWD is the working folder: a shell would put it right
 * anyway, and most programs believe it.
 */
function environmentOf({ id, dir, cwd, env }: Launch): Record<string, string> {
  const handed = Object.entries(env).filter(
    ([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !OF_SHELLS.has(name),
  );
  const failing = process.env["SIGNALBOX_SHIM_FAILPOINT"];
  return {
    ...Object.fromEntries(handed),
    ...(failing === undefined ? {} : { SIGNALBOX_SHIM_FAILPOINT: failing }),
    ...markerOf({ id, folder: dir }),
    PWD: cwd,
  };
}
