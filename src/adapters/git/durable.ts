/** Objects that git wrote earlier, for a digest, may still be in memory only: what a ref of ours holds is put on the disk. */

import { lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "../files/errno.ts";
import { allSynced, openSynced } from "../home/all-synced.ts";
import { git } from "./call.ts";
import { newObjects, treeInMirror } from "./loose.ts";
import { inMirror } from "./mirror.ts";
import type { On } from "./own.ts";

/** Loose objects that we have put on the disk, each as the file that it was: thrown away and written again, it is another one. */
const onDisk = new Map<string, string>();
const KNOWN_MAX = 10_000;

export type NewCommit = {
  readonly mirror: string;
  readonly tree: string;
  /** Durable already, with all that it reaches; empty where there is none. */
  readonly parent: string;
};

/** The commit that is being made of a tree, durable with the tree. What the parent does not have is listed meanwhile. */
export async function madeDurable<T extends { readonly commit: string }>(
  on: On,
  { mirror, tree, parent }: NewCommit,
  making: Promise<T>,
): Promise<T> {
  const [made, oids] = await Promise.all([making, added(on, { mirror, tree, parent })]);
  await syncObjects(join(mirror, "objects"), [made.commit, ...oids]);
  return made;
}

async function added(on: On, { mirror, tree, parent }: NewCommit): Promise<readonly string[]> {
  const than = parent === "" ? undefined : await treeInMirror(on, mirror, parent);
  const not = than === undefined ? [] : ["--not", than];
  const args = ["rev-list", "--objects", "--no-object-names", tree, ...not];
  return newObjects(mirror, { tree, than }) ?? (await git(on.env, { ...inMirror(mirror), args })).split("\n");
}

/** Git made the objects in a pack durable when it made the pack: only those that are files of their own are left to do. */
export async function syncObjects(objects: string, oids: readonly string[]): Promise<void> {
  const loose = namesOf(objects, oids);
  const fresh = new Map([...loose].filter(([file, name]) => onDisk.get(file) !== name));
  if (fresh.size === 0) return;
  await openSynced(
    [...fresh.keys()].flatMap((file) => unless(["ENOENT"], () => [openSync(file, "r")]) ?? []),
  );
  await allSynced([...new Set([...fresh.keys()].map((file) => dirname(file))), objects]);
  if (onDisk.size + fresh.size > KNOWN_MAX) onDisk.clear();
  for (const [file, name] of fresh) onDisk.set(file, name);
}

/** Of those that are files of their own, each with what tells it from any other. */
function namesOf(objects: string, oids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    oids.flatMap((oid) => {
      const file = join(objects, oid.slice(0, 2), oid.slice(2));
      const name = nameOf(file);
      return oid === "" || name === undefined ? [] : [[file, name] as const];
    }),
  );
}

/** Tells a file from any other that ever has its path. */
function nameOf(file: string): string | undefined {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // Not every file system knows when a file was made.
  return `${stat.dev} ${stat.ino} ${stat.birthtimeNs === 0n ? stat.ctimeNs : stat.birthtimeNs}`;
}
