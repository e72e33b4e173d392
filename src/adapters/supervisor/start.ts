/** Starts a supervisor that outlives whoever starts it. If there is one already, the new one finds the lock taken and leaves. */

import { spawn } from "node:child_process";
import { closeSync, constants, lstatSync, renameSync, writeSync } from "node:fs";
import { isHandedOn } from "../../engine/agents/environment.ts";
import { failpoint } from "../failpoint.ts";
import { clearWay } from "../home/clear-way.ts";
import { makeFolder } from "../home/folders.ts";
import { openOwn } from "../home/own-file.ts";
import type { Env, Home } from "../home/paths.ts";

export type SupervisorCommand = { readonly argv: readonly string[]; readonly env: Env };

const LOG_BYTES_MAX = 1024 * 1024;
/** Where its home is, and where tests want it, or the shims it starts, to die. */
const OURS: ReadonlySet<string> = new Set([
  "SIGNALBOX_HOME",
  "SIGNALBOX_FAILPOINT",
  "SIGNALBOX_SHIM_FAILPOINT",
  "SIGNALBOX_FAILPOINT_LOG",
]);
const { O_APPEND, O_CREAT, O_WRONLY } = constants;

export function startSupervisor(home: Home, { argv, env }: SupervisorCommand): void {
  const [program, ...rest] = argv;
  if (program === undefined) throw new Error("no program to start");
  makeFolder(home.root);
  const log = openLog(home);
  failpoint("supervisor.before-spawn");
  // An agent's command may be the one that starts it: with the agent's mark it would be ended with the agent.
  const child = spawn(program, rest, {
    cwd: home.root,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => OURS.has(name) || isHandedOn(name, []))),
    detached: true,
    stdio: ["ignore", log ?? "ignore", log ?? "ignore"],
  });
  failpoint("supervisor.after-spawn");
  child.once("spawn", () => close(log));
  child.once("error", (error) => {
    if (log !== undefined) writeSync(log, `cannot start the supervisor: ${error.message}\n`);
    close(log);
  });
  child.unref();
}

/** Without a log it works as well. */
function openLog(home: Home): number | undefined {
  const file = home.supervisorLog;
  if ((lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  const opened = openOwn(file, O_WRONLY | O_APPEND | O_CREAT);
  if (opened.type === "open") return opened.fd;
  if (opened.type === "odd") clearWay(home, file, opened.reason);
  const again = openOwn(file, O_WRONLY | O_APPEND | O_CREAT);
  return again.type === "open" ? again.fd : undefined;
}

function close(log: number | undefined): void {
  if (log !== undefined) closeSync(log);
}
