/**
 * Reads a workflow and its prompts from a folder that may be a stranger's.
 *
 * Nothing is opened that could block or lead out of the folder, and nothing is read beyond its limit. What cannot be read
 * at all is the user's to mend; what was read and is not allowed becomes a problem with a place, like any other.
 */

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { Prompt } from "../../core/model/workflow.ts";
import type { Problem } from "../../format/problem.ts";
import { placeOfInvalid } from "../../format/reading/text.ts";
import { UserError } from "../user-error.ts";
import { codeOf, unreadable } from "../files/errno.ts";
import type { FoundWorkflow } from "./find.ts";

/** `file` and the files of prompts are relative to the folder, so that a copy elsewhere has the same hash. */
export type Source = {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly prompts: Readonly<Record<string, Prompt>>;
};

export type ReadWorkflow =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const BYTES_MAX = 262_144;
const PROMPTS_MAX = 200;
const PROMPTS = "prompts";

export function readWorkflow(found: FoundWorkflow): ReadWorkflow {
  try {
    return readFolder(found);
  } catch (error) {
    if (found.isListed === undefined || !(error instanceof UserError)) throw error;
    const { code, message } = error;
    return { ok: false, problems: [{ file: found.file, line: 1, col: 1, code, message }] };
  }
}

/** The text of the workflow file alone; undefined where it cannot be read. */
export function textOf({ folder, file }: FoundWorkflow): string | undefined {
  try {
    const bytes = readInside(folder, file);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function readFolder({ folder, file }: FoundWorkflow): ReadWorkflow {
  const bytes = readInside(folder, file);
  if (bytes === undefined) return { ok: false, problems: [tooBig(file)] };
  const names = promptFiles(folder);
  if (names.length > PROMPTS_MAX) {
    const message = `there are ${names.length} prompts; at most ${PROMPTS_MAX} are read`;
    return { ok: false, problems: [{ file: PROMPTS, line: 1, col: 1, code: "too-many-prompts", message }] };
  }
  const read = names.map((name) => readPrompt(folder, `${PROMPTS}/${name}`));
  const problems = read.flatMap((prompt) => ("code" in prompt ? [prompt] : []));
  if (problems.length > 0) return { ok: false, problems };
  const prompts = read.flatMap((prompt) =>
    "code" in prompt ? [] : [[nameOf(prompt.file), prompt] as const],
  );
  return { ok: true, source: { file, bytes, prompts: Object.fromEntries(prompts) } };
}

function nameOf(file: string): string {
  return file.slice(PROMPTS.length + 1, -".md".length);
}

function promptFiles(folder: string): string[] {
  try {
    return readdirSync(inside(folder, PROMPTS))
      .filter((name) => name.endsWith(".md"))
      .toSorted();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error instanceof UserError ? error : unreadable(join(folder, PROMPTS), error);
  }
}

function readPrompt(folder: string, file: string): Prompt | Problem {
  const bytes = readInside(folder, file);
  if (bytes === undefined) return tooBig(file);
  const invalid = placeOfInvalid(bytes);
  if (invalid !== undefined) return { file, ...invalid, code: "not-utf-8", message: "it is not valid UTF-8" };
  return { file, text: new TextDecoder("utf-8").decode(bytes) };
}

function tooBig(file: string): Problem {
  return { file, line: 1, col: 1, code: "too-big", message: `it has more than ${BYTES_MAX} bytes` };
}

/** The bytes of a regular file, or nothing where there are too many. */
function readInside(folder: string, file: string): Uint8Array | undefined {
  const path = join(folder, file);
  const handle = open(inside(folder, file), path);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw notAFile(path, stats.isDirectory());
    if (stats.size > BYTES_MAX) return undefined;
    return readAll(handle, { path, size: stats.size });
  } finally {
    closeSync(handle);
  }
}

/** Some files have no size before they are read, and a file may grow meanwhile: the size is only where to begin. */
function readAll(handle: number, { path, size }: { path: string; size: number }): Uint8Array | undefined {
  let bytes = new Uint8Array(size + 1);
  let length = 0;
  while (length <= BYTES_MAX) {
    const read = readSome(handle, bytes.subarray(length), path);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length < bytes.length) continue;
    const larger = new Uint8Array(BYTES_MAX + 1);
    larger.set(bytes);
    bytes = larger;
  }
  return undefined;
}

function readSome(handle: number, into: Uint8Array, path: string): number {
  try {
    return readSync(handle, into);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function open(place: string, path: string): number {
  try {
    // Without O_NONBLOCK a pipe that nobody writes to would be waited for.
    return openSync(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function notAFile(path: string, isFolder: boolean): UserError {
  return new UserError(
    "unreadable",
    `${path} cannot be read: it is ${isFolder ? "a folder" : "no regular file"}`,
    "signalbox workflows",
  );
}

/** The real path of a file of this folder. */
function inside(folder: string, file: string): string {
  const path = join(folder, file);
  let place: string;
  try {
    place = realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" && file === PROMPTS) throw error;
    throw unreadable(path, error);
  }
  if (place === path || place.startsWith(folder === sep ? sep : `${folder}${sep}`)) return place;
  throw new UserError(
    "leads-out",
    `${path} is a link that leads out of its folder, to ${place}`,
    `ls -l ${path}`,
  );
}
