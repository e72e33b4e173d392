/**
 * Restores what a run left, as a new folder: every byte, and nothing that existed before is touched.
 *
 * The folder holds the kept files, and under them the files of the commit that they were kept beside. `.salvage/git` is the `.git` of the
 * workspace, where it was kept. All of it is made under another name, and gets its own when it is whole.
 */

import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { codeOf, unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { gitBytes } from "../call/call.ts";
import { entriesIn, LINK_MODE, NESTED_MODE, PROGRAM_MODE, type TreeEntry } from "../mirror/loose-objects.ts";
import { inMirror } from "../mirror/mirror.ts";
import { isFolder, isThere } from "../repository/locate.ts";
import { bytePath } from "../snapshot/paths.ts";
import type { Git } from "../workspace/bench.ts";
import { copyInside, copyOver, type Copied } from "./move.ts";
import type { KeptWorkspace } from "./release.ts";

export type Restoration = {
  /** It must not exist; its parent folder must. */
  readonly folder: string;
  readonly mirror: string;
  /** The newest first. */
  readonly kept: readonly KeptWorkspace[];
  /** The newest work that no handover has; empty where there is none. */
  readonly left: string;
  /** The latest handover; empty where there is none. */
  readonly head: string;
};

const CONFLICT = 6;
const SIDE = ".salvage";

export async function restore(on: Git, restoration: Restoration): Promise<Copied> {
  const { folder } = restoration;
  refusePlace(folder);
  const part = mkdtempSync(join(dirname(folder), `.${basename(folder)}.`));
  try {
    const copied = await fill(on, part, restoration);
    failpoint("salvage.before-restore");
    claim(folder);
    // Over the folder that was just made, and only while it is empty.
    renameSync(part, folder);
    failpoint("salvage.after-restore");
    return copied;
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function refusePlace(folder: string): void {
  if (isThere(folder)) throw taken(folder);
  if (unless(["ENOENT", "ENOTDIR"], () => lstatSync(`${dirname(folder)}/.`))?.isDirectory() !== true)
    throw new UserError("no-folder", `${dirname(folder)} is not a folder.`, `mkdir -p '${dirname(folder)}'`);
}

function claim(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? taken(folder) : error;
  }
}

function taken(folder: string): UserError {
  return new UserError("folder-exists", `${folder} exists already, and nothing is restored over it.`, {
    next: "name a folder that does not exist: signalbox salvage restore ID FOLDER",
    exit: CONFLICT,
  });
}

/** Files of several releases that have the same name: those that were kept beside the restored commit have it, the others get another. */
async function fill(on: Git, part: string, { mirror, kept, left, head }: Restoration): Promise<Copied> {
  const copied: Copied = { files: 0, left: [] };
  // A workspace that was kept whole needs no commit under it.
  const below = left === "" ? (kept[0]?.commit ?? head) : left;
  const isFirst = ({ commit }: KeptWorkspace): number => (commit === below ? 0 : 1);
  for (const { folder } of kept.toSorted((a, b) => isFirst(a) - isFirst(b))) {
    if (!isFolder(folder)) {
      copyOver(Buffer.from(folder), bytePath(part, basename(folder)), copied);
      continue;
    }
    copyInside(Buffer.from(folder), Buffer.from(part), { copied, without: [".git"] });
    if (!isThere(join(folder, ".git"))) continue;
    mkdirSync(join(part, SIDE), { recursive: true, mode: 0o700 });
    copyOver(Buffer.from(join(folder, ".git")), bytePath(part, join(SIDE, "git")), copied);
  }
  if (below !== "") await layUnder(on, part, { mirror, commit: below, copied });
  return copied;
}

type RestoreLayer = { readonly mirror: string; readonly commit: string; readonly copied: Copied };

/** The bytes as the mirror has them, without filters, wherever nothing was kept under the same name. */
async function layUnder(on: Git, part: string, { mirror, commit, copied }: RestoreLayer): Promise<void> {
  const entries = (await entriesIn(on, mirror, commit)).filter(
    ({ mode, name }) => mode !== NESTED_MODE && isPlain(name),
  );
  const missing = new Set(entries.filter(({ name }) => !isThereAt(part, name)));
  const wanted = [...missing];
  const oids = wanted.map(({ oid }) => oid);
  for await (const [place, bytes] of blobsOf(on, mirror, oids)) {
    const entry = wanted[place];
    if (entry === undefined || !makeAbove(part, entry.name)) continue;
    write(bytePath(part, entry.name), entry, bytes);
    missing.delete(entry);
    copied.files += 1;
  }
  for (const { name, oid } of missing)
    copied.left.push(`${Buffer.from(name, "latin1").toString()} (${oid} is missing in ${mirror})`);
}

/** A name that git itself would never check out was made up: it must not lead out of the folder. */
function isPlain(name: string): boolean {
  return name.split("/").every((part) => !["", ".", ".."].includes(part) && part.toLowerCase() !== ".git");
}

/** False where something else than a folder is above it: a link there leads elsewhere. */
function makeAbove(folder: string, name: string): boolean {
  const parts = name.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const path = bytePath(folder, parts.slice(0, depth).join("/"));
    const stat = unless(["ENOENT"], () => lstatSync(path));
    if (stat === undefined) mkdirSync(path);
    else if (!stat.isDirectory()) return false;
  }
  return true;
}

function write(path: Buffer, { mode }: TreeEntry, bytes: Buffer): void {
  if (mode === LINK_MODE) symlinkSync(bytes, path);
  else writeFileSync(path, bytes, { flag: "wx", mode: mode === PROGRAM_MODE ? 0o777 : 0o666 });
}

function isThereAt(folder: string, name: string): boolean {
  return unless(["ENOENT", "ENOTDIR"], () => lstatSync(bytePath(folder, name))) !== undefined;
}

const BYTES_MAX = 32 * 1024 * 1024;
const LINE_END = 0x0a;

/** Each with its place in the list. What is missing is left out. */
async function* blobsOf(
  on: Git,
  mirror: string,
  oids: readonly string[],
): AsyncGenerator<readonly [place: number, bytes: Buffer]> {
  if (oids.length === 0) return;
  const sizes = await ask(on, mirror, { args: ["cat-file", "--batch-check=%(objectsize)"], oids });
  const lines = sizes.toString("utf8").split("\n");
  const present = oids.flatMap((oid, place) => {
    const length = Number(lines[place]);
    return Number.isNaN(length) ? [] : [{ place, oid, length }];
  });
  for (const some of portions(present)) {
    const args = ["cat-file", "--batch"];
    const bytes = await ask(on, mirror, { args, oids: some.map(({ oid }) => oid) });
    let at = 0;
    for (const { place, length } of some) {
      const start = bytes.indexOf(LINE_END, at) + 1;
      yield [place, bytes.subarray(start, start + length)];
      at = start + length + 1;
    }
  }
}

function* portions<T extends { readonly length: number }>(all: readonly T[]): Generator<readonly T[]> {
  let some: T[] = [];
  let sum = 0;
  for (const each of all) {
    if (some.length > 0 && sum + each.length > BYTES_MAX) {
      yield some;
      some = [];
      sum = 0;
    }
    some.push(each);
    sum += each.length;
  }
  if (some.length > 0) yield some;
}

async function ask(
  on: Git,
  mirror: string,
  of: { readonly args: readonly string[]; readonly oids: readonly string[] },
): Promise<Buffer> {
  const input = of.oids.map((oid) => `${oid}\n`).join("");
  return gitBytes(on.env, { ...inMirror(mirror), args: of.args, input });
}
