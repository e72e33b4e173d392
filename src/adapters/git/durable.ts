/** Objects that git wrote earlier, for a digest, may still be in memory only: what a ref of ours holds is put on the disk. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { git } from "./call.ts";
import { sync } from "./move.ts";
import type { On } from "./own.ts";

export type Reach = { readonly commonDir: string; readonly from: string; readonly until: string | undefined };

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
  const folders = new Set<string>();
  for (const oid of listed.split("\n")) {
    const folder = join(objects, oid.slice(0, 2));
    // In a pack it was made durable when the pack was.
    const isLoose = unless(["ENOENT"], () => (sync(join(folder, oid.slice(2))), true));
    if (isLoose === true) folders.add(folder);
  }
  for (const folder of folders) sync(folder);
  if (readdirSync(objects).length > 0) sync(objects);
}
