/**
 * Git's index, as bytes.
 *
 * An index that an agent can write is read for the names and contents that it holds, and never for its stamps: with those, a file
 * could pass as unchanged. Marks by which a file asks not to be looked at ("assume unchanged", "skip worktree") are taken off, and a
 * nested repository is not asked by starting git inside it, where its own configuration would speak.
 */

import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { unless } from "../../files/errno.ts";
import { bytePath } from "./paths.ts";

type IndexEntry = {
  /** One character for each byte. */
  readonly name: string;
  readonly stage: number;
  readonly mode: number;
  readonly oidAt: number;
  readonly flagsAt: number;
  readonly isExtended: boolean;
};

export type IndexFile = {
  readonly bytes: Buffer;
  readonly entries: readonly IndexEntry[];
  /** Where the extensions begin. */
  readonly end: number;
  /** Parts of it are in other files, or folded up: it cannot be read alone. */
  readonly isPartial: boolean;
};

export const GITLINK = 0o160000;

/** Of one entry: times, device, number, mode, owner, size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const NAME_MAX = 0xfff;

/** `undefined` for an unknown format. */
export function parseIndex(bytes: Buffer, oidBytes: number): IndexFile | undefined {
  if (bytes.length < 12 + oidBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const limit = bytes.length - oidBytes;
  const entries: IndexEntry[] = [];
  let at = 12;
  let name = "";
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + oidBytes;
    if (flagsAt + 4 > limit) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = version > 2 && (flags & EXTENDED) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = "";
    if (version === 4) {
      const strip = varint(bytes, nameAt);
      nameAt = strip.next;
      kept = name.slice(0, name.length - strip.value);
    }
    const length = flags & NAME_MAX;
    const end = version === 4 || length === NAME_MAX ? bytes.indexOf(0, nameAt) : nameAt + length;
    if (end === -1 || end > limit) return undefined;
    name = kept + bytes.toString("latin1", nameAt, end);
    const stage = (flags >> 12) & 3;
    entries.push({
      name,
      stage,
      mode: bytes.readUInt32BE(at + 24),
      oidAt: at + STAT_BYTES,
      flagsAt,
      isExtended,
    });
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return { bytes, entries, end: at, isPartial: isPartial(bytes, at, limit) };
}

/** An index that git has just written into the directory at `own`. */
export function indexIn(bytes: Buffer, { oidBytes, own }: { oidBytes: number; own: string }): IndexFile {
  const index = parseIndex(bytes, oidBytes);
  if (index === undefined) throw new Error(`git has written an index for ${own} that cannot be read`);
  return index;
}

/** As git writes the numbers of packs: each further byte counts from one more. */
function varint(bytes: Buffer, from: number): { value: number; next: number } {
  let at = from;
  let byte = bytes[at] ?? 0;
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = ((value + 1) << 7) | (byte & 127);
  }
  return { value, next: at + 1 };
}

/** Extensions that cannot be left out begin with a small letter: a split or a sparse index. */
function isPartial(bytes: Buffer, from: number, limit: number): boolean {
  for (let at = from; at + 8 <= limit; at += 8 + bytes.readUInt32BE(at + 4))
    if ((bytes[at] ?? 0) >= 0x61) return true;
  return false;
}

/** A folder whose tree the index knows, and how many entries are in it. */
export type CachedTree = { readonly oid: string; readonly entries: number };

/**
 * The trees that git has written for this index, by folder ("" or "src/lib/"), without those of folders that changed since. Undefined
 * where the index has no such list.
 */
export function cachedTrees(
  { bytes, end }: IndexFile,
  oidBytes: number,
): ReadonlyMap<string, CachedTree> | undefined {
  const limit = bytes.length - oidBytes;
  for (let at = end; at + 8 <= limit; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString("latin1", at, at + 4) === "TREE") return treesFrom(bytes, at + 8, oidBytes);
  return undefined;
}

