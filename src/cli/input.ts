/** Text that a command is given: in a file, or on its standard input. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/library/find.ts";
import { UserError } from "../adapters/user-error.ts";

/** `-` is the standard input. */
export function textIn(cwd: string, file: string): string {
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
    throw unreadable(file === "-" ? "the standard input" : file, error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError("not-text", `${file} is not valid UTF-8`, `file ${file}`);
  }
}
