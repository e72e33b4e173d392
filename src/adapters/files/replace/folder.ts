/**
 * A folder below a root, held open, so that nobody can slip a link in between looking and acting.
 *
 * Where the system has /proc, every path goes through the open folder; elsewhere through its real path.
 */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { codeOf } from "../errno.ts";

/** A file by its path below a root. `make` makes the folders that are missing. */
export type Spot = {
  readonly root: string;
  readonly file: string;
  /** Folders on the way are made; *below*: but not the root itself. */
  readonly make?: boolean | "below";
  readonly isWorkspace?: boolean;
};

export type Folder = {
  /** As people know it. */
  readonly path: string;
  readonly mode: number;
  at(name: string): string;
  /** Makes what happened in it durable. */
  sync(): void;
};

export type Inside<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "missing" }
  | { readonly type: "refused"; readonly reason: string };

const HAS_PROC = existsSync("/proc/self/fd");
const PRIVATE = 0o700;
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export function inFolder<T>(spot: Spot, use: (folder: Folder, name: string) => T): Inside<T> {
  const names = spot.file.split("/");
  const name = names.at(-1) ?? "";
  const isPlain = names.every((each) => each !== "" && each !== "." && each !== ".." && !each.includes("\0"));
  if (isAbsolute(spot.file) || !isPlain)
    return { type: "refused", reason: "is no path inside the workspace" };
  // A run without files yet is the usual case at its beginning, and an error that is thrown takes longer than a look.
  if (spot.make === undefined && !existsSync(spot.root)) return { type: "missing" };
  try {
    const path = join(spot.root, dirname(spot.file));
    const straight = HAS_PROC ? openStraight(path) : undefined;
    if (straight !== undefined)
      return whileOpen(straight, { path, real: path }, (folder) => use(folder, name));
    if (HAS_PROC && spot.make === undefined && isPlainlyMissing(spot.root, names.slice(0, -1)))
      return { type: "missing" };
    const real = realFolder(spot, names.slice(0, -1));
    if (real === undefined) return { type: "refused", reason: "stands in a folder outside of the workspace" };
    return held(real, path, (folder) => use(folder, name));
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    const code = codeOf(error.cause);
    if (code === "ENOENT") return { type: "missing" };
    if (code === "ENOTDIR") return { type: "refused", reason: "stands below something that is no folder" };
    return { type: "refused", reason: `stands in a folder that cannot be opened (${code ?? "unknown"})` };
  }
}

/** So that what fails on the way to the folder is told from what fails in it. */
class FolderError extends Error {
  override readonly name = "FolderError";
}

/** `undefined` where a link leads out of the root, or stands in its place: an agent may have put its workspace there. */
function realFolder(spot: Spot, names: readonly string[]): string | undefined {
  try {
    if (spot.make === true) mkdirSync(spot.root, { recursive: true, mode: PRIVATE });
    const root = realpathSync(spot.root);
    if (root !== join(realpathSync(dirname(spot.root)), basename(spot.root))) return undefined;
    let folder = root;
    for (const name of names) {
      const next = join(folder, name);
      // Step by step: no folder is made behind a link that leads out.
      if (spot.make !== undefined && spot.make !== false) makeFolder(next);
      folder = realpathSync(next);
      if (folder !== root && !folder.startsWith(root === sep ? sep : root + sep)) return undefined;
    }
    return folder;
  } catch (error) {
    throw new FolderError("on the way to a folder", { cause: error });
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Where no link is on the way, the kernel says so at once. Undefined for everything else, and for what is not there. */
function openStraight(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    if (readlinkSync(`/proc/self/fd/${fd}`) === path) return fd;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

/** The last folder that is there is where its path says, and has nothing of the next name in it. */
function isPlainlyMissing(root: string, names: readonly string[]): boolean {
  const paths = [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))];
  const at = paths.findIndex((path) => !existsSync(path));
  const [last = "", next = ""] = paths.slice(Math.max(at - 1, 0));
  const fd = at < 1 ? undefined : openStraight(last);
  if (fd === undefined) return false;
  try {
    const path = `/proc/self/fd/${fd}/${basename(next)}`;
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    // Nobody may look there: that is told otherwise.
    if (codeOf(error) === undefined) throw error;
    return false;
  } finally {
    closeSync(fd);
  }
}

function held<T>(real: string, path: string, use: (folder: Folder) => T): Inside<T> {
  const fd = openFolder(real);
  // A link that was put in the way after the look leads somewhere else.
  if (!HAS_PROC || readlinkSync(`/proc/self/fd/${fd}`) === real) return whileOpen(fd, { path, real }, use);
  closeSync(fd);
  return { type: "refused", reason: "stands in a folder that was moved" };
}

type Opened = {
  /** As people know it. */
  readonly path: string;
  readonly real: string;
};

function whileOpen<T>(fd: number, { path, real }: Opened, use: (folder: Folder) => T): Inside<T> {
  try {
    const through = HAS_PROC ? `/proc/self/fd/${fd}` : real;
    const { mode } = fstatSync(fd);
    const folder = { path, mode, at: (name: string) => `${through}/${name}`, sync: () => fsyncSync(fd) };
    return { type: "done", value: use(folder) };
  } finally {
    closeSync(fd);
  }
}

function openFolder(real: string): number {
  try {
    return openSync(real, FLAGS);
  } catch (error) {
    throw new FolderError("a folder", { cause: error });
  }
}
