/** The end of a log as a text, and a digest of it. A log that is no ordinary file says nothing. */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { openOwn } from "../home/own-file.ts";

/** So much is kept as an artifact. */
const OUTPUT_MAX = 256 * 1024;
/** So much of its end is digested: a file of any size takes no longer. */
const DIGEST_MAX = 64 * 1024 * 1024;

export function outputOf(file: string): { text: string; digest: string } {
  const hash = createHash("sha256");
  const opened = openOwn(file, constants.O_RDONLY);
  if (opened.type !== "open") {
    const text = opened.type === "missing" ? "" : `(${opened.reason})\n`;
    return { text, digest: `sha256:${hash.update(text).digest("hex")}` };
  }
  try {
    const { size } = fstatSync(opened.fd);
    if (size > DIGEST_MAX) hash.update(`${size}\n`);
    const buffer = Buffer.alloc(64 * 1024);
    for (let at = Math.max(0, size - DIGEST_MAX); at < size;) {
      const read = readSync(opened.fd, buffer, 0, Math.min(buffer.length, size - at), at);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      at += read;
    }
    const tail = Buffer.alloc(Math.min(size, OUTPUT_MAX));
    const length =
      tail.length === 0 ? 0 : readSync(opened.fd, tail, 0, tail.length, Math.max(0, size - OUTPUT_MAX));
    const cut = size > OUTPUT_MAX ? `(the first ${size - OUTPUT_MAX} bytes are left out)\n` : "";
    return {
      text: `${cut}${tail.subarray(0, length).toString("utf8")}`,
      digest: `sha256:${hash.digest("hex")}`,
    };
  } finally {
    closeSync(opened.fd);
  }
}
