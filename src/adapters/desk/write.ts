/** Writes a text whole or not at all, and never over what is there. */

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { codeOf } from "../files/errno.ts";
import { syncFolder } from "../home/folders.ts";
import { readOwn } from "../home/own-file.ts";

/** What is there stays, if it is a text. */
export function writeOnce(dir: string, name: string, text: string): void {
  const present = readOwn(join(dir, name));
  if (present.type === "odd") throw new Error(present.reason);
  if (present.type === "text") return;
  try {
    writeNew(dir, name, text);
  } catch (error) {
    // Somebody else was faster: theirs counts.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Fails with EEXIST where something is there. */
export function writeNew(dir: string, name: string, text: string): void {
  const temporary = join(dir, `.${name}.${randomBytes(6).toString("hex")}`);
  failpoint("desk.before-write");
  const handle = openSync(temporary, "wx", 0o600);
  try {
    let bytes = Buffer.from(text);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(handle, bytes));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, join(dir, name));
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dir);
  failpoint("desk.after-write");
}
