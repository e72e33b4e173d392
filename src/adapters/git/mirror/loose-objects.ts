/**
 * Loose objects of the mirror, read and written without starting git: starting a process takes longer than all of this.
 *
 * A handover adds loose objects. A file that does not hold what its name says is not believed, and a large one is not read: git then
 * answers, or reports the damage.
 */

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, unless } from "../../files/errno.ts";
import { newName } from "../../home/new-name.ts";
import { git, gitRecords } from "../call/call.ts";
import type { Git } from "../workspace/bench.ts";
import { inMirror } from "./mirror.ts";

type LooseObject = { readonly type: string; readonly body: Buffer };
type TreeItem = { readonly mode: string; readonly oid: string };

const UNREADABLE = ["ENOENT", "Z_DATA_ERROR", "Z_BUF_ERROR", "ERR_BUFFER_TOO_LARGE"];
const FOLDER_MODE = "40000";
export const NESTED_MODE = "160000";
const SHA1_BYTES = 20;
const READ_ONLY = 0o444;
const SET_GROUP = 0o2000;
const FOLDER_OF_OWNER = 0o700;
const NOT_LINKED = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP"];
const BYTES_MAX = 1024 * 1024;
const OBJECTS_MAX = 100;
const WRITTEN = /^(?:[0-9a-f]{2}|pack)$/;
/** File systems round times. */
const COARSE_MS = 1000;

export async function treeInMirror(on: Git, mirror: string, commit: string): Promise<string> {
  const args = ["rev-parse", "--verify", `${commit}^{tree}`];
  return headersOf(mirror, commit)?.tree ?? git(on.env, { ...inMirror(mirror), args });
}

type Difference = {
  readonly tree: string;
  /** The tree that is compared with; undefined for none. */
  readonly than: string | undefined;
  /** A new name that is refused makes the whole answer undefined. */
  readonly isAccepted?: (name: string) => boolean;
};

/**
 * The folders and files of a tree that another one does not have. There may be more in it: of a folder that the other one has in a
 * pack, everything counts as new. Undefined where a new folder is in a pack.
 */
export function newObjects(mirror: string, { tree, than, isAccepted }: Difference): string[] | undefined {
  if (tree === than) return [];
  const items = itemsOf(mirror, tree);
  if (items === undefined) return undefined;
  const before = than === undefined ? undefined : itemsOf(mirror, than);
  const found = [tree];
  for (const [name, { mode, oid }] of items) {
    const old = before?.get(name);
    if (old?.oid === oid || mode === NESTED_MODE) continue;
    if (isAccepted?.(name) === false) return undefined;
    const oldTree = old?.mode === FOLDER_MODE ? old.oid : undefined;
    const inner =
      mode === FOLDER_MODE
        ? newObjects(mirror, { tree: oid, than: oldTree, ...(isAccepted && { isAccepted }) })
        : [oid];
    if (inner === undefined) return undefined;
    for (const each of inner) found.push(each);
  }
  return found;
}

/** Removes what git was writing when it failed. Files from before that moment may belong to a git that still works. */
export function removeUnfinished(mirror: string, since: number): void {
  const objects = join(mirror, "objects");
  for (const folder of readdirSync(objects).filter((name) => WRITTEN.test(name)))
    for (const name of readdirSync(join(objects, folder)).filter((each) => each.startsWith("tmp_"))) {
      const file = join(objects, folder, name);
      const writtenAt = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (writtenAt >= since - COARSE_MS) rmSync(file, { force: true });
    }
}

/** Names that git checks the contents of, or that some file system takes for `.git`. */
const CHECKED_NAME = /^(?:\.git|git~)|[^ -~]|[\\:]|[ .]$/i;

/**
 * A commit and what it adds to its only parent, as names of loose objects. Undefined where git should look at them first, where there
 * are many, or where one of them is in a pack.
 */
export function addedOnTop(mirror: string, commit: string, parent: string): readonly string[] | undefined {
  const [from, to] = [headersOf(mirror, parent), headersOf(mirror, commit)];
  if (from === undefined || to === undefined || to.parents.join() !== parent) return undefined;
  const isAccepted = (name: string): boolean => !CHECKED_NAME.test(name);
  const added = newObjects(mirror, { tree: to.tree, than: from.tree, isAccepted });
  return added === undefined || added.length >= OBJECTS_MAX ? undefined : [commit, ...added];
}

/**
 * Gives the user's repository durable loose objects of the mirror: hard links where possible, otherwise copies, readable for those who
 * can read the repository. `syncObjects` makes their names durable. False where it fails: git then does it, or says why not.
 */
