/** Moves a file or folder to where nothing is overwritten. Within a file system by its name alone; otherwise copied, whole and durable first. */

import {
  closeSync,
  cpSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { failpoint } from "../failpoint.ts";
import { codeOf, unless } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";

/** Gives the name that it has there. */
export function moveInto(from: Buffer, folder: string, name: string): string {
  const parent = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
  const above = parent === "" ? Buffer.from(folder) : bytePath(folder, parent);
  mkdirSync(above, { recursive: true, mode: 0o700 });
  const free = freeName(folder, name);
  failpoint("workspace.before-keep");
  rename(from, bytePath(folder, free));
  sync(above);
  failpoint("workspace.after-keep");
  return free;
}

function freeName(folder: string, name: string): string {
  for (let number = 0; ; number += 1) {
    const free = number === 0 ? name : `${name}~${number}`;
    if (unless(["ENOENT"], () => lstatSync(bytePath(folder, free))) === undefined) return free;
  }
}

function rename(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    copyAcross(from, to);
  }
}

function copyAcross(from: Buffer, to: Buffer): void {
  const aside = Buffer.concat([to, Buffer.from(`.${process.pid}.part`)]);
  // Names that are no UTF-8 cannot be given to cpSync: refused there, with everything as it was.
  cpSync(from.toString(), aside.toString(), {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    errorOnExist: true,
  });
  syncAll(aside);
  renameSync(aside, to);
  failpoint("workspace.after-copy");
  rmSync(from, { recursive: true });
}

function syncAll(path: Buffer): void {
  const stat = lstatSync(path);
  if (stat.isDirectory())
    for (const name of readdirSync(path, { encoding: "buffer" }))
      syncAll(Buffer.concat([path, Buffer.from("/"), name]));
  if (stat.isDirectory() || stat.isFile()) sync(path);
}

export function sync(path: Buffer | string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
