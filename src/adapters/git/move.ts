/** Moves a file or folder without overwriting anything: by its name, or as a durable copy where it goes to another disk. */

import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { codeOf, unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import { copyOver, type Copied } from "./copy-over.ts";
import type { On } from "./own.ts";

export type Quarantined = { readonly from: string; readonly name: string; readonly why: string };

/** Moves what cannot be used to the quarantine, with the reason beside it. */
export function quarantine({ home }: Pick<On, "home">, { from, name, why }: Quarantined): string {
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
