/**
 * Takes a run's work out of a worktree: saved first, what git does not hold moved away, then git itself removes the files, each only
 * if it still is what was saved. What is there afterwards is nothing, or the commit that the worktree is to rest at.
 */

import { copyFileSync, readdirSync, readFileSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { bytePath } from "./byte-path.ts";
import { git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { putBackConverted } from "./converted.ts";
import { keepRest } from "./keep.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { at, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { repairPointer } from "./pointer.ts";
import { salvage } from "./salvage.ts";
import { withScratch } from "./scratch.ts";
import { isTooLong, keepTooLong } from "./too-long.ts";
import { addAll, withCopy } from "./tree.ts";

export type Registered = {
  readonly run: string;
  readonly commonDir: string;
  readonly bench: Bench;
  /** Where what git does not hold is moved to. */
  readonly keep: string;
};

/** How a worktree is left that stays for the next run. */
export type Rest = {
  readonly commit: string;
  readonly isReused: (name: string) => boolean;
};

const SAVED = "saved";
const REMOVE_MS = 30 * 60_000;
const TRIES_MAX = 3;

/** What lies too deep for anybody to reach by its path is kept first, and only where it turns out to be there: looking takes time. */
export async function vacate(on: On, registered: Registered, rest?: Rest): Promise<void> {
  try {
    await empty(on, registered, rest);
  } catch (error) {
    if (!isTooLong(error) || !keepTooLong(registered.bench.path, registered.keep)) throw error;
    await empty(on, registered, rest);
  }
}

/** Whether the work was saved: what is missing since then was taken away by us. */
export function isSaved(bench: Bench): boolean {
  return noteOf(bench) !== undefined;
}

async function empty(on: On, { run, bench, keep }: Registered, rest: Rest | undefined): Promise<void> {
  const isReused = rest?.isReused ?? (() => false);
  repairPointer(bench, keep);
  await freeIndexLock(bench);
  const { note, ours } = await save(on, { run, bench }, rest);
  // Only now: what is missing from here on was taken away by us.
  await keepRest(on, bench, { tree: note.saved, ours, keep, isReused });
  failpoint("workspace.before-clear");
  if (rest !== undefined) removeHollow(bench.path, "", isReused);
  if (rest === undefined && note.commit === "") await clear(on, bench, note.saved);
  else await turnInto(on, bench, { note, rest });
  failpoint("workspace.after-clear");
}

type Note = {
  /** The tree that was saved. */
  readonly saved: string;
  /** The commit that the worktree is to rest at; empty for none. */
  readonly commit: string;
};

/** Whoever was killed over this had begun to put the files of that commit there. */
type Saved = { readonly note: Note; readonly ours: readonly string[] };

function noteOf(bench: Bench): Note | undefined {
  const text = unless(["ENOENT"], () => readFileSync(join(bench.own, SAVED), "utf8"));
  const [saved = "", commit = ""] = text?.split("\n") ?? [];
  return saved === "" ? undefined : { saved, commit };
}

/** While somebody still writes there, what is new is saved as well. */
async function save(
  on: On,
  { run, bench }: Pick<Registered, "run" | "bench">,
  rest: Rest | undefined,
): Promise<Saved> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const known = await savedIn(on, bench);
    if (known !== undefined) return known;
    const { tree } = await salvage({ on, bench, run }, { isThere: true });
    failpoint("workspace.before-saved");
    writePrivate(join(bench.own, SAVED), `${tree}\n${rest === undefined ? "" : `${rest.commit}\n`}`);
    failpoint("workspace.after-saved");
  }
  const known = await savedIn(on, bench);
  if (known === undefined) throw busy(bench);
  return known;
}

/** `undefined` where nothing was saved, or something is there that was not. */
async function savedIn(on: On, bench: Bench): Promise<Saved | undefined> {
  const note = noteOf(bench);
  if (note === undefined) return undefined;
  return withCopy(on, bench, async (index) => {
    await addAll(on, bench, index);
    const ours = await putByUs(on, bench, { note, index });
    return ours === undefined ? undefined : { note, ours };
  });
}

/** In an index of what is on the disk, what was not saved and was put there by us; `undefined` where something is somebody else's. */
async function putByUs(
  on: On,
  bench: Bench,
  of: { note: Note; index: string },
): Promise<readonly string[] | undefined> {
  const { saved, commit } = of.note;
  const now = await git(on.env, { ...at(bench, of.index), args: ["write-tree", "--missing-ok"] });
  const fresh = await newSince(on, bench, { tree: saved, now });
  if (fresh.length === 0) return fresh;
  if (commit === "") return undefined;
  const odd = new Set(await newSince(on, bench, { tree: commit, now }));
  return fresh.some((name) => odd.has(name)) ? undefined : fresh;
}

async function newSince(
  on: On,
  bench: Bench,
  { tree, now }: { tree: string; now: string },
): Promise<readonly string[]> {
  const options = ["--no-renames", "--diff-filter=d", "--name-only", "--no-ext-diff", "--no-textconv"];
  return gitRecords(on.env, { ...within(bench), args: ["diff-tree", "-r", "-z", ...options, tree, now] });
}

function busy({ path }: Bench): Error {
  return new Error(`somebody keeps writing to ${path}: it is left as it is`);
}

/** Without force: git looks at each file, and refuses to remove one that is not what was saved. */
async function clear(on: On, bench: Bench, saved: string): Promise<void> {
  await withScratch(on, async (index) => {
    const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: REMOVE_MS };
    await git(on.env, { ...call, args: ["read-tree", saved] });
    await tryGit(on.env, { ...call, args: ["update-index", "-q", "--ignore-missing", "--refresh"] });
    const nothing = await emptyTree(on, bench);
    await git(on.env, { ...call, args: ["read-tree", "-m", "-u", "--no-sparse-checkout", nothing] });
  });
}

/** The same, also where a part of it has been done: from what is on the disk, once more compared with what was saved. */
async function turnInto(on: On, bench: Bench, of: { note: Note; rest: Rest | undefined }): Promise<void> {
  const tree = of.rest?.commit ?? (await emptyTree(on, bench));
  await withCopy(on, bench, async (index) => {
    await addAll(on, bench, index);
    if ((await putByUs(on, bench, { note: of.note, index })) === undefined) throw busy(bench);
    const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: REMOVE_MS };
    await git(on.env, { ...call, args: ["read-tree", "-m", "-u", "--no-sparse-checkout", tree] });
    if (of.rest === undefined) return;
    await putBackConverted(on, bench, { from: of.note.saved, to: tree, index });
    const aside = join(bench.gitDir, "index.signalbox");
    failpoint("workspace.before-index");
    copyFileSync(index, aside);
    renameSync(aside, join(bench.gitDir, "index"));
    failpoint("workspace.after-index");
  });
}

async function emptyTree(on: On, bench: Bench): Promise<string> {
  return git(on.env, { ...within(bench), args: ["hash-object", "-t", "tree", "-w", "--stdin"] });
}

/** Folders in folders, and nothing else: the next one shall not find them. */
function removeHollow(root: string, below: string, isReused: (name: string) => boolean): void {
  const entries = readdirSync(bytePath(root, below), { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries) {
    const name = `${below}${entry.name.toString("latin1")}`;
    if (!entry.isDirectory() || name === ".git" || isReused(name)) continue;
    removeHollow(root, `${name}/`, isReused);
    unless(["ENOTEMPTY"], () => rmdirSync(bytePath(root, name)));
  }
}
