/**
 * Files `.gitignore` that hide themselves, beside files of the work.
 *
 * What is ignored is no part of the work, so the rules for ignoring must be: then nothing becomes hidden without a change of the
 * digest. A folder that holds nothing of the work may hide all of itself, as the caches of many tools do.
 */

import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";
import type { IndexFile } from "./index-file.ts";

const RULES = ".gitignore";
const MISSING = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Names of such files that are on the disk and not in an index. */
export function hiddenRules(path: string, index: IndexFile, seen: () => IndexFile): readonly string[] {
  const there = foldersOf(index)
    .map((folder) => `${folder}${RULES}`)
    .filter((name) => isFile(path, name));
  if (there.length === 0) return there;
  const known = new Set(seen().entries.map(({ name }) => name));
  return there.filter((name) => !known.has(name) && isInside(path, name));
}

/** Those without rules that are part of the work. */
function foldersOf({ entries }: IndexFile): readonly string[] {
  const folders = new Set([""]);
  const ruled = new Set<string>();
  let last = "";
  for (const { name } of entries) {
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    if (name.length === folder.length + RULES.length && name.endsWith(RULES)) ruled.add(folder);
    if (folder === last) continue;
    last = folder;
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 2) + 1) {
      const above = folder.slice(0, end);
      if (folders.has(above)) break;
      folders.add(above);
    }
  }
  return [...folders].filter((folder) => !ruled.has(folder));
}

function isFile(path: string, name: string): boolean {
  return unless(MISSING, () => lstatSync(bytePath(path, name), { throwIfNoEntry: false }))?.isFile() === true;
}

/** Not by way of a link. */
function isInside(path: string, name: string): boolean {
  const folder = name.slice(0, -RULES.length);
  const real = realpathSync(bytePath(path, folder), { encoding: "buffer" }).toString("latin1");
  return (
    real ===
    Buffer.from(join(path, "/")).toString("latin1").slice(0, -1) +
      (folder === "" ? "" : `/${folder.slice(0, -1)}`)
  );
}
