/**
 * The person's own checkout of a branch that moves: it follows only where nothing of theirs is in the way, and whoever is killed over
 * it leaves a note by which the next one finishes it or takes it back.
 *
 * Git writes the files first and the index last. So where the index is still the old one, every file is as it was, as it will be, or
 * the beginning of that; all of it is in git, and can be put back. Where the index is the new one, only the ref is missing.
 */

import { lstatSync, readFileSync, readlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../format/sha256.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { textOfOwn } from "../home/own-file.ts";
import { bytePath } from "./byte-path.ts";
import { failed, git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { inTheWay } from "./in-the-way.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { gitDirOf, isThere } from "./locate.ts";
import { at, benchOf, forgetBench } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { branchAt } from "./refs.ts";
import { withCopy } from "./tree.ts";

/** What is under way in a checkout. */
export type Following = {
  readonly repo: string;
  readonly path: string;
  readonly ref: string;
  readonly old: string;
  readonly now: string;
};

const LONG_MS = 30 * 60_000;

function noteFile({ home }: On, repo: string): string {
  return join(home.root, "merging", `${sha256(repo).slice(0, 32)}.json`);
}

export function noteFollowing(on: On, following: Following): void {
  makeFolder(join(on.home.root, "merging"));
  failpoint("merge.before-note");
  writePrivate(noteFile(on, following.repo), `${JSON.stringify(following)}\n`);
  failpoint("merge.after-note");
}

export function forgetFollowing(on: On, repo: string): void {
  failpoint("merge.before-forget");
  unless(["ENOENT"], () => unlinkSync(noteFile(on, repo)));
  failpoint("merge.after-forget");
}

/** What somebody was killed over. */
export function followingIn(on: On, repo: string): Following | undefined {
  const text = textOfOwn(noteFile(on, repo));
  const value = text === undefined ? undefined : parsed(text);
  return isFollowing(value) && value.repo === repo ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Written whole or not at all: this is not ours.
    return undefined;
  }
}

function isFollowing(value: unknown): value is Following {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return ["repo", "path", "ref", "old", "now"].every((name) => typeof fields.get(name) === "string");
}

/** Gives a way to call git for a checkout, with a folder of ours that is gone afterwards. */
export async function withCheckout<T>(
  on: On,
  path: string,
  use: (bench: Bench) => Promise<T>,
): Promise<T | undefined> {
  const gitDir = gitDirOf(path);
  if (gitDir === undefined) return undefined;
  const bench = await benchOf(on, { path, gitDir, name: `checkout-${sha256(path).slice(0, 32)}` });
  try {
    return await use(bench);
  } finally {
    forgetBench(bench);
  }
}

/** Everything in a checkout that is not as its commit has it: staged, or in a file. What git does not know is not looked at. */
export async function changesIn(on: On, bench: Bench, commit: string): Promise<readonly string[]> {
  return withCopy(on, bench, async (index) => {
    const call = { ...at(bench, index), limitMs: LONG_MS };
    await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
    const flags = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"];
    const [staged, changed] = await Promise.all([
      gitRecords(on.env, { ...call, args: ["diff-index", "--cached", ...flags, commit] }),
      gitRecords(on.env, { ...call, args: ["diff-files", ...flags] }),
    ]);
    return [...new Set([...staged, ...changed])].map(readable).toSorted();
  });
}

function readable(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}

/** Files and index go from one commit to the other, or nothing does: gives what git finds in the way. */
export async function follow(on: On, bench: Bench, of: Pick<Following, "old" | "now">): Promise<string> {
  const call: Omit<Call, "args"> = { ...at(bench, join(bench.gitDir, "index")), limitMs: LONG_MS };
  const changes = await changesBetween(on, bench, of);
  const added = changes.filter(({ before }) => NOTHING.test(before)).map(({ name }) => name);
  const removed = changes.filter(({ after }) => NOTHING.test(after)).map(({ name }) => name);
  const foreign = inTheWay(bench.path, { added, removed: new Set(removed) });
  if (foreign.length > 0) return foreign.map((name) => `\t${readable(name)}`).join("\n");
  // Files that were only touched are no changes.
  await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
  const args = ["read-tree", "-m", "-u", of.old, of.now];
  const tried = await tryGit(on.env, { ...call, args: [...args.slice(0, 1), "-n", ...args.slice(1)] });
  if (tried.code !== 0) return tried.err.trim();
  failpoint("merge.before-files");
  const answer = await tryGit(on.env, { ...call, args, durable: true });
  if (answer.code !== 0) throw failed({ ...call, args }, answer);
  failpoint("merge.after-files");
  return "";
}

/**
 * Takes back what somebody was killed over, or says that only the ref is missing. Where a person has gone on since, nothing is done:
 * what they have is theirs.
 */
export async function takeBack(
  on: On,
  { path, ref, old, now }: Following,
  tip: string | undefined,
): Promise<"ref is missing" | undefined> {
  if (tip !== old && tip !== now) return undefined;
  return withCheckout(on, path, async (bench) => {
    if (branchAt(bench.gitDir) !== ref) return undefined;
    await freeIndexLock(bench);
    if (await isStaged(on, bench, now)) return tip === old ? "ref is missing" : undefined;
    if (tip === old && (await isStaged(on, bench, old))) await putBack(on, bench, { old, now });
    return undefined;
  });
}

async function isStaged(on: On, bench: Bench, commit: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=dirty", commit];
  const { code } = await tryGit(on.env, { ...at(bench, join(bench.gitDir, "index")), args });
  return code === 0;
}

type Change = { readonly name: string; readonly before: string; readonly after: string };

async function putBack(on: On, bench: Bench, { old, now }: Pick<Following, "old" | "now">): Promise<void> {
  const call = at(bench, join(bench.gitDir, "index"));
  const restore: string[] = [];
  for (const change of await changesBetween(on, bench, { old, now })) {
    if (await isOurs(on, bench, change)) {
      if (!NOTHING.test(change.before)) restore.push(change.name);
      else unless(["ENOENT", "ENOTDIR"], () => unlinkSync(bytePath(bench.path, change.name)));
    }
  }
  const input = Buffer.from(restore.map((name) => `${name}\0`).join(""), "latin1");
  if (restore.length > 0)
    await git(on.env, { ...call, args: ["checkout-index", "--force", "-z", "--stdin"], input });
  await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
}

const NOTHING = /^0+$/;
const GITLINK = "160000";

async function changesBetween(
  on: On,
  bench: Bench,
  { old, now }: Pick<Following, "old" | "now">,
): Promise<readonly Change[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", old, now];
  const fields = await gitRecords(on.env, { ...at(bench, join(bench.gitDir, "index")), args });
  const changes: Change[] = [];
  for (let place = 0; place + 1 < fields.length; place += 2) {
    const [mode = "", modeAfter = "", before = "", after = ""] = (fields[place] ?? "").slice(1).split(" ");
    const name = fields[place + 1] ?? "";
    if (mode !== GITLINK && modeAfter !== GITLINK) changes.push({ name, before, after });
  }
  return changes;
}

/** Whether what is there came from us: the new content or the beginning of it, or nothing. */
async function isOurs(on: On, bench: Bench, { name, before, after }: Change): Promise<boolean> {
  const path = bytePath(bench.path, name);
  const stat = unless(["ENOENT", "ENOTDIR"], () => lstatSync(path));
  if (stat === undefined) return true;
  if (stat.isDirectory()) return false;
  const bytes = stat.isSymbolicLink() ? readlinkSync(path, { encoding: "buffer" }) : readFileSync(path);
  const call = at(bench, join(bench.gitDir, "index"));
  const how = stat.isSymbolicLink() ? ["--no-filters"] : [`--path=${readable(name)}`];
  const oid = await git(on.env, { ...call, args: ["hash-object", ...how, "--stdin"], input: bytes });
  if (oid === before) return false;
  if (oid === after) return true;
  if (NOTHING.test(after)) return false;
  const { out } = await tryGit(on.env, { ...call, args: ["cat-file", "blob", after] });
  return out.subarray(0, bytes.length).equals(bytes);
}

/** What of a branch is under way in some checkout, where moving the branch would pull the ground from under it. */
export function operationOn(gitDir: string, ref: string): string {
  const isOn = (file: string): boolean =>
    unless(["ENOENT", "ENOTDIR"], () => readFileSync(join(gitDir, file), "utf8"))?.trim() === ref;
  if (isOn("rebase-merge/head-name") || isOn("rebase-apply/head-name")) return "rebase";
  if (branchAt(gitDir) !== ref) return "";
  const found = Object.entries(OPERATIONS).find(([file]) => isThere(join(gitDir, file)));
  return found?.[1] ?? "";
}

const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_START: "bisect",
  "rebase-apply": "am",
};
