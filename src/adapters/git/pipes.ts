/** Pipes in a work tree that git would open, and wait for: in the place of its rules, or of what a nested repository is known by. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";

const READ_BY_GIT = new Set([".gitignore", ".gitattributes", ".gitmodules", ".git/HEAD"]);
const HIDDEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Paths from the top, as far as names are UTF-8. Folders are not entered by way of links. */
export function* pipesIn(root: string, below = ""): Generator<string> {
  const entries = unless(HIDDEN, () => readdirSync(join(root, below), { withFileTypes: true })) ?? [];
  for (const entry of entries) {
    const name = join(below, entry.name);
    if (entry.isDirectory() && name !== ".git") yield* pipesIn(root, name);
    else if (entry.isFIFO() && [...READ_BY_GIT].some((each) => `/${name}`.endsWith(`/${each}`))) yield name;
  }
}
