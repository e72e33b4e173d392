/** Text that a command is given: in a file, or on its standard input. */

import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/library/find.ts";
import { UserError } from "../adapters/user-error.ts";
import { BYTES_MAX, bytesIn, NO_WRITER } from "./bytes.ts";
import type { Invocation } from "./invocation.ts";

const A_FILE = "give the path of a file, or - for the standard input";

/** `-` is the standard input. */
export function textIn(cwd: string, file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = bytesIn(file === "-" ? undefined : resolve(cwd, file));
  } catch (error) {
    throw notRead(file, error);
  }
  return textOf(file, bytes);
}

/** The same, where somebody else may have to read it, or has read it already. */
export async function textGiven({ cwd, warm, stdin }: Invocation, file: string): Promise<string> {
  if (file === "-" && stdin !== undefined) return textOf(file, stdin);
  if (warm === undefined) return textIn(cwd, file);
  let bytes: Uint8Array;
  try {
    bytes = await warm.read(file);
  } catch (error) {
    throw notRead(file, error);
  }
  return textOf(file, bytes);
}

function nameOf(file: string): string {
  return file === "-" ? "the standard input" : file;
}

function notRead(file: string, error: unknown): UserError {
  if (codeOf(error) === "ENOENT") return new UserError("not-found", `there is no file ${file}`, A_FILE);
  if (codeOf(error) === NO_WRITER)
    return new UserError("unreadable", `${file} is a pipe that nobody writes to`, A_FILE);
  if (file === "-" && codeOf(error) !== undefined)
    return new UserError(
      "unreadable",
      `${nameOf(file)} cannot be read`,
      "give the path of a file instead of -",
    );
  return unreadable(file, error);
}

function textOf(file: string, bytes: Uint8Array): string {
  if (bytes.length > BYTES_MAX)
    throw new UserError("too-large", `${nameOf(file)} is larger than ${BYTES_MAX} bytes`, "give less");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const next =
      file === "-"
        ? "send it through `iconv -f LATIN1 -t UTF-8`, or whatever it is written in"
        : `file ${file}`;
    throw new UserError("not-text", `${nameOf(file)} is not valid UTF-8`, next);
  }
}
