/**
 * Starting a shim, which starts the program.
 *
 * Everybody may try at any time: only the shim that makes the claim starts anything. What we add to that is not to start a
 * shim in vain, and to wait until there is something to see.
 */

import { spawn } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Launch, Process, Window } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import type { Env, Home } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";
import { removeEarlier } from "../terminal/close.ts";
import type { Holds } from "../terminal/hold.ts";
import { openWindow } from "../terminal/open.ts";
import type { Children } from "./children.ts";
import { identityIn, SHIM } from "./folder.ts";
import { markerOf } from "./marker.ts";
import { startOf } from "./table.ts";

/** What was begun, until its claim is seen. */
type StartedShim = {
  /** Comes when it has claimed, or cannot any more; not all can say so. */
  readonly word?: Promise<void>;
  hasEnded(): boolean;
  error(): Error | undefined;
  settle(): Promise<void>;
};

type LaunchContext = {
  readonly home: Home;
  readonly env: Env;
  readonly children: Children;
  readonly holds: Holds;
  readonly launchMs: number;
  readonly probe: (dir: string) => Process;
};

/** Variables of the shell itself: it would change them, or trip over them. */
const OF_SHELLS = new Set(["IFS", "OPTIND", "PPID", "PS1", "PS2", "PS4", "LINENO", "OLDPWD", "SHLVL", "_"]);
const POLL_MS_MAX = 40;

export async function launchShim(launch: Launch, on: LaunchContext): Promise<Process> {
  const { dir } = launch;
  let seen = on.probe(dir);
  if (isSettled(seen)) return seen;
  const begun = seen.type === "absent" ? await begin(launch, on) : undefined;
  const giveUpAt = performance.now() + on.launchMs;
  if (begun?.word !== undefined) await within(on.launchMs, begun.word);
  for (let wait = 2; performance.now() < giveUpAt; wait = Math.min(wait * 2, POLL_MS_MAX)) {
    const hasEnded = begun?.hasEnded() === true;
    const error = begun?.error();
    if (error !== undefined) throw new Error(`cannot start ${launch.id}`, { cause: error });
    seen = on.probe(dir);
    if (isSettled(seen)) {
      await begun?.settle();
      return seen;
    }
    if (seen.type === "absent" && hasEnded) throw new Error(`the folder ${dir} cannot be claimed`);
    await pause(wait);
  }
  return { type: "starting" };
}

async function within(ms: number, word: Promise<void>): Promise<void> {
  const heard = new AbortController();
  const late = pause(ms, undefined, { signal: heard.signal }).catch(() => undefined);
  await Promise.race([word, late]);
  heard.abort();
}

function isSettled(seen: Process): boolean {
  return seen.type !== "absent" && seen.type !== "starting";
}

function begin(launch: Launch, on: LaunchContext): StartedShim | Promise<StartedShim> {
  // Otherwise the error would be the same as for a missing shell.
  if (!statSync(launch.cwd).isDirectory()) throw new Error(`${launch.cwd} is no folder`);
  return launch.terminal === undefined ? spawnShim(launch, on) : beginInWindow(launch, launch.terminal, on);
}

function spawnShim(launch: Launch, on: LaunchContext): StartedShim {
  const argv = shimOf(launch, on.home, launch.stdin === "" ? "/dev/null" : launch.stdin);
  failpoint("process.before-spawn");
  // Detached makes it the leader of a new session: it does not hear what happens to our group or our terminal.
  const child = spawn("/bin/sh", argv, {
    cwd: launch.cwd,
    env: environmentOf(launch),
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  failpoint("process.after-spawn");
  let hasEnded = false;
  let failed: Error | undefined;
  child.once("exit", () => (hasEnded = true));
  child.once("error", (error) => (failed = error));
  const word = on.children.watch(launch.dir, child);
  child.unref();
  return { word, hasEnded: () => hasEnded, error: () => failed, settle: () => Promise.resolve() };
}

async function beginInWindow(
  launch: Launch,
  window: Window,
  { home, env, holds }: LaunchContext,
): Promise<StartedShim> {
  const on = { home, env };
  const shim = shimOf(launch, home, launch.stdin);
  const opened = await openWindow(on, { launch, window, env: environmentOf(launch), shim }, holds);
  return {
    hasEnded: () => startOf(opened.pid) === undefined,
    error: () => undefined,
    async settle() {
      const claimer = identityIn(launch.dir);
      const { pane, server } = opened;
      rmSync(opened.errand, { force: true });
      if (claimer?.pid === opened.pid) holds.keep(launch.dir, { pane, server, shim: claimer });
      await removeEarlier(on, window, holds.of(launch.dir)?.pane ?? opened.pane);
    },
  };
}

function shimOf(launch: Launch, home: Home, stdin: string): readonly string[] {
  const script = join(packageRoot(), "bin", SHIM);
  const out = launch.terminal === undefined ? "log" : "terminal";
  return [script, launch.dir, home.exits, stdin, out, ...launch.argv];
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
