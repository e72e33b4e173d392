/**
 * Files that git does not track, where a merge is going to put something.
 *
 * Git refuses to overwrite them, except for ignored files, which it takes for worthless. They are the user's all the same.
 */

import { lstatSync, readdirSync } from "node:fs";
import { unless } from "../../files/errno.ts";
import { bytePath } from "../snapshot/paths.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** `added` are names that come to be, `removed` are those that git takes away before; one character for each byte. */
export function inTheWay(
  path: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: ReadonlySet<string> },
): readonly string[] {
  const found = new Set<string>();
  for (const name of added) {
    const blocking = fileAbove(path, name) ?? name;
    for (const each of filesAt(path, blocking)) if (!removed.has(each)) found.add(each);
  }
  return [...found];
}

/** A file in the place of a folder that is needed. */
function fileAbove(path: string, name: string): string | undefined {
  for (let end = name.indexOf("/"); end !== -1; end = name.indexOf("/", end + 1)) {
    const folder = name.slice(0, end);
    const stat = unless(MISSING, () => lstatSync(bytePath(path, folder)));
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return folder;
  }
  return undefined;
}

/** The file itself, or all that are below it. */
function filesAt(path: string, name: string): readonly string[] {
  const stat = unless(MISSING, () => lstatSync(bytePath(path, name)));
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [name];
  const below = readdirSync(bytePath(path, name), { encoding: "buffer" });
  return below.flatMap((each) => filesAt(path, `${name}/${each.toString("latin1")}`));
}