/** Each folder comes before the folders in it: `name NUL entries SPACE folders LF`, and the id where `entries` is not negative. */
function treesFrom(bytes: Buffer, from: number, oidBytes: number): ReadonlyMap<string, CachedTree> {
  const trees = new Map<string, CachedTree>();
  let at = from;
  const read = (above: string): void => {
    const nameEnd = bytes.indexOf(0, at);
    const lineEnd = bytes.indexOf(10, nameEnd);
    const name = bytes.toString("latin1", at, nameEnd);
    const folder = name === "" ? above : `${above}${name}/`;
    const [entries = -1, folders = 0] = bytes
      .toString("latin1", nameEnd + 1, lineEnd)
      .split(" ")
      .map(Number);
    at = lineEnd + 1;
    if (entries >= 0) {
      trees.set(folder, { oid: bytes.toString("hex", at, at + oidBytes), entries });
      at += oidBytes;
    }
    for (let left = folders; left > 0; left -= 1) read(folder);
  };
  read("");
  return trees;
}

/** Whether an entry of one index is the same content as one of another. */
export function isSameEntry(
  one: IndexFile,
  other: IndexFile,
  [a, b]: readonly [IndexEntry, IndexEntry],
): boolean {
  return (
    a.mode === b.mode &&
    a.stage === b.stage &&
    one.bytes.compare(other.bytes, b.oidAt, b.flagsAt, a.oidAt, a.flagsAt) === 0
  );
}

export type Stamping = {
  readonly from: IndexFile;
  readonly oidBytes: number;
  /** Seconds: what was written later could be written again without looking any different. */
  readonly before: number;
};

/** The same index with the stamps that another one has for the same contents, and none for what differs. */
export function withStamps(index: IndexFile, { from, oidBytes, before }: Stamping): Buffer {
  let bytes = index.bytes;
  for (const [entry, other] of pairs(index, from)) {
    if (entry === undefined || (other !== undefined && isSameStamp(index, from, [entry, other]))) continue;
    const at = entry.oidAt - STAT_BYTES;
    const stamp =
      other !== undefined && isSameEntry(index, from, [entry, other]) ? other.oidAt - STAT_BYTES : -1;
    const isSettled =
      stamp >= 0 && from.bytes.readUInt32BE(stamp) < before && from.bytes.readUInt32BE(stamp + 8) < before;
    if (!isSettled && isUnstamped(index.bytes, at)) continue;
    if (bytes === index.bytes) bytes = Buffer.from(index.bytes);
    if (isSettled) from.bytes.copy(bytes, at, stamp, stamp + STAT_BYTES);
    else unstamp(bytes, entry);
  }
  return bytes === index.bytes ? bytes : sealed({ ...index, bytes }, oidBytes, false);
}

/** Of the same content, with the same stamps: what was settled once stays so. */
function isSameStamp(one: IndexFile, other: IndexFile, [a, b]: readonly [IndexEntry, IndexEntry]): boolean {
  const from = b.oidAt - STAT_BYTES;
  return one.bytes.compare(other.bytes, from, b.flagsAt, a.oidAt - STAT_BYTES, a.flagsAt) === 0;
}

/** No file was last changed at the beginning of time. */
function isUnstamped(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === 0 && bytes.readUInt32BE(at + 8) === 0;
}

/** Entries of two indexes, each with the one of the same name: both are sorted. */
export function* pairs(
  one: IndexFile,
  other: IndexFile,
): Generator<readonly [IndexEntry | undefined, IndexEntry | undefined]> {
  const left = one.entries;
  const right = other.entries;
  for (let a = 0, b = 0; a < left.length || b < right.length;) {
    const first = left[a];
    const second = right[b];
    const isFirst = second === undefined || (first !== undefined && first.name <= second.name);
    const isSecond = first === undefined || (second !== undefined && second.name <= first.name);
    if (isFirst) a += 1;
    if (isSecond) b += 1;
    yield [isFirst ? first : undefined, isSecond ? second : undefined];
  }
}

