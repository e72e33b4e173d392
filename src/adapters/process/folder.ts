/**
 * The folder of a job: what its shim wrote there, and what that says about the process.
 *
 * `claim/` comes first, then `pid`, `out.log`, `exit`; what does not end with a line is not there. The program could write there as well, so that nothing in
 * the folder says that a job has ended while its shim lives.
 */

import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Process } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import { codeOf } from "../files/errno.ts";
import { newName } from "../home/new-name.ts";
import { textOfOwn } from "../home/own-file.ts";
import { markOf } from "./marker.ts";
import { bootId, processTable, startOf } from "./table.ts";

/** Which process a shim is. */
export type ProcessIdentity = { readonly pid: number; readonly start: string; readonly boot: string };

export const LOG = "out.log";
export const SHIM = "shim.sh";

const PID_BYTES_MAX = 256;
const EXIT_BYTES_MAX = 4;

export function probeFolder(dir: string, startingMs: number): Process {
  const shim = identityIn(dir);
  if (shim === undefined) return withoutPid(dir, startingMs);
  if (shim.boot === bootId() && startOf(shim.pid) === shim.start) return aliveIn(dir, shim.pid);
  // Whoever could write the pid could have written another one.
  const pid = liveShim(dir);
  return pid === undefined ? endIn(dir, shim.boot !== bootId()) : aliveIn(dir, pid);
}

export function identityIn(dir: string): ProcessIdentity | undefined {
  const [pid = "", start = "", boot = "", end] =
    textOfOwn(join(dir, "pid"), PID_BYTES_MAX)?.split("\n") ?? [];
  if (!/^[1-9]\d*$/.test(pid) || start === "" || boot === "" || end !== "") return undefined;
  return { pid: Number(pid), start: start.trim().split(/\s+/).join(" "), boot };
}

/** Whether we made the claim; false where it was there. */
export function claim(dir: string): boolean {
  failpoint("process.before-claim");
  try {
    mkdirSync(join(dir, "claim"), { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  failpoint("process.after-claim");
  return true;
}

/** Says how it ended for a shim that could not. What a shim wrote stays. */
export function writeExit(dir: string, code: number): void {
  const whole = join(dir, `exit.${process.pid}.${newName()}.new`);
  writeFileSync(whole, `${code}\n`, { mode: 0o600, flag: "wx" });
  failpoint("process.before-exit");
  try {
    linkSync(whole, join(dir, "exit"));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // Of a shim that was killed over its last word.
    if (exitIn(dir) === undefined) replaceExit(dir, whole);
  }
  rmSync(whole, { force: true });
  failpoint("process.after-exit");
}

function replaceExit(dir: string, whole: string): void {
  dropExit(dir);
  renameSync(whole, join(dir, "exit"));
}

/** Takes away an exit status that no shim has written. */
export function dropExit(dir: string): void {
  rmSync(join(dir, "exit"), { recursive: true, force: true });
}

/** The status that is written there: digits in a small file, or nothing. */
export function exitIn(dir: string): number | undefined {
  const text = textOfOwn(join(dir, "exit"), EXIT_BYTES_MAX) ?? "";
  return /^\d{1,3}\n$/.test(text) ? Number(text) : undefined;
}

/** Makes a folder that is ours alone, whatever the umask is. */
export function makePrivate(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if ((statSync(dir).mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
}

export function aliveIn(dir: string, pid: number): Process {
  return { type: "alive", pid, outputAt: outputAt(dir) };
}

/** Of a shim that is gone. */
export function endIn(dir: string, infrastructure: boolean): Process {
  const code = exitIn(dir);
  return code === undefined ? { type: "lost", infrastructure } : { type: "ended", code };
}

/**
 * A claim without a pid: a shim that has only begun, or one that was killed then. The shim carries the mark, so it is looked for;
 * not at once, because that costs more than everything else here.
 */
function withoutPid(dir: string, startingMs: number): Process {
  const claimed = lstatSync(join(dir, "claim"), { throwIfNoEntry: false });
  if (claimed === undefined) return { type: "absent" };
  const age = Date.now() - claimed.mtimeMs;
  const hasExit = exitIn(dir) !== undefined;
  if (!hasExit && age >= 0 && age < startingMs) return { type: "starting" };
  const pid = liveShim(dir);
  if (pid !== undefined) return aliveIn(dir, pid);
  // It may have got further between the two looks; then it is no longer without a pid.
  if (identityIn(dir) !== undefined) return probeFolder(dir, startingMs);
  // What was written last is lost when the power is: a claim from before this boot says nothing about the program.
  const bootedAt = Date.now() - uptime() * 1000;
  return endIn(dir, claimed.mtimeMs < bootedAt - 1000);
}

/** The shim of this folder among all processes: it leads a session, and was started with the folder. */
function liveShim(dir: string): number | undefined {
  const mark = markOf(dir);
  const words = dir.split(" ");
  const isShim = (command: readonly string[]): boolean =>
    command[1]?.endsWith(`/${SHIM}`) === true &&
    (command[2] === dir || words.every((word, at) => command[at + 2] === word));
  return processTable().find(
    (seen) => seen.mark === mark && seen.pid === seen.session && isShim(seen.command),
  )?.pid;
}

function outputAt(dir: string): number {
  const log = lstatSync(join(dir, LOG), { throwIfNoEntry: false });
  return (log ?? lstatSync(join(dir, "pid"), { throwIfNoEntry: false }))?.mtimeMs ?? 0;
}
