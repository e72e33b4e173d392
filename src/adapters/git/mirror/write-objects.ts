/**
 * Objects that the engine makes in the mirror: trees of an index, commits, and what it takes to have them on the disk.
 *
 * Trees and commits are written without starting git where that gives the same bytes. `git commit-tree` makes commits of users who
 * sign theirs. `git write-tree` makes trees where an index does not say which folders changed, or where these are many: it knows which
 * trees the mirror has in packs. An object is on the disk before a ref names it.
 */

import { lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "../../files/errno.ts";
import { allSynced, openSynced } from "../../home/all-synced.ts";
import { git, tryGit, type GitCall, type AuthorIdentity } from "../call/call.ts";
import { cachedTrees, type IndexFile } from "../snapshot/index-file.ts";
import { within, type Bench, type Git } from "../workspace/bench.ts";
import { newObjects, treeInMirror, writeObject } from "./loose-objects.ts";
import { inMirror } from "./mirror.ts";

export type NewCommit = {
  readonly tree: string;
  /** Empty for none. */
  readonly parent: string;
  readonly author: AuthorIdentity;
  readonly message: string;
};

/** The notes are for a person. */
export type MadeCommit = { readonly commit: string; readonly notes: readonly string[] };

/**
 * Makes a commit in the mirror, on the disk with its tree when it returns. The parent is on the disk already. What the parent does not
 * have is listed while git works.
 */
export async function makeCommit(on: Git, bench: Bench, of: NewCommit): Promise<MadeCommit> {
  const [made, oids] = await Promise.all([writeOrCommit(on, bench, of), addedBy(on, bench, of)]);
  await syncObjects(join(bench.mirror, "objects"), [made.commit, ...oids]);
  return made;
}

async function writeOrCommit(on: Git, bench: Bench, of: NewCommit): Promise<MadeCommit> {
  const commit = bench.signing === undefined ? writeCommit(bench, of) : undefined;
  if (commit !== undefined) return { commit, notes: [] };
  const { tree, parent, author, message } = of;
  const args = ["commit-tree", tree, ...(parent === "" ? [] : ["-p", parent]), "-F", "-"];
  return commitTree(on, { ...within(bench), args, input: withLineEnd(message), author }, bench.signing);
}

/** Calls `git commit-tree`, signed where the user signs commits. */
export async function commitTree(on: Git, call: GitCall, signing: GitCall["signing"]): Promise<MadeCommit> {
  if (signing === undefined) return { commit: await git(on.env, call), notes: [] };
  const answer = await tryGit(on.env, { ...call, args: [...call.args, "-S"], signing });
  if (answer.code === 0) return { commit: answer.out.toString("utf8").trim(), notes: [] };
  // A signing key may be locked while the user is away.
  const [why = ""] = answer.err.trim().split("\n");
  return { commit: await git(on.env, call), notes: [`the commit is not signed: ${why}`] };
}

/** Undefined where git must decide: it refuses an empty name, and a NUL in a message. */
function writeCommit({ mirror, oidBytes }: Bench, of: NewCommit): string | undefined {
  const [name, email] = [withoutCrud(of.author.name), withoutCrud(of.author.email)];
  if (name === "" || email === "" || of.message.includes("\0")) return undefined;
  const person = `${name} <${email}> ${timestamp(new Date())}`;
  const lines = [
    `tree ${of.tree}`,
    ...(of.parent === "" ? [] : [`parent ${of.parent}`]),
    `author ${person}`,
    `committer ${person}`,
    "",
    withLineEnd(of.message),
  ];
  return writeObject(mirror, { type: "commit", body: Buffer.from(lines.join("\n")) }, oidBytes);
}

/** As git writes names and addresses: these characters would end them, or say nothing at their ends. */
function withoutCrud(text: string): string {
  const ends = /^[\0- .,:;<>"\\']+|[\0- .,:;<>"\\']+$/g;
  return text.replaceAll(ends, "").replaceAll(/[\n<>]/g, "");
}

/** Seconds, and the distance from UTC as hours and minutes. */
function timestamp(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(rest).padStart(2, "0")}`;
  return `${Math.floor(now.getTime() / 1000)} ${zone}`;
}

function withLineEnd(message: string): string {
  return message.endsWith("\n") ? message : `${message}\n`;
}

const WRITTEN_MAX = 100;
const TREE_MODE = "40000";

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
      const mode = isFile ? entry.mode.toString(8) : TREE_MODE;
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

/** Objects of the tree that the parent does not have. */
async function addedBy(on: Git, { mirror }: Bench, { tree, parent }: NewCommit): Promise<readonly string[]> {
  const than = parent === "" ? undefined : await treeInMirror(on, mirror, parent);
  const not = than === undefined ? [] : ["--not", than];
  const args = ["rev-list", "--objects", "--no-object-names", tree, ...not];
  return newObjects(mirror, { tree, than }) ?? (await git(on.env, { ...inMirror(mirror), args })).split("\n");
}

/** Git made the objects in a pack durable when it made the pack: only those that are files of their own are left to do. */
export async function syncObjects(objects: string, oids: readonly string[]): Promise<void> {
  const files = oids.map((oid) => join(objects, oid.slice(0, 2), oid.slice(2)));
  const loose = files.filter(isLoose);
  if (loose.length === 0) return;
  await openSynced(loose.flatMap((file) => unless(["ENOENT"], () => [openSync(file, "r")]) ?? []));
  await allSynced([...new Set(loose.map((file) => dirname(file))), objects]);
}

/** An empty id, as in an empty list of git, names a folder. */
function isLoose(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