export function giveObjects(mirror: string, objects: string, oids: readonly string[]): boolean {
  try {
    const { mode } = lstatSync(objects);
    // Files in a folder with this bit get its group, which a link would not.
    const mayLink = (mode & SET_GROUP) === 0;
    for (const oid of oids) {
      if (looseObject(mirror, oid) === undefined) return false;
      const [from, to] = [fileOf(join(mirror, "objects"), oid), fileOf(objects, oid)];
      if (existsSync(to)) continue;
      makeFanOut(dirname(to), mode);
      // The contents are on the disk before the name is: a crash leaves no damaged object.
      const isLinked = mayLink && unless(NOT_LINKED, () => (linkSync(from, to), true)) === true;
      if (!isLinked) writeNew(to, readFileSync(from), { flush: true });
      chmodSync(to, mode & READ_ONLY);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

export type NewObject = { readonly type: "commit" | "tree"; readonly body: Buffer };

/** Gives the object's id. It is in the mirror afterwards, not necessarily on the disk. Undefined where it cannot be written. */
export function writeObject(mirror: string, { type, body }: NewObject, oidBytes: number): string | undefined {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const oid = hashOf(bytes, oidBytes);
  const file = fileOf(join(mirror, "objects"), oid);
  const { deflateSync } = process.getBuiltinModule("node:zlib");
  try {
    // One that exists may be on the disk already, and a ref may name it: writing it again would take that back.
    if (looseObject(mirror, oid) !== undefined) return oid;
    makeFanOut(dirname(file), FOLDER_OF_OWNER);
    writeNew(file, deflateSync(bytes), { flush: false });
    return oid;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** `git gc` removes files with such a name, where a process was killed. */
function writeNew(file: string, bytes: Buffer, { flush }: { readonly flush: boolean }): void {
  const aside = join(dirname(file), `tmp_obj_${newName()}`);
  try {
    writeFileSync(aside, bytes, { flag: "wx", mode: READ_ONLY, flush });
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function makeFanOut(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  unless(["EEXIST"], () => mkdirSync(folder));
  chmodSync(folder, mode & 0o7777);
}

function fileOf(objects: string, oid: string): string {
  return join(objects, oid.slice(0, 2), oid.slice(2));
}

function headersOf(mirror: string, commit: string): { tree: string; parents: readonly string[] } | undefined {
  const object = looseObject(mirror, commit);
  const text = object?.type === "commit" ? object.body.toString("latin1") : "";
  const [, tree, parents = ""] = /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)/.exec(text) ?? [];
  return tree === undefined ? undefined : { tree, parents: parents.match(/[0-9a-f]{40,}/g) ?? [] };
}

/** By name, with one character for each byte. */
function itemsOf(mirror: string, tree: string): ReadonlyMap<string, TreeItem> | undefined {
  const object = looseObject(mirror, tree);
  if (object?.type !== "tree") return undefined;
  const { body } = object;
  const items = new Map<string, TreeItem>();
  for (let at = 0; at < body.length;) {
    const end = body.indexOf(0, at);
    const [mode = "", name = ""] = body.toString("latin1", at, end).split(/ (.*)/s);
    at = end + 1 + tree.length / 2;
    items.set(name, { mode, oid: body.toString("hex", end + 1, at) });
  }
  return items;
}

function looseObject(mirror: string, oid: string): LooseObject | undefined {
  const file = fileOf(join(mirror, "objects"), oid);
  const { inflateSync } = process.getBuiltinModule("node:zlib");
  const bytes = unless(UNREADABLE, () => inflateSync(readFileSync(file), { maxOutputLength: BYTES_MAX }));
  if (bytes === undefined || hashOf(bytes, oid.length / 2) !== oid) return undefined;
  const end = bytes.indexOf(0);
  return { type: bytes.toString("latin1", 0, bytes.indexOf(32)), body: bytes.subarray(end + 1) };
}

function hashOf(bytes: Buffer, oidBytes: number): string {
  const { hash } = process.getBuiltinModule("node:crypto");
  return hash(oidBytes === SHA1_BYTES ? "sha1" : "sha256", bytes, "hex");
}

/** `name` has one character for each byte. */
export type TreeEntry = { readonly mode: string; readonly oid: string; readonly name: string };

export const LINK_MODE = "120000";
export const PROGRAM_MODE = "100755";

/** Of a tree or a commit. */
export async function entriesIn(on: Git, mirror: string, tree: string): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const records = await gitRecords(on.env, { ...inMirror(mirror), args });
  return records.map((record) => {
    const [, mode = "", oid = "", name = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    return { mode, oid, name };
  });
}
