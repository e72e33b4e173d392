/**
 * Gives a salvage back as a new folder: every byte, and nothing that was there before is touched.
 *
 * The folder holds the work as it was on the disk, with the files laid over it that git does not hold. What belongs to no file of the
 * work is in `.salvage` inside of it: the index where it was something else (`staged`), what git was in the middle of (`git`),
 * earlier releases of the same run (`earlier`), and what was put into quarantine. All of it is made beside its place, and gets its
 * name when it is whole.
 */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { codeOf, unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import { UserError } from "../user-error.ts";
import { blobsOf } from "./blobs.ts";
import { bytePath } from "./byte-path.ts";
import { git, gitRecords, tryGit } from "./call.ts";
import { copyInside, copyOver } from "./copy-over.ts";
import type { Copied } from "./copy-over.ts";
import { at, benchOf, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import type { Layer } from "./salvaged.ts";
import { withScratch } from "./scratch.ts";

export type Restoring = {
  /** It must not be there yet; the one that it is in must. */
  readonly folder: string;
  /** Empty where the repository is gone. */
  readonly commonDir: string;
  readonly layers: readonly Layer[];
  /** Folders of files that git does not hold. */
  readonly kept: readonly string[];
  /** What was put into quarantine. */
  readonly aside: readonly string[];
  /** Said in the folder itself. */
  readonly about: string;
};

export type Restored = { readonly folder: string; readonly side: string; readonly copied: Copied };

const CONFLICT = 6;
const CHECKOUT_MS = 30 * 60_000;
const OPERATION = ".git";

export async function restore(on: On, restoring: Restoring): Promise<Restored> {
  const { folder } = restoring;
  refusePlace(folder);
  const part = join(dirname(folder), `.${basename(folder)}.${newName()}`);
  mkdirSync(part, { mode: 0o700 });
  try {
    const { side, copied } = await fill(on, part, restoring);
    failpoint("salvage.before-restore");
    claim(folder);
    // Over a folder that we have just made, and only while it is empty.
    renameSync(part, folder);
    failpoint("salvage.after-restore");
    return { folder, side: join(folder, side), copied };
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function refusePlace(folder: string): void {
  if (unless(["ENOENT", "ENOTDIR"], () => lstatSync(folder)) !== undefined) throw taken(folder);
  if (unless(["ENOENT", "ENOTDIR"], () => lstatSync(`${dirname(folder)}/.`))?.isDirectory() !== true)
    throw new UserError(
      "no-folder",
      `there is no folder ${dirname(folder)}`,
      `mkdir -p '${dirname(folder)}'`,
    );
}

function claim(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? taken(folder) : error;
  }
}

function taken(folder: string): UserError {
  return new UserError("folder-exists", `${folder} is there already, and nothing is restored over it.`, {
    next: "name a folder that does not exist: signalbox salvage restore ID FOLDER",
    exit: CONFLICT,
  });
}

async function fill(
  on: On,
  part: string,
  { commonDir, layers, kept, aside, about }: Restoring,
): Promise<{ readonly side: string; readonly copied: Copied }> {
  const copied: Copied = { files: 0, left: [] };
  const [newest, ...earlier] = layers;
  if (newest !== undefined) await lay(on, part, { commonDir, layer: newest, copied });
  for (const folder of kept)
    copyInside(Buffer.from(folder), Buffer.from(part), { copied, without: [OPERATION] });
  const side = freeName(part, ".salvage");
  const into = (name: string): string => {
    const path = join(part, side, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  if (newest !== undefined && newest.staged !== "")
    await layStaged(on, into("staged"), { commonDir, layer: newest, copied });
  for (const folder of kept.map((path) => join(path, OPERATION)).filter((path) => existsSync(path)))
    copyInside(Buffer.from(folder), Buffer.from(into("git")), { copied });
  for (const [place, layer] of earlier.entries()) {
    await lay(on, into(`earlier/${place + 1}/files`), { commonDir, layer, copied });
    if (layer.staged !== "")
      await layStaged(on, into(`earlier/${place + 1}/staged`), { commonDir, layer, copied });
  }
  for (const path of aside)
    copyOver(Buffer.from(path), Buffer.from(join(into("quarantine"), basename(path))), copied);
  writeFileSync(join(into("."), "ABOUT.md"), about, { flag: "wx", mode: 0o600 });
  return { side, copied };
}

function freeName(folder: string, wanted: string): string {
  const names = readdirSync(folder);
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? wanted : `${wanted}~${number}`;
    if (!names.includes(name)) return name;
  }
}

type Laying = { readonly commonDir: string; readonly layer: Layer; readonly copied: Copied };

/** The files of the work, as they were on the disk. */
async function lay(on: On, folder: string, { commonDir, layer, copied }: Laying): Promise<void> {
  await withBench(on, { path: folder, gitDir: commonDir }, async (bench, index) => {
    const call = { ...at(bench, index), limitMs: CHECKOUT_MS };
    await git(on.env, { ...call, args: ["read-tree", layer.tree] });
    // A filter that is not there any more fails for its own files only: those are given as git holds them.
    await tryGit(on.env, { ...call, args: ["checkout-index", "-q", "--all"] });
    const entries = await entriesOf(on, bench, layer.tree);
    const missing = entries.filter(({ name, mode }) => mode !== GITLINK && !isAt(folder, name));
    await writeBlobs(on, bench, { folder, entries: missing });
    for (const { name } of missing)
      copied.left.push(`${name} is as git stores it: its filter does not work here`);
    copied.files += entries.length;
    if (layer.raw !== "")
      await writeBlobs(on, bench, { folder, entries: await entriesOf(on, bench, layer.raw) });
  });
}

/** What was staged, of the files in which that is something else than the work. The sides of a conflict are under `.conflict`. */
async function layStaged(on: On, folder: string, { commonDir, layer, copied }: Laying): Promise<void> {
  await withBench(on, { path: folder, gitDir: commonDir }, async (bench) => {
    const [work, staged] = await Promise.all([
      entriesOf(on, bench, layer.tree),
      entriesOf(on, bench, layer.staged),
    ]);
    const known = new Set(work.map(({ mode, oid, name }) => `${mode} ${oid} ${name}`));
    const entries = staged.filter(
      ({ mode, oid, name }) => mode !== GITLINK && !known.has(`${mode} ${oid} ${name}`),
    );
    await writeBlobs(on, bench, { folder, entries });
    copied.files += entries.length;
  });
}

/** A git folder of ours with nothing of the repository but its objects, for as long as it is needed. */
async function withBench(
  on: On,
  of: { readonly path: string; readonly gitDir: string },
  use: (bench: Bench, index: string) => Promise<void>,
): Promise<void> {
  await withScratch(on, async (root) => {
    makeFolder(root);
    const bench = await benchOf({ ...on, home: { ...on.home, root } }, of);
    await use(bench, join(root, "index"));
  });
}

const GITLINK = "160000";
const LINK = "120000";
const PROGRAM = "100755";

type Entry = { readonly mode: string; readonly oid: string; readonly name: string };

async function entriesOf(on: On, bench: Bench, tree: string): Promise<readonly Entry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const records = await gitRecords(on.env, { ...within(bench), args });
  return records.flatMap((record) => {
    const [, mode = "", oid = "", name = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    return isPlain(name) ? [{ mode, oid, name }] : [];
  });
}

/** What git itself would never make of a folder is no file of the work: somebody has made up the tree. */
function isPlain(name: string): boolean {
  return name.split("/").every((part) => !["", ".", ".."].includes(part) && part.toLowerCase() !== ".git");
}

/** The bytes as they are in the repository, over what a checkout made of them. */
async function writeBlobs(
  on: On,
  bench: Bench,
  { folder, entries }: { readonly folder: string; readonly entries: readonly Entry[] },
): Promise<void> {
  for await (const [place, bytes] of blobsOf(
    on,
    bench,
    entries.map(({ oid }) => oid),
  )) {
    const entry = entries[place];
    if (entry === undefined || !makeAbove(folder, entry.name)) continue;
    const path = bytePath(folder, entry.name);
    const there = unless(["ENOENT"], () => lstatSync(path));
    if (there?.isDirectory() === true) rmdirSync(path);
    else if (there !== undefined) unlinkSync(path);
    if (entry.mode === LINK) symlinkSync(bytes, path);
    else writeFileSync(path, bytes, { flag: "wx", mode: entry.mode === PROGRAM ? 0o777 : 0o666 });
  }
}

/** False where something else than a folder is above it: a link there leads to what is not ours. */
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

function isAt(folder: string, name: string): boolean {
  return unless(["ENOENT", "ENOTDIR"], () => lstatSync(bytePath(folder, name))) !== undefined;
}