/** All but the mode. */
function unstamp(bytes: Buffer, { oidAt }: IndexEntry): void {
  bytes.fill(0, oidAt - STAT_BYTES, oidAt - STAT_BYTES + MODE_AT);
  bytes.fill(0, oidAt - STAT_BYTES + MODE_AT + 4, oidAt);
}

export type IndexCopy = {
  readonly from: string;
  readonly to: string;
  readonly workTree: string;
  readonly oidBytes: number;
};

/** Copies an index that the user or an agent writes, without its stamps. False where there is none that can be copied. */
export function copyIndex(copying: IndexCopy, nested: Nested): boolean {
  const bytes = unless(["ENOENT", "ENOTDIR", "EISDIR"], () => readFileSync(copying.from));
  const index = bytes === undefined ? undefined : parseIndex(bytes, copying.oidBytes);
  if (index === undefined || index.isPartial) return false;
  for (const entry of index.entries) {
    unstamp(index.bytes, entry);
    const flags = index.bytes.readUInt16BE(entry.flagsAt);
    index.bytes.writeUInt16BE(flags & ~ASSUME_VALID, entry.flagsAt);
    if (entry.isExtended) showIfThere(index.bytes, entry, copying.workTree);
  }
  settleNested(index, copying.workTree, nested);
  // What the extensions remember is not believed either.
  writeFileSync(copying.to, sealed(index, copying.oidBytes, true), { mode: 0o600 });
  return true;
}

/** The commit that is checked out in a nested repository; undefined where there is none. */
export type Nested = (name: string) => string | undefined;

/** The same index, with nested repositories at the commit where they are now, and nothing left for git to ask them. */
export function withNested(
  index: IndexFile,
  { workTree, oidBytes }: Pick<IndexCopy, "workTree" | "oidBytes">,
  nested: Nested,
): Buffer {
  if (!index.entries.some(({ mode }) => mode === GITLINK)) return index.bytes;
  const copy = { ...index, bytes: Buffer.from(index.bytes) };
  settleNested(copy, workTree, nested);
  return sealed(copy, oidBytes, true);
}

function settleNested({ bytes, entries }: IndexFile, workTree: string, nested: Nested): void {
  for (const entry of entries) {
    if (entry.mode !== GITLINK || entry.stage !== 0) continue;
    const dot = bytePath(workTree, `${entry.name}/.git`);
    if (unless(["ENOENT", "ENOTDIR"], () => lstatSync(dot)) === undefined) continue;
    const head = nested(entry.name);
    if (head !== undefined && head.length / 2 === entry.flagsAt - entry.oidAt)
      bytes.write(head, entry.oidAt, "hex");
    bytes.writeUInt16BE(bytes.readUInt16BE(entry.flagsAt) | ASSUME_VALID, entry.flagsAt);
  }
}

/** In a sparse checkout a missing file is not a deleted file. */
function showIfThere(bytes: Buffer, { name, flagsAt }: IndexEntry, workTree: string): void {
  const more = bytes.readUInt16BE(flagsAt + 2);
  if ((more & SKIP_WORKTREE) === 0) return;
  if (unless(["ENOENT", "ENOTDIR"], () => lstatSync(bytePath(workTree, name))) === undefined) return;
  bytes.writeUInt16BE(more & ~SKIP_WORKTREE, flagsAt + 2);
}

function sealed({ bytes, end }: IndexFile, oidBytes: number, isOther: boolean): Buffer {
  const body = bytes.subarray(0, isOther ? end : bytes.length - oidBytes);
  const { createHash } = process.getBuiltinModule("node:crypto");
  const seal = createHash(oidBytes === 20 ? "sha1" : "sha256")
    .update(body)
    .digest();
  return Buffer.concat([body, seal]);
}
