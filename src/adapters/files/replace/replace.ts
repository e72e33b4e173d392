/**
 * Replaces a file that people edit: moved aside, compared, the new one linked into its place.
 *
 * Whoever saves in between is noticed: either the file that was moved aside is not the one we read, or a new one has
 * appeared. Then it begins again with what is there now. A crash at any point leaves the old or the new file, and
 * whoever comes next mends the rest.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { codeOf, unless } from "../errno.ts";
import type { Folder, Spot } from "./folder.ts";
import { inFolder } from "./folder.ts";
import { noteLate, takeDue } from "./recent.ts";
import { besideName, clearLate, digestAt, holds, keep, linkInto, mend, newToken } from "./leftover.ts";
import { remove, restore, retire, statOf } from "./leftover.ts";
import { openFile, wait } from "./open.ts";
import type { Opened } from "./open.ts";

/** `keep`: what was there is not ours to replace, so that it is kept and told. `undefined`: leave it as it is. */
export type Edit = { readonly bytes: Uint8Array; readonly keep?: string } | undefined;

export type Rewriting = {
  /** May be asked several times: whenever the file has changed. */
  readonly edit: (now: Uint8Array | undefined) => Edit;
  /** Whether this is the digest of something that we wrote ourselves: then nobody else saved it a moment ago. */
  readonly isOurs?: (digest: string) => boolean;
};

export type Rewritten = {
  readonly type: "written" | "same" | "refused";
  readonly reason: string;
  readonly told: readonly string[];
};

const TRIES_MAX = 40;
/** Editors empty a file before they fill it: what was saved just now is given a moment, and an empty file a longer one. */
const QUIET_MS = 20;
const QUIET_EMPTY_MS = 200;
const WAIT_MS = 5;
/** For all tries together: somebody who saves all the time is not waited for, and loses nothing by that. */
const WAITED_MS_MAX = 60;

export function rewrite(spot: Spot, rewriting: Rewriting): Rewritten {
  const cleared = clearDue();
  const done = inFolder({ ...spot, make: spot.isWorkspace === true ? "below" : true }, (folder, name) =>
    rewriteIn(folder, name, rewriting),
  );
  if (done.type === "done") return { ...done.value, told: [...cleared, ...done.value.told] };
  const reason = done.type === "missing" ? "has no folder" : done.reason;
  return { type: "refused", reason, told: cleared };
}

/** What was replaced elsewhere a while ago. */
function clearDue(): readonly string[] {
  return takeDue().flatMap((root) => {
    const done = inFolder({ root, file: "any" }, clearLate);
    if (done.type !== "done") return [];
    if (done.value.isLeft) noteLate(root);
    return done.value.told;
  });
}

function rewriteIn(folder: Folder, name: string, rewriting: Rewriting): Rewritten {
  const { edit, isOurs = () => false } = rewriting;
  const told: string[] = [];
  const until = Date.now() + WAITED_MS_MAX;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    told.push(...mend(folder, name, { force: tries === TRIES_MAX }));
    const opened = openQuiet(folder, name, { isOurs, until });
    if (opened.type === "refused") return { type: "refused", reason: opened.reason, told };
    const now = opened.type === "bytes" ? opened : undefined;
    const wanted = edit(now?.bytes);
    if (wanted === undefined || (now !== undefined && isEqual(now.bytes, wanted.bytes)))
      return { type: "same", reason: "", told };
    const installed = install(folder, name, { now, wanted, isOurs });
    told.push(...installed.told);
    if (installed.isDone) return { type: "written", reason: "", told };
    wait(Math.min(tries, WAIT_MS));
  }
  return { type: "refused", reason: "is changed by somebody all the time", told };
}

type IsOurs = NonNullable<Rewriting["isOurs"]>;
type Quiet = { readonly isOurs: IsOurs; readonly until: number };

/** Waits a moment for whoever is saving right now. */
function openQuiet(folder: Folder, name: string, { isOurs, until }: Quiet): Opened {
  for (;;) {
    const opened = openFile(folder, name);
    const emptyMs = opened.type === "bytes" && opened.bytes.length === 0 ? QUIET_EMPTY_MS : 0;
    if (!isBeingSaved(opened, isOurs) || Date.now() >= until + emptyMs) return opened;
    wait(WAIT_MS);
  }
}

function isBeingSaved(opened: Opened, isOurs: IsOurs): boolean {
  if (opened.type !== "bytes" || isOurs(sha256(opened.bytes))) return false;
  const ageMs = Date.now() - Number(opened.stat.mtimeMs);
  return ageMs >= 0 && ageMs < (opened.bytes.length === 0 ? QUIET_EMPTY_MS : QUIET_MS);
}

type Installing = {
  readonly now: Extract<Opened, { type: "bytes" }> | undefined;
  readonly wanted: { readonly bytes: Uint8Array; readonly keep?: string };
  readonly isOurs: IsOurs;
};
type Installed = { readonly isDone: boolean; readonly told: readonly string[] };

const SAVED = "somebody saved it while it was being replaced";

