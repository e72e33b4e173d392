/** Files below a root that are reached through no link: looked at, put in the place of exactly one content, taken away. */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { ReplaceableFile } from "../../engine/ports/archives.ts";
import { sha256 } from "../../format/sha256.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { inFolder, type Folder } from "../files/replace/folder.ts";
import { linkInto, remove, statOf } from "../files/replace/leftover.ts";
import { openFile } from "../files/replace/open.ts";
import { create, writeAll } from "../files/replace/replace.ts";
import { syncFolder } from "../home/folders.ts";

export const NONE = "none";

export type ArchivedFile = { readonly root: string; readonly file: string };

/** Throws an Error where the way to it leads through a link, or it is no ordinary file. */
export function look(spot: ArchivedFile): ReplaceableFile {
  requirePlain(spot);
  const inside = inFolder(spot, (folder, name) => openFile(folder, name));
  const opened = inside.type === "done" ? inside.value : inside;
  if (opened.type === "refused") throw new Error(`${spot.file} ${opened.reason}`);
  if (opened.type === "missing") return { digest: NONE, bytes: undefined };
  return { digest: digestOf(opened.bytes), bytes: opened.bytes };
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

/** False where it is not `from` any more: then it is as it was. */
export function put(spot: ArchivedFile, from: string, bytes: Uint8Array): boolean {
  requirePlain(spot);
  const isDone = within(spot, (folder, name) => {
    const aside = asideOf(name);
    remove(folder, aside);
    if (digestIn(folder, name) !== from) return false;
    write(folder, aside, { bytes, mode: statOf(folder, name)?.mode });
    failpoint("archive.before-put");
    const isPut = from === NONE ? linkInto(folder, aside, name) : exchange(folder, { name, aside, from });
    failpoint("archive.after-put");
    remove(folder, aside);
    folder.sync();
    return isPut;
  });
  syncAbove(spot);
  return isDone;
}

/** False where it is not `from` any more. */
export function takeAway(spot: ArchivedFile, from: string): boolean {
  requirePlain(spot);
  return within(spot, (folder, name) => {
    remove(folder, asideOf(name));
    if (digestIn(folder, name) !== from) return false;
    failpoint("archive.before-take");
    remove(folder, name);
    folder.sync();
    failpoint("archive.after-take");
    return true;
  });
}

/** What somebody who died has left beside it. */
export function tidy(spot: ArchivedFile): void {
  inFolder(spot, (folder, name) => remove(folder, asideOf(name)));
}

/** Whoever writes into the old file at this very moment is noticed, and has it back. */
function exchange(
  folder: Folder,
  of: { readonly name: string; readonly aside: string; readonly from: string },
): boolean {
  const { name, aside, from } = of;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = unless(["ENOENT", "ELOOP"], () => openSync(folder.at(name), flags));
  if (fd === undefined) return false;
  try {
    const { ino, mode } = fstatSync(fd, { bigint: true });
    if (digestOf(bytesIn(fd)) !== from || statOf(folder, name)?.ino !== ino) return false;
    renameSync(folder.at(aside), folder.at(name));
    const left = bytesIn(fd);
    if (digestOf(left) === from) return true;
    write(folder, aside, { bytes: left, mode });
    renameSync(folder.at(aside), folder.at(name));
    return false;
  } finally {
    closeSync(fd);
  }
}

function bytesIn(fd: number): Uint8Array {
  const { size } = fstatSync(fd);
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, length);
  return bytes.subarray(0, length);
}

function write(
  folder: Folder,
  entry: string,
  { bytes, mode }: { readonly bytes: Uint8Array; readonly mode: bigint | undefined },
): void {
  failpoint("archive.before-write");
  create(folder, entry, (fd) => {
    fchmodSync(fd, mode === undefined ? folder.mode & 0o666 : Number(mode & 0o7777n));
    writeAll(fd, bytes);
  });
  failpoint("archive.after-write");
}

function digestIn(folder: Folder, name: string): string {
  const opened = openFile(folder, name);
  if (opened.type === "refused") throw new Error(`${folder.path}/${name} ${opened.reason}`);
  return opened.type === "missing" ? NONE : digestOf(opened.bytes);
}

/** Always the same, so that whoever comes next finds it. */
function asideOf(name: string): string {
  return `.${name}.signalbox-archive`;
}

function within<T>(spot: ArchivedFile, use: (folder: Folder, name: string) => T): T {
  const inside = inFolder({ ...spot, make: "below" }, use);
  if (inside.type === "done") return inside.value;
  throw new Error(`${spot.file} ${inside.type === "missing" ? "has no folder" : inside.reason}`);
}

/** Step by step: every folder on the way is one, and no link to one. */
export function requirePlain({ root, file }: ArchivedFile): void {
  let path = root;
  for (const name of file.split("/").slice(0, -1)) {
    path = join(path, name);
    const stat = unless(["ENOENT"], () => lstatSync(path));
    if (stat === undefined) return;
    if (!stat.isDirectory()) throw new Error(`${file} stands below ${path}, which is no folder of its own`);
  }
}

/** Folders that were made on the way. */
function syncAbove({ root, file }: ArchivedFile): void {
  for (let path = dirname(file); path !== "."; path = dirname(path)) syncFolder(join(root, dirname(path)));
}
