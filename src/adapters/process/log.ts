/**
 * Keeps a log from growing for ever.
 *
 * The program has the file open, so it cannot be moved away: what it holds is copied, then the file is cut off in place; the
 * program goes on at its new end. What it writes in the moment between the two is lost; nothing else is.
 */

import {
  closeSync,
  constants,
  ftruncateSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { failpoint } from "../failpoint.ts";
import { newName } from "../home/new-name.ts";
import { openOwn } from "../home/own-file.ts";

const CHUNK_BYTES = 1024 * 1024;
/** How many times the limit is kept of a log that grew faster than anybody looked. */
const KEPT = 2;

export function rotateLog(log: string, bytesMax: number): void {
  const size = lstatSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytesMax) return;
  failpoint("process.before-rotate");
  const opened = openOwn(log, constants.O_RDWR);
  // What somebody has put in its place is not cut: it may be a way to a file of a person.
  if (opened.type !== "open") return;
  const from = opened.fd;
  const kept = `${log}.1.${newName()}.new`;
  const to = openSync(kept, "wx", 0o600);
  try {
    const at = copyOn(Math.max(0, fstatSync(from).size - KEPT * bytesMax), { from, to });
    renameSync(kept, `${log}.1`);
    failpoint("process.between-rotate");
    // Last, what was written while we copied.
    copyOn(at, { from, to });
    ftruncateSync(from, 0);
  } finally {
    closeSync(from);
    closeSync(to);
    rmSync(kept, { force: true });
  }
  failpoint("process.after-rotate");
}

function copyOn(start: number, { from, to }: { readonly from: number; readonly to: number }): number {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  // A program that writes faster than we copy does not keep us here for ever.
  const end = fstatSync(from).size + CHUNK_BYTES;
  let at = start;
  for (let read = -1; read !== 0 && at < end; at += read) {
    read = readSync(from, chunk, 0, chunk.length, at);
    for (let written = 0; written < read;) written += writeSync(to, chunk, written, read - written);
  }
  return at;
}
