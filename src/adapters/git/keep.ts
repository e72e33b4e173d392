/**
 * Moves out of a worktree what git does not hold: ignored files, nested repositories, sockets and the like.
 *
 * It is told by what is on the disk and not in the salvaged tree, not by the rules for ignoring: what no rule foresaw is kept too.
 */

import { existsSync, readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { bytePath } from "./byte-path.ts";
import { gitRecords } from "./call.ts";
import { moveInto } from "./move.ts";
import { within } from "./own.ts";
import type { Bench, On } from "./own.ts";

type Held = {
  readonly files: ReadonlySet<string>;
  /** Folders that hold such files. */
  readonly folders: ReadonlySet<string>;
  readonly isReused: (name: string) => boolean;
};

type Keeping = {
  readonly tree: string;
  /** Files that are not in it, and nobody's: we have put them there. */
  readonly ours: readonly string[];
  readonly keep: string;
  readonly isReused: (name: string) => boolean;
};

export async function keepRest(on: On, bench: Bench, { tree, ours, keep, isReused }: Keeping): Promise<void> {
  const records = await gitRecords(on.env, {
    ...within(bench),
    args: ["ls-tree", "-r", "-z", "--full-tree", tree],
  });
  // A nested repository is held only by its name.
  const names = records
    .filter((record) => !record.startsWith("160000 "))
    .map((record) => record.slice(record.indexOf("\t") + 1));
  for (const name of strangersIn(bench.path, [...names, ...ours], isReused))
    moveInto(bytePath(bench.path, name), keep, name);
}

/** What is on the disk and none of these files; a folder with nothing of them in it is one name. */
export function strangersIn(
  root: string,
  files: Iterable<string>,
  isReused: (name: string) => boolean,
): readonly string[] {
  return restOf(root, "", { ...heldBy(files), isReused });
}

function heldBy(names: Iterable<string>): Pick<Held, "files" | "folders"> {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const name of names) {
    files.add(name);
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const folder = name.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { files, folders };
}

function restOf(root: string, below: string, held: Held): readonly string[] {
  return entriesOf(root, below).flatMap((entry) => {
    const name = `${below}${entry.name.toString("latin1")}`;
    if (name === ".git" || (held.isReused(name) && !entry.isSymbolicLink())) return [];
    if (entry.isDirectory()) {
      if (held.folders.has(name)) return restOf(root, `${name}/`, held);
      return isHollow(root, name) ? [] : [name];
    }
    return (entry.isFile() || entry.isSymbolicLink()) && held.files.has(name) ? [] : [name];
  });
}

function entriesOf(root: string, below: string): readonly Dirent<Buffer>[] {
  return readdirSync(bytePath(root, below), { withFileTypes: true, encoding: "buffer" });
}

/** Folders in folders, and nothing else. */
function isHollow(root: string, name: string): boolean {
  return entriesOf(root, `${name}/`).every(
    (entry) => entry.isDirectory() && isHollow(root, `${name}/${entry.name.toString("latin1")}`),
  );
}

/** What git's own folder for the worktree holds of an operation under way, and of submodules. */
export function keepOperation({ gitDir }: Bench, keep: string): void {
  const isUnderWay = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "BISECT_LOG",
    "modules",
  ];
  const names = isUnderWay.filter((name) => existsSync(join(gitDir, name)));
  if (names.length === 0) return;
  const messages = [
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "BISECT_START",
    "BISECT_NAMES",
    "BISECT_TERMS",
  ];
  const all = [...names, ...messages.filter((name) => existsSync(join(gitDir, name)))];
  for (const name of all) moveInto(Buffer.from(join(gitDir, name)), join(keep, ".git"), name);
}
