/**
 * The tree of an index, written as `git write-tree` writes it, without starting git.
 *
 * The index knows the trees of folders in which nothing changed since its commit; only the others are written. What is special
 * (files in conflict, parts in other files, a repository with rights of its own) is left to git.
 */

import type { IndexFile } from "./index-file.ts";
import { isSpecial } from "./by-hand.ts";
import { putObject } from "./put-object.ts";
import type { Bench } from "./own.ts";

/** Its own name, and those of all trees in it that the index did not know. */
export type MadeTree = { readonly tree: string; readonly trees: readonly string[] };

/** What the index knows of a folder: undefined where something in it has changed. */
type Known = {
  readonly oid: Buffer | undefined;
  readonly entries: number;
  readonly below: ReadonlyMap<string, Known>;
};

const INTENT_TO_ADD = 0x2000;
const FOLDER = "40000";

/** Undefined where git has to do it. */
export function putTree(bench: Bench, index: IndexFile): MadeTree | undefined {
  const root = knownTrees(index, bench.oidBytes);
  if (root === undefined || index.isPartial || isSpecial(bench) || !index.entries.every(isOrdinary(index)))
    return undefined;
  const trees: string[] = [];
  const put = (body: Buffer): Buffer => {
    const oid = putObject(bench, { type: "tree", body, isDurable: false });
    trees.push(oid);
    return Buffer.from(oid, "hex");
  };
  const { oid } = folderAt({ index, put }, { from: 0, depth: 0, known: root });
  return { tree: oid.toString("hex"), trees };
}

function isOrdinary({ bytes }: IndexFile): (entry: IndexFile["entries"][number]) => boolean {
  return ({ stage, isExtended, flagsAt }) =>
    stage === 0 && !(isExtended && (bytes.readUInt16BE(flagsAt + 2) & INTENT_TO_ADD) !== 0);
}

type Folder = {
  /** Its first entry. */
  readonly from: number;
  /** How long its path is, with the slash. */
  readonly depth: number;
  readonly known: Known | undefined;
};
type Putting = { readonly index: IndexFile; readonly put: (body: Buffer) => Buffer };

/** Entries are sorted as those of trees are: what is in one folder stands together, in the right place among its neighbours. */
function folderAt(
  on: Putting,
  { from, depth, known }: Folder,
): { readonly oid: Buffer; readonly to: number } {
  if (known?.oid !== undefined) return { oid: known.oid, to: from + known.entries };
  const { entries, bytes } = on.index;
  const path = entries[from]?.name.slice(0, depth) ?? "";
  const parts: Buffer[] = [];
  let at = from;
  for (let entry = entries[at]; entry?.name.startsWith(path) === true; entry = entries[at]) {
    const end = entry.name.indexOf("/", depth);
    const name = entry.name.slice(depth, end === -1 ? undefined : end);
    if (end === -1) {
      const { mode, oidAt, flagsAt } = entry;
      parts.push(Buffer.from(`${mode.toString(8)} ${name}\0`, "latin1"), bytes.subarray(oidAt, flagsAt));
      at += 1;
      continue;
    }
    const below = folderAt(on, { from: at, depth: end + 1, known: known?.below.get(name) });
    parts.push(Buffer.from(`${FOLDER} ${name}\0`, "latin1"), below.oid);
    at = below.to;
  }
  return { oid: on.put(Buffer.concat(parts)), to: at };
}

/** What the index says of trees; undefined where it says nothing, so that all of them would have to be written. */
function knownTrees({ bytes, end }: IndexFile, oidBytes: number): Known | undefined {
  const limit = bytes.length - oidBytes;
  for (let at = end; at + 8 <= limit; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString("latin1", at, at + 4) === "TREE") return knownAt(bytes, at + 8, oidBytes).known;
  return undefined;
}

/** A name, how many entries and folders are in it (fewer than none: nobody knows), its tree, and then its folders. */
function knownAt(
  bytes: Buffer,
  from: number,
  oidBytes: number,
): { readonly name: string; readonly known: Known; readonly to: number } {
  const nameEnd = bytes.indexOf(0, from);
  const lineEnd = bytes.indexOf(10, nameEnd);
  const [entries = -1, folders = 0] = bytes
    .toString("latin1", nameEnd + 1, lineEnd)
    .split(" ")
    .map(Number);
  const oid = entries < 0 ? undefined : bytes.subarray(lineEnd + 1, lineEnd + 1 + oidBytes);
  let to = lineEnd + 1 + (oid?.length ?? 0);
  const below = new Map<string, Known>();
  for (let left = folders; left > 0; left -= 1) {
    const next = knownAt(bytes, to, oidBytes);
    below.set(next.name, next.known);
    to = next.to;
  }
  return { name: bytes.toString("latin1", from, nameEnd), known: { oid, entries, below }, to };
}
