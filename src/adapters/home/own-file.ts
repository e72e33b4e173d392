/**
 * Files of ours, read as if somebody else had put them there: every agent of the same user could have.
 *
 * A pipe never ends, a link leads elsewhere, and a large file fills the memory of whoever reads it: only an ordinary file of a
 * bounded size is opened, and nothing here waits.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "../files/errno.ts";

export type OwnFile =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "missing" }
  /** It is there, and it is nothing that we have written. */
  | { readonly type: "odd"; readonly reason: string };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const BYTES_MAX = 16 * 1024 * 1024;

export function readOwn(file: string, bytesMax: number = BYTES_MAX): OwnFile {
  const opened = openOwn(file, O_RDONLY);
  if (opened.type !== "open") return opened;
  try {
    const { size } = fstatSync(opened.fd);
    if (size > bytesMax)
      return { type: "odd", reason: `${file} is larger than ${bytesMax} bytes (it has ${size})` };
    return { type: "text", text: textIn(opened.fd, bytesMax) };
  } finally {
    closeSync(opened.fd);
  }
}

/** The text, or nothing where there is none that we could have written. */
export function textOfOwn(file: string, bytesMax?: number): string | undefined {
  const read = readOwn(file, bytesMax);
  return read.type === "text" ? read.text : undefined;
}

/** Its JSON; undefined where the file is missing, is not ours, or is damaged. */
export function jsonOfOwn(file: string): unknown {
  try {
    return JSON.parse(textOfOwn(file) ?? "");
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

type Open = { readonly type: "open"; readonly fd: number } | Exclude<OwnFile, { readonly type: "text" }>;

/** Opens an ordinary file, without waiting and without following a link. */
export function openOwn(file: string, flags: number): Open {
  let fd: number;
  try {
    fd = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return { type: "missing" };
    const what = code === "ELOOP" ? "is a symbolic link" : `cannot be opened (${code})`;
    return { type: "odd", reason: `${file} ${what}` };
  }
  if (fstatSync(fd).isFile()) return { type: "open", fd };
  closeSync(fd);
  return { type: "odd", reason: `${file} is no ordinary file` };
}

function textIn(fd: number, bytesMax: number): string {
  const parts: Buffer[] = [];
  for (let length = 0; length < bytesMax;) {
    const part = Buffer.allocUnsafe(Math.min(65_536, bytesMax - length));
    const read = readSync(fd, part, 0, part.length, length);
    if (read === 0) break;
    parts.push(part.subarray(0, read));
    length += read;
  }
  return Buffer.concat(parts).toString("utf8");
}
