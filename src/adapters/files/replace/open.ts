/**
 * The bytes of a file that anybody may have put there: opened once, and only if it is an ordinary file of its own.
 *
 * A link may lead out of the workspace, a pipe never ends, a second name may be somebody else's file.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { codeOf, unless } from "../errno.ts";
import type { Folder } from "./folder.ts";
import { isUnderWay, mend, statOf } from "./leftover.ts";

export type Opened =
  | { readonly type: "bytes"; readonly bytes: Uint8Array; readonly stat: BigIntStats }
  | { readonly type: "missing" }
  | { readonly type: "refused"; readonly reason: string };

/** The largest text that any reader takes. */
const FILE_BYTES_MAX = 1024 * 1024;
const TRIES_MAX = 50;
const WAIT_MS = 2;
const TICK_MS = 20;
/** So many looks in a row at which nobody is at work: then it is as it seems. */
const CALM = 3;

export function openFile(folder: Folder, name: string): Opened {
  let calm = 0;
  for (let tries = 1; ; tries += 1) {
    const opened = openOnce(folder, name);
    if (opened.type === "bytes" || opened.type === "refused") return opened;
    const isOurs = opened.type === "missing" || opened.isDoubled;
    // Somebody is replacing the file right now, or died while doing so; or has just finished, and a second look tells.
    const isUnder = isOurs && isUnderWay(folder, name);
    calm = isOurs && !isUnder ? calm + 1 : 0;
    if (tries >= TRIES_MAX || calm >= CALM)
      return opened.type === "missing" ? opened : { type: "refused", reason: opened.reason };
    if (isUnder) repair(folder, name, tries === TRIES_MAX - 1);
    if (calm === 0) wait(WAIT_MS);
  }
}

function repair(folder: Folder, name: string, force: boolean): void {
  // A folder that must not be written to is read as it is.
  unless(["EACCES", "EROFS", "EPERM"], () => mend(folder, name, { force, isReader: true }));
}

type Again = { readonly type: "again"; readonly reason: string; readonly isDoubled: boolean };

function openOnce(folder: Folder, name: string): Opened | Again {
  const seen = unless(["ENAMETOOLONG"], () => statOf(folder, name));
  if (seen === undefined) return { type: "missing" };
  const doubt = doubtOf(seen);
  if (doubt !== undefined) return doubt;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return readOpen(openSync(folder.at(name), flags), seen);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { type: "missing" };
    if (code === "ELOOP") return { type: "refused", reason: LINK };
    if (code === undefined) throw error;
    return { type: "refused", reason: `cannot be read (${code})` };
  }
}

function readOpen(fd: number, seen: BigIntStats): Opened | Again {
  try {
    const before = fstatSync(fd, { bigint: true });
    const doubt = doubtOf(before);
    if (doubt !== undefined) return doubt;
    const bytes = bytesOf(fd, Number(before.size));
    // The clock of a file system is coarse: within one of its ticks, only a second look tells.
    const isFresh = Math.abs(Date.now() - Number(before.mtimeMs)) < TICK_MS;
    const isTorn = isFresh && Buffer.compare(bytes, bytesOf(fd, Number(before.size))) !== 0;
    const after = fstatSync(fd, { bigint: true });
    const isSame = after.size === before.size && after.mtimeNs === before.mtimeNs && seen.ino === before.ino;
    if (isTorn || !isSame || BigInt(bytes.length) !== before.size)
      return { type: "again", reason: "changes while it is read", isDoubled: false };
    return { type: "bytes", bytes, stat: before };
  } finally {
    closeSync(fd);
  }
}

/** One byte more than there should be: a file that has grown is noticed. */
function bytesOf(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, { offset: length, position: length });
  return bytes.subarray(0, length);
}

const LINK = "is a symbolic link, which is not followed";

function doubtOf(stat: BigIntStats): Opened | Again | undefined {
  if (stat.isSymbolicLink()) return { type: "refused", reason: LINK };
  if (stat.isDirectory()) return { type: "refused", reason: "is a folder" };
  if (stat.isFIFO()) return { type: "refused", reason: "is a pipe" };
  if (!stat.isFile()) return { type: "refused", reason: "is no ordinary file" };
  if (stat.size > FILE_BYTES_MAX)
    return { type: "refused", reason: `is larger than ${FILE_BYTES_MAX} bytes (it has ${stat.size})` };
  if (stat.nlink === 1n) return undefined;
  const reason = `has ${stat.nlink} names (hard links), so that it may be a file of another place`;
  return { type: "again", reason, isDoubled: true };
}

/** Waits without giving way: these are milliseconds, and nothing else of this process is to happen in between. */
export function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
