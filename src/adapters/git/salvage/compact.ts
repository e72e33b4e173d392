/**
 * Removes from a kept work tree what git holds: files whose exact bytes and mode are in a tree of the mirror, folders that are empty
 * then, and the clone's `.git` where the mirror holds everything in it.
 *
 * What remains is what git does not hold: ignored files, nested repositories, pipes, files whose bytes git stores in another form.
 * Ignore rules decide nothing. A crash leaves more than it should, never less.
 */

import type { Hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  type BigIntStats,
  type Dirent,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { isSpent } from "../../files/replace/leftover.ts";
import { git } from "../call/call.ts";
import { entriesIn, LINK_MODE, PROGRAM_MODE, type TreeEntry } from "../mirror/loose-objects.ts";
import { inMirror } from "../mirror/mirror.ts";
import { bytePath } from "../snapshot/paths.ts";
import type { Git } from "../workspace/bench.ts";
import { isHeldByMirror } from "./clone-objects.ts";

export type KeptFolder = {
  /** The folder that was the workspace. */
  readonly folder: string;
  readonly mirror: string;
  readonly run: string;
  /** The tree of the work as it was on the disk. */
  readonly tree: string;
};

/** What cannot be reached stays where it is. */
const STAYS = ["EACCES", "EPERM", "ENAMETOOLONG", "ENOENT", "ENOTDIR", "ELOOP", "EROFS", "ENXIO"];
const CHUNK_BYTES = 1024 * 1024;
/** Files that are hashed before other work of this process gets its turn. */
const FILES_PER_TURN = 100;

export async function compact(on: Git, kept: KeptFolder): Promise<void> {
  const dotGit = join(kept.folder, ".git");
  if (await isHeldByMirror(on, { ...kept, gitDir: dotGit })) {
    failpoint("workspace.before-compact-git");
    rmSync(dotGit, { recursive: true });
  }
  const held = await heldFiles(on, kept);
  const walk: CompactWalk = { root: kept.folder, held, folders: foldersOf(held.keys()), hashed: 0 };
  failpoint("workspace.before-compact");
  await removeHeld(walk, "");
  unless(["ENOTEMPTY", "EEXIST", ...STAYS], () => rmdirSync(kept.folder));
  failpoint("workspace.after-compact");
}

/** Only those whose content the mirror really has. */
async function heldFiles(on: Git, { mirror, tree }: KeptFolder): Promise<ReadonlyMap<string, TreeEntry>> {
  const entries = await entriesIn(on, mirror, tree);
  if (entries.length === 0) return new Map();
  const listed = await git(on.env, {
    ...inMirror(mirror),
    args: ["cat-file", "--batch-check=%(objecttype)"],
    input: entries.map(({ oid }) => `${oid}\n`).join(""),
  });
  const types = listed.split("\n");
  return new Map(entries.filter((_, place) => types[place] === "blob").map((entry) => [entry.name, entry]));
}

function foldersOf(names: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names)
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const folder = name.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

type CompactWalk = {
  readonly root: string;
  readonly held: ReadonlyMap<string, TreeEntry>;
  /** Folders that hold such files. Others are kept whole, unless they are empty. */
  readonly folders: ReadonlySet<string>;
  hashed: number;
};

async function removeHeld(walk: CompactWalk, below: string): Promise<void> {
  for (const entry of entriesAt(walk.root, below)) {
    const name = `${below}${entry.name.toString("latin1")}`;
    const path = bytePath(walk.root, name);
    if (entry.isDirectory()) {
      if (name === ".git") continue;
      if (walk.folders.has(name)) await removeHeld(walk, `${name}/`);
      removeEmpty(walk.root, name);
      continue;
    }
    const held = walk.held.get(name);
    const isHeld = held === undefined ? isSpentAt(path) : isSame(path, held);
    if (isHeld) unless(STAYS, () => unlinkSync(path));
    walk.hashed += held === undefined ? 0 : 1;
    if (walk.hashed % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn();
  }
}

function entriesAt(root: string, below: string): readonly Dirent<Buffer>[] {
  return (
    unless(STAYS, () => readdirSync(bytePath(root, below), { withFileTypes: true, encoding: "buffer" })) ?? []
  );
}

/** A folder with nothing but folders in it. One that holds anything else is left as it is, with its empty folders. */
function removeEmpty(root: string, name: string): void {
  if (!isHollow(root, name)) return;
  for (const entry of entriesAt(root, `${name}/`))
    removeEmpty(root, `${name}/${entry.name.toString("latin1")}`);
  unless(["ENOTEMPTY", "EEXIST", ...STAYS], () => rmdirSync(bytePath(root, name)));
}

function isHollow(root: string, name: string): boolean {
  return entriesAt(root, `${name}/`).every(
    (entry) => entry.isDirectory() && isHollow(root, `${name}/${entry.name.toString("latin1")}`),
  );
}

/** A copy that the engine made while it replaced a page, unchanged since. */
function isSpentAt(path: Buffer): boolean {
  const text = path.toString();
  // A name that is not UTF-8 is not one of ours.
  return Buffer.from(text).equals(path) && isSpent({ at: () => text }, text.slice(text.lastIndexOf("/") + 1));
}

function isSame(path: Buffer, { mode, oid }: TreeEntry): boolean {
  const stat = unless(STAYS, () => lstatSync(path, { bigint: true }));
  if (stat === undefined) return false;
  if (mode === LINK_MODE)
    return stat.isSymbolicLink() && blobId(readlinkSync(path, { encoding: "buffer" }), oid) === oid;
  const isProgram = (stat.mode & 0o100n) !== 0n;
  return stat.isFile() && isProgram === (mode === PROGRAM_MODE) && idOfFile(path, oid) === oid;
}

function blobId(bytes: Buffer, like: string): string {
  return hashFor(like).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function hashFor(oid: string): Hash {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash(oid.length === 64 ? "sha256" : "sha1");
}

/** Of the raw bytes, without filters. Empty where the file changes while it is read. */
function idOfFile(path: Buffer, like: string): string {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = unless(STAYS, () => openSync(path, flags));
  if (file === undefined) return "";
  try {
    const before = fstatSync(file, { bigint: true });
    if (!before.isFile()) return "";
    const hash = hashFor(like).update(`blob ${before.size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Number(before.size) + 1));
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      hash.update(chunk.subarray(0, read));
    const id = hash.digest("hex");
    return isUnchanged(before, fstatSync(file, { bigint: true })) ? id : "";
  } finally {
    closeSync(file);
  }
}

function isUnchanged(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}
