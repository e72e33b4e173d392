/** The bytes of a file or of the standard input, for whoever needs them before anything else is loaded. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** More than anybody writes, and little enough to be held: what never ends is no text. */
export const BYTES_MAX = 16 * 1024 * 1024;

/** What reading says of a pipe that nobody writes to. */
export const NO_WRITER = "NO_WRITER";

const PAUSE_MS = 5;
/** How long somebody who writes to a pipe of ours may take to open it. */
const WRITER_MS = 300;

/** At most one byte more than is taken: pipes and devices have no size that could be asked for. */
export function bytesIn(file: string | undefined): Uint8Array {
  // Opening a pipe that nobody writes to would otherwise not come to an end.
  const fd = file === undefined ? 0 : openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const parts: Uint8Array[] = [];
    if (file !== undefined && isNamedPipe(file, fd)) parts.push(firstOf(fd));
    for (let length = 0; length <= BYTES_MAX;) {
      const part = partOf(fd);
      if (part.length === 0) break;
      parts.push(part);
      length += part.length;
    }
    return Buffer.concat(parts);
  } finally {
    if (file !== undefined) closeSync(fd);
  }
}

/** A pipe that a shell has put in place of a command has had its writer. */
function isNamedPipe(file: string, fd: number): boolean {
  return fstatSync(fd).isFIFO() && !/^\/(?:dev|proc\/[^/]+)\/fd\//.test(file);
}

function firstOf(fd: number): Uint8Array {
  for (let waited = 0; waited <= WRITER_MS; waited += PAUSE_MS) {
    const part = partOf(fd);
    if (part.length > 0) return part;
    pause();
  }
  throw Object.assign(new Error("nobody writes to the pipe"), { code: NO_WRITER });
}

/** Empty at the end. Where somebody may still write, it is waited for. */
function partOf(fd: number): Uint8Array {
  const part = new Uint8Array(65_536);
  for (;;) {
    try {
      return part.subarray(0, readSync(fd, part));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
