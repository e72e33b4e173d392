/** Folders and files that only their owner may see, whatever the umask says. */

import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { newName } from "./new-name.ts";
import { whyNotWritten } from "./reasons.ts";

const FOLDER = 0o700;
const FILE = 0o600;
const OTHERS = 0o077;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Makes the folder and those above it that are missing. One that is there and open to others is closed to them. */
export function makeFolder(path: string): void {
  makeStepwise(path);
  const { mode } = statSync(path);
  // A umask may also have taken away what the owner needs.
  if ((mode & 0o777) !== FOLDER) chmodSync(path, FOLDER);
}

/**
 * Step by step: where a folder is there and takes no new name, as in /proc, making all of them at once never ends.
 */
function makeStepwise(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeStepwise(above);
  try {
    mkdirSync(path, { mode: FOLDER });
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) === "EEXIST" && isFolder(path)) return;
    throw notMade(path, error);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    // Told of what is above it.
    if (codeOf(error) === "ENOTDIR") return false;
    throw notMade(path, error);
  }
}

function notMade(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const why = code === "ENOENT" ? `${dirname(path)} is not writable` : whyNotWritten(code);
  return new UserError("not-made", `cannot create ${path}: ${why}`, {
    next: `ls -ld ${dirname(path)}`,
    exit: code === "ENOSPC" || code === "EDQUOT" ? EXIT_FAILED : EXIT_USAGE,
  });
}

/** A new, empty file; fails where there is one. */
export function makeFile(path: string): void {
  const file = openSync(path, "wx", FILE);
  fchmodSync(file, FILE);
  closeSync(file);
}

/** Takes away what others may do with a file of ours. */
export function closeToOthers(path: string, mode: number): void {
  if ((mode & OTHERS) !== 0) chmodSync(path, FILE);
}

/** The whole text or what was there before, also after a crash. */
export function writePrivate(path: string, text: string): void {
  // A name that nobody knows, for a file that nobody has made: a pipe would keep us for ever.
  const aside = `${path}.${process.pid}.${newName()}.new`;
  const file = openSync(aside, "wx", FILE);
  try {
    fchmodSync(file, FILE);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
  syncFolder(dirname(path));
}

/** A new name is durable when its folder is. */
export function syncFolder(path: string): void {
  sync(path);
}

/** For a file that was copied: its mode, and its bytes. */
export function syncFile(path: string): void {
  chmodSync(path, FILE);
  sync(path);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
