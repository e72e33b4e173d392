/** Text that a command is given: in a file, or on its standard input. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, unreadable } from "../adapters/files/errno.ts";
import { UserError } from "../adapters/user-error.ts";

/** More than anybody writes, and little enough to be held: what never ends is no text. */
const BYTES_MAX = 16 * 1024 * 1024;

/** What reading says of a pipe that nobody writes to. */
const NO_WRITER = "NO_WRITER";

const PAUSE_MS = 5;
/** How long somebody who writes to a pipe of ours may take to open it. */
const WRITER_MS = 300;

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

/** At most one byte more than is taken: pipes and devices have no size that could be asked for. */
function bytesIn(file: string | undefined): Uint8Array {
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