function install(folder: Folder, name: string, installing: Installing): Installed {
  const { now, wanted, isOurs } = installing;
  const token = newToken();
  const fresh = besideName("new", token, name);
  const old = besideName("old", token, name);
  try {
    write(folder, fresh, { bytes: wanted.bytes, like: now?.stat });
    if (now === undefined) return settled(folder, { isDone: settle(folder, fresh, name), told: [] });
    const digest = sha256(now.bytes);
    const shown = settled(folder, exchange({ folder, name, old, fresh, bytes: now.bytes, why: wanted.keep }));
    if (!shown.isDone) return shown;
    const told = retire(folder, name, { entry: old, token, digest, isOurs: isOurs(digest) });
    return { isDone: true, told: [...shown.told, ...told] };
  } catch (error) {
    giveBack(folder, old, name);
    throw error;
  } finally {
    // Last of all: as long as it is there, it tells how far we got. If the system forgets it, whoever comes next takes it away.
    failpoint("files.before-tidy");
    remove(folder, fresh);
    failpoint("files.after-tidy");
  }
}

type Exchanging = {
  readonly folder: Folder;
  readonly name: string;
  readonly old: string;
  readonly fresh: string;
  readonly bytes: Uint8Array;
  /** Why what was there is kept, if it is. */
  readonly why: string | undefined;
};

function exchange({ folder, name, old, fresh, bytes, why }: Exchanging): Installed {
  // Bytes, and no digest: for as long as this takes, the file is not there for anybody.
  const moved = moveAside(folder, { name, old, isSame: () => holds(folder, old, bytes) });
  if (!moved.isDone) return moved;
  // Before the new file is there: a crash in between must not take it for something that was replaced.
  const told = why === undefined ? [] : keep(folder, name, { entry: old, why });
  if (settle(folder, fresh, name)) return { isDone: true, told };
  return { isDone: false, told: [...told, ...giveBack(folder, old, name)] };
}

/** Durable, which may take a while. */
function settled(folder: Folder, installed: Installed): Installed {
  if (installed.isDone) folder.sync();
  return installed;
}

/** Puts back what was moved aside; where somebody has put a file there in the meantime, it is kept. */
function giveBack(folder: Folder, old: string, name: string): readonly string[] {
  restore(folder, old, name);
  const aside = statOf(folder, old);
  if (aside === undefined) return [];
  // Our own file, put back by a reader, is no save of anybody's.
  if (aside.ino === statOf(folder, name)?.ino) return remove(folder, old);
  return keep(folder, name, { entry: old, why: SAVED });
}

function settle(folder: Folder, fresh: string, name: string): boolean {
  failpoint("files.before-link");
  const isThere = linkInto(folder, fresh, name);
  failpoint("files.after-link");
  return isThere;
}

type Moving = { readonly name: string; readonly old: string; readonly isSame: () => boolean };

/** Moves a file aside if it still is the same; otherwise everything is as it was. */
function moveAside(folder: Folder, { name, old, isSame }: Moving): Installed {
  failpoint("files.before-aside");
  const isMoved = unless(["ENOENT"], () => (renameSync(folder.at(name), folder.at(old)), true));
  failpoint("files.after-aside");
  if (isMoved === undefined) return { isDone: false, told: [] };
  if (isSame()) return { isDone: true, told: [] };
  return { isDone: false, told: giveBack(folder, old, name) };
}

/** Takes a file away if it still has this content. What was saved in between stays. */
export function withdraw(folder: Folder, name: string, digest: string): Installed {
  const token = newToken();
  const old = besideName("old", token, name);
  const moved = moveAside(folder, { name, old, isSame: () => digestAt(folder, old) === digest });
  if (!moved.isDone) return moved;
  failpoint("files.before-withdraw");
  const told = retire(folder, name, { entry: old, token, digest });
  folder.sync();
  failpoint("files.after-withdraw");
  return { isDone: true, told };
}

type Writing = {
  readonly bytes: Uint8Array;
  readonly like: { readonly mode: bigint; readonly uid: bigint; readonly gid: bigint } | undefined;
};

/** Whole and durable, or not there at all. */
function write(folder: Folder, entry: string, { bytes, like }: Writing): void {
  failpoint("files.before-write");
  create(folder, entry, (fd) => {
    fchmodSync(fd, like === undefined ? folder.mode & 0o666 : Number(like.mode & 0o7777n));
    if (like !== undefined) unless(["EPERM"], () => fchownSync(fd, Number(like.uid), Number(like.gid)));
    writeAll(fd, bytes);
  });
  failpoint("files.after-write");
}

/** A new file that is filled and made durable; nothing is left of it when that fails. */
export function create(folder: Folder, entry: string, fill: (fd: number) => void): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(folder.at(entry), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fill(fd);
    fsyncSync(fd);
  } catch (error) {
    remove(folder, entry);
    throw error;
  } finally {
    closeSync(fd);
  }
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(fd, bytes, at);
    if (written === 0) throw new Error(`only ${at} of ${bytes.length} bytes could be written`);
    at += written;
  }
}

function isEqual(one: Uint8Array, two: Uint8Array): boolean {
  return Buffer.compare(one, two) === 0;
}

/** The sentence for a file that the system does not let us write. */
export function whyNot(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : `cannot be written (${code})`;
}
