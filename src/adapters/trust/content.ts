/**
 * What a repository brings along for us: every file below `.signalbox`, and one digest over all of them.
 *
 * It may be a stranger's. Nothing is followed, nothing is waited for, and what would make the digest say less than it seems
 * is refused: links, pipes, names that cannot be told apart, more than anybody would look through.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { saysNothing } from "../../format/blank.ts";
import { unreadable } from "../files/errno.ts";
import { UserError } from "../user-error.ts";

export type ContentFile = {
  /** Relative to `.signalbox`, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
};

export type TrustContent = {
  /** Empty where there is nothing to trust. */
  readonly digest: string;
  readonly files: readonly ContentFile[];
};

export const EXIT_UNTRUSTED = 7;
const FILES_MAX = 2000;
const BYTES_MAX = 16_777_216;
const DEPTH_MAX = 16;

/** Files that cannot make anything happen. Everything else is taken to. */
const INERT = /^(?:(?:.*\/)?(?:README\.md|\.gitkeep|\.gitignore)|schema\/[^/]+\.schema\.json)$/;
const CONFIG = "config.yaml";

export function contentOf(repo: string): TrustContent {
  const root = join(repo, ".signalbox");
  const stats = lstatSync(root, { throwIfNoEntry: false });
  if (stats === undefined) return { digest: "", files: [] };
  if (!stats.isDirectory()) throw refused(root, stats.isSymbolicLink() ? "a link" : "no folder");
  const files: ContentFile[] = [];
  try {
    collect({ root, folder: "", files, left: { bytes: BYTES_MAX } });
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(root, error);
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { digest: files.every(isInert) ? "" : digestOf(files), files };
}

type Walk = {
  readonly root: string;
  readonly folder: string;
  readonly files: ContentFile[];
  readonly left: { bytes: number };
};

function collect(walk: Walk): void {
  const { root, folder, files, left } = walk;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!isPlain(entry.name)) throw refused(join(root, path), "something with a name that cannot be shown");
    if (entry.isDirectory()) {
      if (path.split("/").length > DEPTH_MAX) throw tooMuch(root);
      collect({ ...walk, folder: path });
      continue;
    }
    if (!entry.isFile())
      throw refused(join(root, path), entry.isSymbolicLink() ? "a link" : "no regular file");
    const bytes = readPlain(join(root, path), left.bytes);
    left.bytes -= bytes.length;
    files.push({ path, bytes });
    if (files.length > FILES_MAX) throw tooMuch(root);
  }
}

/** Two names that are shown alike must not be two files. */
function isPlain(name: string): boolean {
  return !/[\p{Cc}\p{Cf}\uFFFD]/u.test(name);
}

function readPlain(path: string, most: number): Uint8Array {
  // Between the listing and now it may have become a link or a pipe.
  const handle = openSync(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
  );
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw refused(path, "no regular file");
    if (stats.size > most) throw tooMuch(path);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Path and length come before the bytes: no two different sets of files give the same input. */
function digestOf(files: readonly ContentFile[]): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return `sha256:${hash.digest("hex")}`;
}

function isInert({ path, bytes }: ContentFile): boolean {
  return INERT.test(path) || (path === CONFIG && saysNothing(bytes));
}

function refused(path: string, what: string): UserError {
  const next = `ls -ld ${path}`;
  return new UserError("untrusted", `${path} is ${what}, and what it stands for cannot be trusted`, {
    next,
    exit: EXIT_UNTRUSTED,
  });
}

function tooMuch(path: string): UserError {
  const message = `${path} holds more than can be looked through: at most ${FILES_MAX} files and ${BYTES_MAX / 1_048_576} MiB`;
  return new UserError("untrusted", message, { next: `du -a ${path}`, exit: EXIT_UNTRUSTED });
}
