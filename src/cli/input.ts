/** Text that a command is given: in a file, or on its standard input. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/library/find.ts";
import { UserError } from "../adapters/user-error.ts";

/** `-` is the standard input. */
export function textIn(cwd: string, file: string): string {
  const name = file === "-" ? "the standard input" : file;
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file === "-" ? 0 : resolve(cwd, file));
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
