/**
 * Objects of the mirror that are files of their own, read without starting git: starting a process takes longer than all of this.
 *
 * What a handover adds lies there in this form. A file that does not hold what its name says is not believed, and a large one is not
 * read: git then answers, or reports the damage.
 */

import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { git } from "./call.ts";
import { inMirror } from "./mirror.ts";
import type { On } from "./own.ts";

type LooseObject = { readonly type: string; readonly body: Buffer };
type TreeItem = { readonly mode: string; readonly oid: string };

const UNREADABLE = ["ENOENT", "Z_DATA_ERROR", "Z_BUF_ERROR", "ERR_BUFFER_TOO_LARGE"];
const FOLDER_MODE = "40000";
const NESTED_MODE = "160000";
const SHA1_HEX = 40;
const BYTES_MAX = 1024 * 1024;
const OBJECTS_MAX = 100;
const WRITTEN = /^(?:[0-9a-f]{2}|pack)$/;
/** File systems round times. */
const COARSE_MS = 1000;
/** As packs number the types of objects. */
const TYPES = ["", "commit", "tree", "blob"];

export async function treeInMirror(on: On, mirror: string, commit: string): Promise<string> {
  const args = ["rev-parse", "--verify", `${commit}^{tree}`];
  return headersOf(mirror, commit)?.tree ?? git(on.env, { ...inMirror(mirror), args });
}

/**
 * The folders and files of a tree that another one does not have. There may be more in it: of a folder that the other one has in a
 * pack, everything counts as new. Undefined where a new folder is in a pack.
 */
export function newObjects(mirror: string, tree: string, than: string | undefined): string[] | undefined {
  if (tree === than) return [];
  const items = itemsOf(mirror, tree);
  if (items === undefined) return undefined;
  const before = than === undefined ? undefined : itemsOf(mirror, than);
  const found = [tree];
  for (const [name, { mode, oid }] of items) {
    const old = before?.get(name);
    if (old?.oid === oid || mode === NESTED_MODE) continue;
    const oldTree = old?.mode === FOLDER_MODE ? old.oid : undefined;
    const inner = mode === FOLDER_MODE ? newObjects(mirror, oid, oldTree) : [oid];
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

export type LoosePack = { readonly oids: readonly string[]; readonly pack: Buffer };

/** A commit and what it adds to its only parent, as a pack. Undefined where that is much, or not all of it is in files. */
export function packOnTop(mirror: string, commit: string, parent: string): LoosePack | undefined {
  const [from, to] = [headersOf(mirror, parent), headersOf(mirror, commit)];
  if (from === undefined || to === undefined || to.parents.join() !== parent) return undefined;
  const added = newObjects(mirror, to.tree, from.tree);
  if (added === undefined || added.length >= OBJECTS_MAX) return undefined;
  const oids = [commit, ...added];
  const { deflateSync } = process.getBuiltinModule("node:zlib");
  const parts: Buffer[] = [Buffer.from("PACK\0\0\0\u0002\0\0\0", "latin1"), Buffer.from([oids.length])];
  for (const oid of oids) {
    const object = looseObject(mirror, oid);
    if (object === undefined) return undefined;
    parts.push(packHeader(object), deflateSync(object.body));
  }
  const bytes = Buffer.concat(parts);
  return { oids, pack: Buffer.concat([bytes, Buffer.from(hashOf(bytes, commit), "hex")]) };
}

/** The type, and the size with its lowest four bits first. */
function packHeader({ type, body }: LooseObject): Buffer {
  const bytes: number[] = [];
  let rest = body.length >> 4;
  for (let byte = (TYPES.indexOf(type) << 4) | (body.length & 15); ; byte = rest & 127, rest >>= 7) {
    bytes.push(rest === 0 ? byte : byte | 128);
    if (rest === 0) return Buffer.from(bytes);
  }
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
  const file = join(mirror, "objects", oid.slice(0, 2), oid.slice(2));
  const { inflateSync } = process.getBuiltinModule("node:zlib");
  const bytes = unless(UNREADABLE, () => inflateSync(readFileSync(file), { maxOutputLength: BYTES_MAX }));
  if (bytes === undefined || hashOf(bytes, oid) !== oid) return undefined;
  const end = bytes.indexOf(0);
  return { type: bytes.toString("latin1", 0, bytes.indexOf(32)), body: bytes.subarray(end + 1) };
}

/** In the form of this id. */
function hashOf(bytes: Buffer, { length }: string): string {
  const { hash } = process.getBuiltinModule("node:crypto");
  return hash(length === SHA1_HEX ? "sha1" : "sha256", bytes, "hex");
}
