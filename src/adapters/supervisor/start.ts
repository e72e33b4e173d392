/** Starts a supervisor that outlives whoever starts it. If there is one already, the new one finds the lock taken and leaves. */

import { spawn } from "node:child_process";
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { failpoint } from "../failpoint.ts";
import { makeFolder } from "../home/folders.ts";
import type { Env, Home } from "../home/paths.ts";
import { withoutMarker } from "../process/marker.ts";

export type Command = { readonly argv: readonly string[]; readonly env: Env };

const LOG_BYTES_MAX = 1024 * 1024;

export function startSupervisor(home: Home, { argv, env }: Command): void {
  const [program, ...rest] = argv;
  if (program === undefined) throw new Error("no program to start");
  makeFolder(home.root);
  const log = openLog(home.supervisorLog);
  failpoint("supervisor.before-spawn");
  // An agent's command may be the one that starts it: with the agent's marker it would be ended with the agent.
  const child = spawn(program, rest, {
    cwd: home.root,
    env: withoutMarker(env),
    detached: true,
    stdio: ["ignore", log, log],
  });
  failpoint("supervisor.after-spawn");
  child.once("spawn", () => closeSync(log));
  child.once("error", (error) => {
    writeSync(log, `cannot start the supervisor: ${error.message}\n`);
    closeSync(log);
  });
  child.unref();
}

function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}
