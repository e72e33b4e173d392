/** Names of files are bytes, not text: within this folder a name that came from git or the disk has one character for each byte. */

import { sep } from "node:path";

export function bytePath(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(folder + sep), Buffer.from(name, "latin1")]);
}

export function nameOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}
