/**
 * The folder of a job: what its shim wrote there, and what that says about the process.
 *
 * `claim/` comes first, then `pid`, `out.log`, `exit`; each appears whole.
 */

import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Process } from "../../engine/ports.ts";
import { failpoint } from "../failpoint.ts";
import { bootId, processTable, startOf } from "./table.ts";

/** Which process a shim is. */
export type Identity = { readonly pid: number; readonly start: string; readonly boot: string };

export const LOG = "out.log";

export function probeFolder(dir: string, startingMs: number): Process {
  const early = exitIn(dir);
  if (early !== undefined) return { type: "ended", code: early };
  const shim = identityIn(dir);
  if (shim === undefined) return withoutPid(dir, startingMs);
  if (shim.boot !== bootId()) return { type: "lost", infrastructure: true };
  if (startOf(shim.pid) === shim.start) return { type: "alive", pid: shim.pid, outputAt: outputAt(dir) };
  // It may have written its last word between the two looks.
  const late = exitIn(dir);
  return late === undefined ? { type: "lost", infrastructure: false } : { type: "ended", code: late };
}

export function identityIn(dir: string): Identity | undefined {
  const [pid = "", start = "", boot = ""] = textOf(join(dir, "pid"))?.split("\n") ?? [];
  if (!/^[1-9]\d*$/.test(pid) || start === "" || boot === "") return undefined;
  return { pid: Number(pid), start: start.trim().split(/\s+/).join(" "), boot };
}

/** Whether we made the claim; false where it was there. */
export function claim(dir: string): boolean {
  failpoint("process.before-claim");
  try {
    mkdirSync(join(dir, "claim"), { mode: 0o700 });
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
  failpoint("process.after-claim");
  return true;
}

/** Says how it ended for a shim that could not. What a shim wrote stays. */
export function writeExit(dir: string, code: number): void {
  const whole = join(dir, `exit.${process.pid}.new`);
  writeFileSync(whole, `${code}\n`, { mode: 0o600 });
  failpoint("process.before-exit");
  try {
    linkSync(whole, join(dir, "exit"));
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  }
  rmSync(whole, { force: true });
  failpoint("process.after-exit");
}

/** Makes a folder that is ours alone, whatever the umask is. */
export function makePrivate(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if ((statSync(dir).mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
}

/**
 * A claim without a pid: a shim that has only begun, or one that was killed then. The shim carries the marker, so it is looked
 * for; not at once, because that costs more than everything else here.
 */
function withoutPid(dir: string, startingMs: number): Process {
  const claimed = statSync(join(dir, "claim"), { throwIfNoEntry: false });
  if (claimed === undefined) return { type: "absent" };
  const age = Date.now() - claimed.mtimeMs;
  if (age >= 0 && age < startingMs) return { type: "starting" };
  if (processTable().some(({ folder }) => folder === dir)) return { type: "starting" };
  // It may have got further between the two looks; then it is no longer without a pid, or it has ended.
  if (exitIn(dir) !== undefined || identityIn(dir) !== undefined) return probeFolder(dir, startingMs);
  // What was written last is lost when the power is: a claim from before this boot says nothing about the program.
  const bootedAt = Date.now() - uptime() * 1000;
  return { type: "lost", infrastructure: claimed.mtimeMs < bootedAt - 1000 };
}

function exitIn(dir: string): number | undefined {
  const text = textOf(join(dir, "exit"))?.trim() ?? "";
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function outputAt(dir: string): number {
  const log = statSync(join(dir, LOG), { throwIfNoEntry: false });
  return (log ?? statSync(join(dir, "pid"), { throwIfNoEntry: false }))?.mtimeMs ?? 0;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
