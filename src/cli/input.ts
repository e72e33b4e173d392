/** Text that a command is given: in a file, or on its standard input. */

import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/library/find.ts";
import { UserError } from "../adapters/user-error.ts";

/** More than anybody writes, and little enough to be held: what never ends is no text. */
const BYTES_MAX = 16 * 1024 * 1024;

/** `-` is the standard input. */
export function textIn(cwd: string, file: string): string {
  const name = file === "-" ? "the standard input" : file;
  let bytes: Uint8Array;
  try {
    bytes = bytesOf(file === "-" ? undefined : resolve(cwd, file));
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new UserError(
        "not-found",
        `there is no file ${file}`,
        "give the path of a file, or - for the standard input",
      );
    if (file === "-" && codeOf(error) !== undefined)
      throw new UserError("unreadable", `${name} cannot be read`, "give the path of a file instead of -");
    throw unreadable(file, error);
  }
  if (bytes.length > BYTES_MAX)
    throw new UserError("too-large", `${name} is larger than ${BYTES_MAX} bytes`, "give less");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const next =
      file === "-"
        ? "send it through `iconv -f LATIN1 -t UTF-8`, or whatever it is written in"
        : `file ${file}`;
    throw new UserError("not-text", `${name} is not valid UTF-8`, next);
  }
}

/** At most one byte more than is taken: pipes and devices have no size that could be asked for. */
function bytesOf(file: string | undefined): Uint8Array {
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
