/**
 * Files of ours beside a file that is being replaced, and what becomes of them when whoever made them is gone.
 *
 * - *new*: the bytes to come, whole and durable before anything else happens;
 * - *old*: what was there, moved aside; removed before *new* is, so that both together tell how far it got;
 * - *late*: what was there and was saved a moment ago: somebody may still have it open and write into it. It goes when that moment is over
 *   and something is written in its folder, or by whoever has put it there (`late.ts`);
 * - *kept*: what somebody wrote and what could not be put together with the file. Never removed by us.
 *
 * All begin with `.signalbox-`, so that one pattern keeps them out of the work.
 */

import { closeSync, constants, linkSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { renameSync, unlinkSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import { newName } from "../../home/new-name.ts";
import { codeOf, unless } from "../errno.ts";
import type { Folder } from "./folder.ts";
import { LATE_MS, noteLate } from "./recent.ts";

const PREFIX = ".signalbox-";
const PATTERN = /^\.signalbox-(new|old|late)-((\d+)\.[0-9a-f]+)(?:\.([0-9a-f]{16}))?-(.+)$/;
const NAME_MAX = 100;
/** Replacing takes milliseconds; a process with the same number is another one after this. */
const ALIVE_MS = 60_000;
const CHUNK = 64 * 1024;
/** Folders, file systems without links, and folders without room for another name know only renaming. */
const ONLY_RENAMING = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "ENOSPC", "EDQUOT"]);

type Leftover = {
  readonly entry: string;
  readonly kind: string;
  readonly token: string;
  readonly pid: number;
  readonly digest: string;
  /** What the file is called that it lies beside. */
  readonly of: string;
};

export function newToken(): string {
  return `${process.pid}.${newName()}`;
}

export function besideName(kind: "new" | "old", token: string, name: string): string {
  return `${PREFIX}${kind}-${token}-${labelOf(name)}`;
}

/** A name that is long already cannot become longer. */
function labelOf(name: string): string {
  return name.length <= NAME_MAX ? name : sha256(name).slice(0, 32);
}

export type Mending = {
  /** Also what a process that lives has under way. Nothing is lost: it finds out and begins again. */
  readonly force?: boolean;
  /** Only what is needed to read the file: what must be told is left to whoever writes next. */
  readonly isReader?: boolean;
};

/** Finishes or takes back what a process left undone, and clears away what was replaced; gives what is worth telling. */
export function mend(folder: Folder, name: string, how: Mending = {}): readonly string[] {
  const all = leftoversIn(folder);
  const leftovers = all.filter(({ of: label }) => label === labelOf(name));
  const told = how.isReader === true ? [] : [...settleLate(folder, all)];
  for (const token of new Set(leftovers.map((each) => each.token))) {
    const of = (kind: string) => leftovers.find((each) => each.token === token && each.kind === kind);
    const [old, fresh] = [of("old"), of("new")];
    const any = old ?? fresh;
    if (any === undefined || (how.force !== true && isAtWork(folder, any))) continue;
    if (old !== undefined) told.push(...settleOld({ folder, name, old, fresh }, how));
    if (fresh !== undefined && (old === undefined || statOf(folder, old.entry) === undefined))
      remove(folder, fresh.entry);
  }
  return told;
}

/** Whether a replacement is under way, or was when somebody died. */
export function isUnderWay(folder: Folder, name: string): boolean {
  return leftoversIn(folder).some(({ kind, of }) => kind !== "late" && of === labelOf(name));
}

function leftoversIn(folder: Folder): readonly Leftover[] {
  return readdirSync(folder.at(".")).flatMap((entry) => {
    if (!entry.startsWith(PREFIX)) return [];
    const [, kind = "", token = "", pid = "", digest = "", of] = PATTERN.exec(entry) ?? [];
    return of === undefined ? [] : [{ entry, kind, token, pid: Number(pid), digest, of }];
  });
}

