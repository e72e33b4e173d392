/**
 * Whether the mirror holds everything that is in the `.git` of a private clone.
 *
 * The clone belongs to its agents, so it is read as files, and git never runs in it. Every doubt means no: an unknown file, an
 * interrupted operation, an object that no ref of the run reaches in the mirror, or staged content that is nowhere else.
 */

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { git } from "../call/call.ts";
import { entriesIn } from "../mirror/loose-objects.ts";
import { inMirror } from "../mirror/mirror.ts";
import { refsOfRun } from "../mirror/run-refs.ts";
import { isFolder } from "../repository/locate.ts";
import { GITLINK, parseIndex } from "../snapshot/index-file.ts";
import type { Git } from "../workspace/bench.ts";

export type Clone = {
  /** The directory `.git` of the clone. */
  readonly gitDir: string;
  readonly mirror: string;
  readonly run: string;
  /** The tree of the work, which the mirror holds. */
  readonly tree: string;
};

const MISSING = ["ENOENT", "ENOTDIR"];
const SHA256_HEX = 64;

/** Files that git makes in every clone, without the work of a person or an agent in them. */
const ORDINARY = new Set([
  "COMMIT_EDITMSG",
  "FETCH_HEAD",
  "HEAD",
  "ORIG_HEAD",
  "branches",
  "config",
  "description",
  "hooks",
  "index",
  "info",
  "logs",
  "objects",
  "packed-refs",
  "refs",
  "shallow",
]);

/** Lock files of processes that are gone, also those that were moved out of the way. */
const LOCK = /\.lock(?:\.stale-\d+)?$/;

/** Files about packs that git can write again. */
const PACK_FILE = /^pack-[0-9a-f]+\.(?:pack|idx|rev|bitmap|mtimes|keep)$|^multi-pack-index/;

export async function isHeldByMirror(on: Git, clone: Clone): Promise<boolean> {
  const { gitDir } = clone;
  if (!isFolder(gitDir) || !namesIn(gitDir).every(isOrdinary)) return false;
  const oidBytes = clone.tree.length / 2;
  const own = await ownObjects(on, clone);
  const staged = stagedIn(join(gitDir, "index"), oidBytes);
  if (own === undefined || staged === undefined) return false;
  const known = new Set([...(await objectsOfRun(on, clone)), nothing(oidBytes)]);
  if (!own.every((oid) => known.has(oid))) return false;
  if (staged.every((oid) => known.has(oid))) return true;
  const base = new Set(await objectsOfBase(on, clone));
  return staged.every((oid) => known.has(oid) || base.has(oid));
}

function isOrdinary(name: string): boolean {
  return ORDINARY.has(name) || LOCK.test(name);
}

function namesIn(folder: string): readonly string[] {
  return unless(MISSING, () => readdirSync(folder)) ?? [];
}

/** Undefined where something lies among the objects that cannot be read as one. */
async function ownObjects(on: Git, { gitDir, mirror, tree }: Clone): Promise<readonly string[] | undefined> {
  const objects = join(gitDir, "objects");
  const found: string[] = [];
  for (const name of namesIn(objects)) {
    const folder = join(objects, name);
    if (!isFolder(folder)) return undefined;
    if (name === "info") continue;
    const inside = namesIn(folder);
    if (name === "pack") {
      if (inside.some((file) => !PACK_FILE.test(file))) return undefined;
      const indexes = inside.filter((file) => file.endsWith(".idx"));
      if (inside.some((file) => file.endsWith(".pack") && !indexes.includes(`${file.slice(0, -5)}.idx`)))
        return undefined;
      for (const file of indexes)
        found.push(...(await packed(on, mirror, { file: join(folder, file), tree })));
      continue;
    }
    const oids = inside.map((rest) => name + rest);
    if (!oids.every((oid) => oid.length === tree.length && /^[0-9a-f]+$/.test(oid))) return undefined;
    found.push(...oids);
  }
  return found;
}

async function packed(
  on: Git,
  mirror: string,
  { file, tree }: { readonly file: string; readonly tree: string },
): Promise<readonly string[]> {
  if (!lstatSync(file).isFile()) return [""];
  const format = tree.length === SHA256_HEX ? "sha256" : "sha1";
  const listed = await git(on.env, {
    ...inMirror(mirror),
    args: ["show-index", `--object-format=${format}`],
    input: readFileSync(file),
  });
  return listed.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")[1] ?? ""]));
}

/** The contents that an index names; undefined where it cannot be read alone. */
function stagedIn(file: string, oidBytes: number): readonly string[] | undefined {
  const stat = unless(MISSING, () => lstatSync(file));
  if (stat === undefined) return [];
  const index = stat.isFile() ? parseIndex(readFileSync(file), oidBytes) : undefined;
  if (index === undefined || index.isPartial) return undefined;
  return index.entries.flatMap(({ mode, oidAt }) =>
    mode === GITLINK ? [] : [index.bytes.toString("hex", oidAt, oidAt + oidBytes)],
  );
}

/** The id of an empty file. Git also uses it for a file that is only going to be added. */
function nothing(oidBytes: number): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash(oidBytes === SHA256_HEX / 2 ? "sha256" : "sha1")
    .update("blob 0\0")
    .digest("hex");
}

/** What the refs of the run reach, without what existed when it began. */
async function objectsOfRun(on: Git, { tree, run, mirror }: Clone): Promise<readonly string[]> {
  const { base, head, left, earlier, works } = await refsOfRun(on, { mirror, run });
  const tips = [head, left, ...earlier, ...works].filter((oid) => oid !== "");
  const not = base === "" ? [] : ["--not", base];
  const args = ["rev-list", "--objects", "--no-object-names", tree, ...tips, ...not];
  return (await git(on.env, { ...inMirror(mirror), args })).split("\n");
}

async function objectsOfBase(on: Git, { mirror, run }: Clone): Promise<readonly string[]> {
  const { base } = await refsOfRun(on, { mirror, run });
  return base === "" ? [] : (await entriesIn(on, mirror, base)).map(({ oid }) => oid);
}
