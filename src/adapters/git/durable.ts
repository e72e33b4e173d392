/** Objects that git wrote earlier, for a digest, may still be in memory only: what a ref of ours holds is put on the disk. */

import { lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "../files/errno.ts";
import { allSynced, openSynced } from "../home/all-synced.ts";
import { git } from "./call.ts";
import type { On } from "./own.ts";
import { inMirror } from "./mirror.ts";

export type Reach = {
  readonly mirror: string;
  readonly from: string;
  readonly until: string | undefined;
};

/** Loose objects that we have put on the disk, each as the file that it was: thrown away and written again, it is another one. */
const onDisk = new Map<string, string>();
const KNOWN_MAX = 10_000;

export async function makeDurable(on: On, reach: Reach): Promise<void> {
  const objects = join(reach.mirror, "objects");
  // Git made the objects in a pack durable when it made the pack.
  const loose = namesOf(reach, await listed(on, reach));
  const fresh = new Map([...loose].filter(([file, name]) => onDisk.get(file) !== name));
  if (fresh.size === 0) return;
  await openSynced(
    [...fresh.keys()].flatMap((file) => unless(["ENOENT"], () => [openSync(file, "r")]) ?? []),
  );
  await allSynced([...new Set([...fresh.keys()].map((file) => dirname(file))), objects]);
  if (onDisk.size + fresh.size > KNOWN_MAX) onDisk.clear();
  for (const [file, name] of fresh) onDisk.set(file, name);
}

async function listed(on: On, { mirror, from, until }: Reach): Promise<readonly string[]> {
  const not = until === undefined ? [] : ["--not", until];
  const args = ["rev-list", "--objects", "--no-object-names", from, ...not];
  return (await git(on.env, { ...inMirror(mirror), args })).split("\n");
}

/** Of those that are files of their own, each with what tells it from any other. */
function namesOf(of: Pick<Reach, "mirror">, oids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    oids.flatMap((oid) => {
      const file = join(of.mirror, "objects", oid.slice(0, 2), oid.slice(2));
      const name = nameOf(file);
      return name === undefined ? [] : [[file, name] as const];
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