function isAtWork(folder: Folder, { entry, pid }: Leftover): boolean {
  const stat = statOf(folder, entry);
  if (stat === undefined) return true;
  return Date.now() - Number(stat.ctimeMs) < ALIVE_MS && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

type Undone = {
  readonly folder: Folder;
  readonly name: string;
  readonly old: Leftover;
  readonly fresh: Leftover | undefined;
};

function settleOld({ folder, name, old, fresh }: Undone, { isReader }: Mending): readonly string[] {
  if (statOf(folder, name) === undefined) restore(folder, old.entry, name);
  const [aside, there] = [statOf(folder, old.entry), statOf(folder, name)];
  if (aside === undefined) return [];
  if (there !== undefined && aside.ino === there.ino) return remove(folder, old.entry);
  const made = fresh === undefined ? undefined : statOf(folder, fresh.entry);
  const isReplaced = made !== undefined && there !== undefined && made.ino === there.ino;
  if (isReplaced) return retire(folder, name, { entry: old.entry, token: old.token });
  if (isReader === true) return [];
  return keep(folder, name, { entry: old.entry, why: "somebody saved it while it was being replaced" });
}

/** Puts back what was moved aside. A file that has appeared there in the meantime stays, and so does what is aside. */
export function restore(folder: Folder, entry: string, name: string): void {
  if (linkInto(folder, entry, name)) remove(folder, entry);
}

/** Gives a file a second name; false where that name is taken, or the file is gone. */
export function linkInto(folder: Folder, entry: string, name: string): boolean {
  try {
    linkSync(folder.at(entry), folder.at(name));
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EEXIST" || code === "ENOENT") return false;
    if (!ONLY_RENAMING.has(code)) throw error;
    if (statOf(folder, name) !== undefined) return false;
    renameSync(folder.at(entry), folder.at(name));
    return true;
  }
}

/** `digest`: of what was replaced, where that is known. `isOurs`: we wrote that ourselves, so that nobody was saving. */
type Aside = {
  readonly entry: string;
  readonly token: string;
  readonly digest?: string;
  readonly isOurs?: boolean;
};

/** What was replaced goes, unless somebody may still be writing into it, or has: making it durable takes its time. */
export function retire(folder: Folder, name: string, aside: Aside): readonly string[] {
  const stat = statOf(folder, aside.entry);
  if (stat === undefined) return [];
  const now = digestAt(folder, aside.entry);
  const { digest = now } = aside;
  if (now === digest && (aside.isOurs === true || isQuiet(stat))) return remove(folder, aside.entry);
  const late = `${PREFIX}late-${aside.token}.${digest.slice(0, 16)}-${labelOf(name)}`;
  renameSync(folder.at(aside.entry), folder.at(late));
  noteLate(folder.path);
  return [];
}

/** What lies in a folder and was replaced; whether any of it has to stay for now. */
export function clearLate(folder: Folder): { readonly told: readonly string[]; readonly isLeft: boolean } {
  const told = settleLate(folder, leftoversIn(folder));
  return { told, isLeft: leftoversIn(folder).some(({ kind }) => kind === "late") };
}

function settleLate(folder: Folder, all: readonly Leftover[]): readonly string[] {
  return all.flatMap((each) => (each.kind === "late" ? settleOne(folder, each.of, each) : []));
}

function settleOne(folder: Folder, name: string, { entry, digest }: Leftover): readonly string[] {
  const stat = statOf(folder, entry);
  if (stat === undefined) return [];
  if (!digestAt(folder, entry).startsWith(digest))
    return keep(folder, name, { entry, why: "somebody wrote into it after it was replaced" });
  return isQuiet(stat) ? remove(folder, entry) : [];
}

/** It was replaced, and nobody has written into it since: what it says went on elsewhere. */
export function isSpent(folder: Pick<Folder, "at">, entry: string): boolean {
  const [, kind = "", , , digest = ""] = PATTERN.exec(entry) ?? [];
  return kind === "late" && digest !== "" && digestAt(folder, entry).startsWith(digest);
}

function isQuiet(stat: BigIntStats): boolean {
  return Math.abs(Date.now() - Number(stat.mtimeMs)) > LATE_MS;
}

/** Puts a file where nothing of ours removes it, and says where. */
export function keep(
  folder: Folder,
  name: string,
  { entry, why }: { readonly entry: string; readonly why: string },
): readonly string[] {
  for (let number = 1; ; number += 1) {
    const kept = `${PREFIX}kept-${number}-${labelOf(name)}`;
    if (statOf(folder, entry) === undefined) return [];
    if (!linkInto(folder, entry, kept)) continue;
    remove(folder, entry);
    return [`${name}: ${why}; what it said is kept in ${join(folder.path, kept)}`];
  }
}

export function remove(folder: Folder, entry: string): readonly string[] {
  unless(["ENOENT"], () => unlinkSync(folder.at(entry)));
  return [];
}

export function statOf(folder: Pick<Folder, "at">, entry: string): BigIntStats | undefined {
  return unless(["ENOENT"], () => lstatSync(folder.at(entry), { bigint: true }));
}

/** Whether it is a file with exactly this content. */
export function holds(folder: Pick<Folder, "at">, entry: string, bytes: Uint8Array): boolean {
  const fd = openRegular(folder, entry);
  if (fd === undefined) return false;
  try {
    // One byte more than there should be: then it is longer.
    const found = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (let read = 1; read > 0; length += read)
      read = readSync(fd, found, length, found.length - length, null);
    return found.subarray(0, length).equals(bytes);
  } finally {
    closeSync(fd);
  }
}

function openRegular(folder: Pick<Folder, "at">, entry: string): number | undefined {
  if (statOf(folder, entry)?.isFile() !== true) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return unless(["ENOENT", "ELOOP"], () => openSync(folder.at(entry), flags));
}

/** SHA-256 of a file of any size; empty for what is no regular file. */
export function digestAt(folder: Pick<Folder, "at">, entry: string): string {
  const fd = openRegular(folder, entry);
  if (fd === undefined) return "";
  try {
    const chunk = Buffer.alloc(CHUNK);
    const first = readSync(fd, chunk);
    if (first < CHUNK) return sha256(chunk.subarray(0, first));
    const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
    for (let read = first; read > 0; read = readSync(fd, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}
