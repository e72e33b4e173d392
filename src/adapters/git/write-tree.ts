/**
 * Writes the tree of an index into the mirror, as `git write-tree` does, without starting git.
 *
 * Only folders that changed since git last wrote their trees are made again. Where an index does not say which those are, or where
 * they are many, git does it: it knows which trees the mirror has in packs.
 */

import { cachedTrees, type IndexFile } from "./index-file.ts";
import { writeObject } from "./loose.ts";

const WRITTEN_MAX = 100;
const FOLDER_MODE = "40000";

export type IndexTree = {
  readonly mirror: string;
  readonly oidBytes: number;
  readonly index: IndexFile;
  /** Entries that the tree does not get. */
  readonly isLeftOut: (name: string) => boolean;
};

/** The id of the tree; undefined where git must write it. */
export function writeTree({ mirror, oidBytes, index, isLeftOut }: IndexTree): string | undefined {
  const { bytes, entries, isPartial } = index;
  const cached = isPartial ? undefined : cachedTrees(index, oidBytes);
  if (cached === undefined || entries.some(({ stage }) => stage !== 0)) return undefined;
  const changed = foldersOf(entries.filter(({ name }) => isLeftOut(name)));
  let [at, written] = [0, 0];
  const treeOf = (folder: string): string | undefined => {
    const known = changed.has(folder) ? undefined : cached.get(folder);
    if (known !== undefined) {
      at += known.entries;
      return known.oid;
    }
    const items: Buffer[] = [];
    for (;;) {
      const entry = entries[at];
      if (entry === undefined || !entry.name.startsWith(folder)) break;
      const [name = "", ...inner] = entry.name.slice(folder.length).split("/");
      const isFile = inner.length === 0;
      if (isFile) at += 1;
      if (isFile && isLeftOut(entry.name)) continue;
      const oid = isFile ? bytes.toString("hex", entry.oidAt, entry.flagsAt) : treeOf(`${folder}${name}/`);
      if (oid === undefined) return undefined;
      if (oid === EMPTY) continue;
      const mode = isFile ? entry.mode.toString(8) : FOLDER_MODE;
      items.push(Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(oid, "hex"));
    }
    if (items.length === 0 && folder !== "") return EMPTY;
    written += 1;
    if (written > WRITTEN_MAX) return undefined;
    return writeObject(mirror, { type: "tree", body: Buffer.concat(items) }, oidBytes);
  };
  return treeOf("");
}

/** In place of an id: a folder without entries is not in the tree. */
const EMPTY = "";

/** The folders that these are in, and all above. */
function foldersOf(entries: IndexFile["entries"]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { name } of entries)
    for (let end = name.length; end > 0;) {
      end = name.lastIndexOf("/", end - 2) + 1;
      folders.add(name.slice(0, end));
    }
  return folders;
}
