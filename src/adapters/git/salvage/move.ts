/** Moves a file or folder without overwriting anything: by its name, or as a durable copy where it goes to another disk. */

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { codeOf, unless } from "../../files/errno.ts";
import { makeFolder } from "../../home/folders.ts";
import type { Git } from "../workspace/bench.ts";

export type QuarantineRequest = { readonly from: string; readonly name: string; readonly why: string };

/** Moves what cannot be used to the quarantine, with the reason beside it. */
export function quarantine({ home }: Pick<Git, "home">, { from, name, why }: QuarantineRequest): string {
  makeFolder(home.quarantine);
  const path = join(home.quarantine, moveInto(from, home.quarantine, name));
  writeFileSync(`${path}.reason.txt`, `${from}\n${why}\n`, { mode: 0o600 });
  return path;
}

/** Gives the name that it has there. */
export function moveInto(from: string, folder: string, name: string): string {
  const free = freeName(folder, name);
  rename(from, join(folder, free));
  sync(folder);
  return free;
}

/** A name that nothing has in the folder. */
export function freeName(folder: string, name: string): string {
  for (let number = 0; ; number += 1) {
    const free = number === 0 ? name : `${name}~${number}`;
    if (unless(["ENOENT"], () => lstatSync(join(folder, free))) === undefined) return free;
  }
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    copyAcross(from, to);
  }
}

/** Pipes and sockets hold nothing, and are left out. */
function copyAcross(from: string, to: string): void {
  const aside = `${to}.${process.pid}.part`;
  const copied: Copied = { files: 0, left: [] };
  copyOver(Buffer.from(from), Buffer.from(aside), copied);
  const unread = copied.left.find((what) => /\(E[A-Z]+\)$/.test(what));
  if (unread !== undefined) throw new Error(`${from} cannot be moved to another disk: ${unread}`);
  syncAll(Buffer.from(aside));
  renameSync(aside, to);
  failpoint("workspace.after-copy");
  // Gone from its place at once: a crash must not leave a part of it there.
  const spare = `${from}.${process.pid}.moved`;
  renameSync(from, spare);
  rmSync(spare, { recursive: true });
}

function syncAll(path: Buffer): void {
  const stat = lstatSync(path);
  if (stat.isDirectory())
    for (const name of readdirSync(path, { encoding: "buffer" }))
      syncAll(Buffer.concat([path, Buffer.from("/"), name]));
  if (stat.isDirectory() || stat.isFile()) sync(path);
}

function sync(path: Buffer | string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

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
    symlinkSync(readlinkSync(from, { encoding: "buffer" }), freePath(to));
    copied.files += 1;
  } else if (stat.isFile()) {
    const free = freePath(to);
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
  const folder = isMerged ? to : freePath(to);
  if (!isMerged) mkdirSync(folder, { mode: 0o700 });
  copyInside(from, folder, { copied });
  // Only now: a folder may be closed to its owner, too.
  if (!isMerged) chmodSync(folder, stat.mode & 0o777);
}

function lookAt(path: Buffer): Stats | undefined {
  return unless(["ENOENT"], () => lstatSync(path));
}

function freePath(wanted: Buffer): Buffer {
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
