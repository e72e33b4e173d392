/**
 * Commits that only a worktree knows, and that would be gone with it: its HEAD where no branch holds it, what a merge or rebase
 * under way stands on, and everything that its log remembers.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import type { Bench, On } from "./own.ts";

export type Known = {
  /** Of what is under way. */
  readonly current: readonly string[];
  /** Of what was once. */
  readonly past: readonly string[];
};

const OID = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;
const MISSING = ["ENOENT", "ENOTDIR"];
/** Not the worktree's own history: the index, ours, and what only says where things are. */
const SKIPPED = new Set(["index", "modules", "config.worktree", "gitdir", "commondir", "locked", "lfs"]);

/** Names of all objects that git's own files for the worktree speak of. */
export function mentioned({ gitDir }: Bench): Known {
  const isPast = (name: string) => name === "logs" || name === "ORIG_HEAD";
  return { current: scan(gitDir, isPast), past: scan(gitDir, (name) => !isPast(name)) };
}

function scan(folder: string, isLeftOut: (name: string) => boolean): readonly string[] {
  const entries = unless(MISSING, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    if (
      isLeftOut(entry.name) ||
      SKIPPED.has(entry.name) ||
      entry.name.startsWith("signalbox-") ||
      entry.name.startsWith("index.")
    )
      return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return scan(path, () => false);
    if (!entry.isFile()) return [];
    return (unless(MISSING, () => readFileSync(path, "latin1")) ?? "").match(OID) ?? [];
  });
}

/** Of these, the newest commits that no ref of the repository reaches. */
export async function unreachable(on: On, bench: Bench, oids: readonly string[]): Promise<readonly string[]> {
  const { commonDir } = bench;
  const call: Omit<Call, "args"> = { cwd: commonDir, gitDir: commonDir };
  const wanted = [...new Set(oids)].filter((oid) => !/^0+$/.test(oid));
  if (wanted.length === 0) return [];
  const kinds = await git(on.env, {
    ...call,
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    input: `${wanted.join("\n")}\n`,
  });
  const commits = kinds.split("\n").flatMap((line) => /^([0-9a-f]+) commit$/.exec(line)?.[1] ?? []);
  if (commits.length === 0) return [];
  // What belongs to one worktree only holds nothing for the others.
  const own = ["bisect", "worktree", "rewritten"].map((name) => `--exclude=refs/${name}/*`);
  const input = `${[...commits, "--not", ...own, "--glob=refs/*"].join("\n")}\n`;
  const listed = await tryGit(on.env, {
    ...call,
    args: ["rev-list", "--parents", "--ignore-missing", "--stdin"],
    input,
  });
  const text =
    listed.code === 0
      ? listed.out.toString("utf8")
      : await withArguments(on, call, [...commits, "--not", ...own, "--glob=refs/*"]);
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));
  const parents = new Set(lines.flatMap(([, ...rest]) => rest));
  return lines.flatMap(([oid = ""]) => (parents.has(oid) ? [] : [oid]));
}

/** Older versions of git take only names of commits on standard input. */
async function withArguments(on: On, call: Omit<Call, "args">, args: readonly string[]): Promise<string> {
  return git(on.env, { ...call, args: ["rev-list", "--parents", "--ignore-missing", ...args] });
}
