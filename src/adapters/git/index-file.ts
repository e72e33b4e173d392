/**
 * A copy of git's index that hides nothing.
 *
 * The copy is read with the index's own stamps, so that unchanged files are not read again. Marks by which a file asks not to be
 * looked at ("assume unchanged", "skip worktree") are taken off, and a nested repository is not asked by starting git inside it,
 * where its own configuration would speak.
 */

import { lstatSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { unless } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";

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

const GITLINK = 0o160000;

const STAT_BYTES = 40;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const NAME_MAX = 0xfff;

/** `undefined` for what is no index that we know. */
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

export type Copying = {
  readonly from: string;
  readonly to: string;
  readonly workTree: string;
  readonly oidBytes: number;
  /** The commit that is checked out in a nested repository; undefined where there is none. */
  readonly nested: (path: string) => Promise<string | undefined>;
};

/** False where there is no index that can be copied. */
export async function copyIndex(copying: Copying): Promise<boolean> {
  // Before the bytes: a younger index with an older stamp only makes git look twice.
  const stamp = unless(["ENOENT"], () => statSync(copying.from).mtimeMs);
  if (stamp === undefined) return false;
  const bytes = unless(["ENOENT"], () => readFileSync(copying.from));
  const index = bytes === undefined ? undefined : parseIndex(bytes, copying.oidBytes);
  if (index === undefined || index.isPartial) return false;
  const change = await unhide(index, copying);
  const copy = change === "none" ? index.bytes : sealed(index, copying.oidBytes, change === "content");
  writeFileSync(copying.to, copy, { mode: 0o600 });
  // Git reads a file again that is as young as the index: a copy must not look younger than what it is a copy of.
  const seconds = (Math.floor(stamp) - 1) / 1000;
  utimesSync(copying.to, seconds, seconds);
  return true;
}

/** Where content was changed, what the extensions remember is no longer true. */
type Change = "none" | "marks" | "content";

async function unhide({ bytes, entries }: IndexFile, { workTree, nested }: Copying): Promise<Change> {
  let isOther = false;
  let isMarked = false;
  for (const entry of entries) {
    const flags = bytes.readUInt16BE(entry.flagsAt);
    if ((flags & ASSUME_VALID) !== 0) bytes.writeUInt16BE(flags & ~ASSUME_VALID, entry.flagsAt);
    if (entry.isExtended) showIfThere(bytes, entry, workTree);
    isMarked ||= entry.isExtended || (flags & ASSUME_VALID) !== 0 || entry.mode === GITLINK;
    if (entry.mode !== GITLINK || entry.stage !== 0) continue;
    if (
      unless(["ENOENT", "ENOTDIR"], () => lstatSync(bytePath(workTree, `${entry.name}/.git`))) === undefined
    )
      continue;
    const head = await nested(entry.name);
    const now = bytes.toString("hex", entry.oidAt, entry.oidAt + (head ?? "").length / 2);
    if (head !== undefined && head !== now) {
      bytes.write(head, entry.oidAt, "hex");
      isOther = true;
    }
    bytes.writeUInt16BE((flags & ~ASSUME_VALID) | ASSUME_VALID, entry.flagsAt);
  }
  if (isOther) return "content";
  return isMarked ? "marks" : "none";
}

/** In a sparse checkout what is not there is meant not to be there. */
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
