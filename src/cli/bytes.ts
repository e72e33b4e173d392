/** The bytes of a file or of the standard input, for whoever needs them before anything else is loaded. */

import { closeSync, openSync, readSync } from "node:fs";

/** More than anybody writes, and little enough to be held: what never ends is no text. */
export const BYTES_MAX = 16 * 1024 * 1024;

/** At most one byte more than is taken: pipes and devices have no size that could be asked for. */
export function bytesIn(file: string | undefined): Uint8Array {
  const fd = file === undefined ? 0 : openSync(file, "r");
  try {
    const parts: Uint8Array[] = [];
    for (let length = 0; length <= BYTES_MAX;) {
      const part = new Uint8Array(65_536);
      const read = readSync(fd, part);
      if (read === 0) break;
      parts.push(part.subarray(0, read));
      length += read;
    }
    return Buffer.concat(parts);
  } finally {
    if (file !== undefined) closeSync(fd);
  }
}
