/** The files of a tree in a mirror. */

import { gitRecords } from "./call.ts";
import { inMirror } from "./mirror.ts";
import type { On } from "./own.ts";

/** `name` has one character for each byte. */
export type TreeEntry = { readonly mode: string; readonly oid: string; readonly name: string };

export const LINK_MODE = "120000";
export const PROGRAM_MODE = "100755";
export const NESTED_MODE = "160000";

/** Of a tree or a commit. */
export async function entriesIn(on: On, mirror: string, tree: string): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const records = await gitRecords(on.env, { ...inMirror(mirror), args });
  return records.map((record) => {
    const [, mode = "", oid = "", name = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    return { mode, oid, name };
  });
}
