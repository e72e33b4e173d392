/** Text that a command is given: in a file, or on its standard input. */

import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/library/find.ts";
import { UserError } from "../adapters/user-error.ts";
import { BYTES_MAX, bytesIn, NO_WRITER } from "./bytes.ts";

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

/** A file as the caller has read it: its text, or why it could not be read, for a use case that may never need it. */
export type GivenText = {
  readonly name: string;
  readonly text?: string | undefined;
  readonly problem?: { readonly code: string; readonly message: string; readonly next: string } | undefined;
};

export function readGiven(cwd: string, name: string): GivenText {
  try {
    return { name, text: textIn(cwd, name) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, next } = error;
    return { name, problem: { code, message, next } };
  }
}

export function textOfGiven({ text, problem }: GivenText): string {
  if (problem !== undefined) throw new UserError(problem.code, problem.message, problem.next);
  return text ?? "";
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
