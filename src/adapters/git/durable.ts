/** Objects that git wrote earlier, for a digest, may still be in memory only: what a ref of ours holds is put on the disk. */

import { lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "../files/errno.ts";
import { allSynced, openSynced } from "../home/all-synced.ts";
import { git } from "./call.ts";
import type { On } from "./own.ts";

export type Reach = { readonly commonDir: string; readonly from: string; readonly until: string | undefined };

/** Loose objects that we have put on the disk, each as the file that it was: thrown away and written again, it is another one. */
const onDisk = new Map<string, string>();
const KNOWN_MAX = 10_000;

export async function makeDurable(on: On, { commonDir, from, until }: Reach): Promise<void> {
  const args = [
    "rev-list",
    "--objects",
    "--no-object-names",
    from,
    ...(until === undefined ? [] : ["--not", until]),
  ];
  const listed = await git(on.env, { args, cwd: commonDir, gitDir: commonDir });
  const objects = join(commonDir, "objects");
  const fresh = new Map<string, string>();
  for (const oid of listed.split("\n")) {
    const file = join(objects, oid.slice(0, 2), oid.slice(2));
    const name = nameOf(file);
    // In a pack it was made durable when the pack was.
    if (name !== undefined && onDisk.get(file) !== name) fresh.set(file, name);
  }
  if (fresh.size === 0) return;
  await openSynced(
    [...fresh.keys()].flatMap((file) => unless(["ENOENT"], () => [openSync(file, "r")]) ?? []),
  );
  await allSynced([...new Set([...fresh.keys()].map((file) => dirname(file))), objects]);
  if (onDisk.size + fresh.size > KNOWN_MAX) onDisk.clear();
  for (const [file, name] of fresh) onDisk.set(file, name);
}

/** Tells a file from any other that ever has its path. */
function nameOf(file: string): string | undefined {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // Not every file system knows when a file was made.
  return `${stat.dev} ${stat.ino} ${stat.birthtimeNs === 0n ? stat.ctimeNs : stat.birthtimeNs}`;
}
