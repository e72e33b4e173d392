/**
 * Copies files and folders over others, without replacing any of them and without following a link.
 *
 * A file that is in the way of a copy stays, and the copy gets another name. What cannot be copied is reported and left where it is.
 */

import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { codeOf, unless } from "../files/errno.ts";

export type Copied = {
  /** How many files and links. */
  files: number;
  /** What was left where it is, each with its reason. */
  readonly left: string[];
};

const SLASH = Buffer.from("/");
/** Reasons that concern one file: the others can still be copied. */
const OF_ONE_FILE = new Set(["EACCES", "EPERM", "ENAMETOOLONG", "ENOENT", "EIO"]);

export function copyOver(from: Buffer, to: Buffer, copied: Copied): void {
  try {
    copy(from, to, copied);
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (!OF_ONE_FILE.has(code)) throw error;
    copied.left.push(`${from.toString()} (${code})`);
  }
}

/** Everything in a folder but what is named. */
export function copyInside(
  from: Buffer,
  to: Buffer,
  on: { readonly copied: Copied; readonly without?: readonly string[] },
): void {
  for (const name of readdirSync(from, { encoding: "buffer" })) {
    if (on.without?.includes(name.toString("latin1")) === true) continue;
    copyOver(below(from, name), below(to, name), on.copied);
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SLASH, name]);
}

function copy(from: Buffer, to: Buffer, copied: Copied): void {
  const stat = lstatSync(from);
  if (stat.isDirectory()) {
    copyFolder(from, to, { stat, copied });
  } else if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, { encoding: "buffer" }), freeName(to));
    copied.files += 1;
  } else if (stat.isFile()) {
    const free = freeName(to);
    copyFileSync(from, free, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    utimesSync(free, stat.atime, stat.mtime);
    copied.files += 1;
  } else copied.left.push(`${from.toString()} (${kindOf(stat)})`);
}

function copyFolder(
  from: Buffer,
  to: Buffer,
  { stat, copied }: { readonly stat: Stats; readonly copied: Copied },
): void {
  const isMerged = lookAt(to)?.isDirectory() === true;
  const folder = isMerged ? to : freeName(to);
  if (!isMerged) mkdirSync(folder, { mode: 0o700 });
  copyInside(from, folder, { copied });
  // Only now: a folder may be closed to its owner, too.
  if (!isMerged) chmodSync(folder, stat.mode & 0o777);
}

function lookAt(path: Buffer): Stats | undefined {
  return unless(["ENOENT"], () => lstatSync(path));
}

function freeName(wanted: Buffer): Buffer {
  for (let number = 1; ; number += 1) {
    const name =
      number === 1 ? wanted : Buffer.concat([wanted, Buffer.from(number === 2 ? "~kept" : `~kept${number}`)]);
    if (lookAt(name) === undefined) return name;
  }
}

function kindOf(stat: Stats): string {
  if (stat.isSocket()) return "a socket";
  return stat.isFIFO() ? "a pipe" : "a device";
}
