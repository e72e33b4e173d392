/**
 * A person's checkout of a branch that moves: it follows only where nothing of theirs is in the way. A note says that it is under way,
 * so that after a crash the next call finishes it or takes it back.
 *
 * Git writes the files first and the index last. While the index is the old one, every file is as it was, as it will be, or the
 * beginning of that; git has all of it, so it can be put back. Once the index is the new one, only the ref is missing.
 *
 * Git gets a directory of the engine with the settings that say how files become objects, and the checkout's index: no other
 * configuration, filter or hook of the repository counts.
 */

import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { makeFolder, writePrivate } from "../../home/folders.ts";
import { jsonOfOwn, textOfOwn } from "../../home/own-file.ts";
import { failed, git, type GitCall, gitRecords, tryGit } from "../call/call.ts";
import { requireFree } from "../call/locks.ts";
import { withScratch } from "../call/scratch.ts";
import { commonDirOf, gitDirOf, isThere } from "../repository/locate.ts";
import { branchAt, headAt } from "../repository/refs.ts";
import { configText, entriesOf, settingsOf } from "../repository/settings.ts";
import { copyIndex } from "../snapshot/index-file.ts";
import { bytePath, textOfName } from "../snapshot/paths.ts";
import type { Git } from "../workspace/bench.ts";

export type UserCheckout = {
  readonly path: string;
  readonly gitDir: string;
  /** The engine's directory for calls of git. */
  readonly own: string;
  readonly objects: string;
  readonly oidBytes: number;
};

/** What is under way in a checkout. */
export type Following = {
  readonly repo: string;
  readonly path: string;
  readonly ref: string;
  readonly old: string;
  readonly now: string;
};

const LONG_MS = 30 * 60_000;

function noteFile({ home }: Git, repo: string): string {
  return join(home.root, "merging", `${sha256(repo).slice(0, 32)}.json`);
}

export function noteFollowing(on: Git, following: Following): void {
  makeFolder(join(on.home.root, "merging"));
  failpoint("merge.before-note");
  writePrivate(noteFile(on, following.repo), `${JSON.stringify(following)}\n`);
  failpoint("merge.after-note");
}

export function forgetFollowing(on: Git, repo: string): void {
  failpoint("merge.before-forget");
  unless(["ENOENT"], () => unlinkSync(noteFile(on, repo)));
  failpoint("merge.after-forget");
}

/** What was under way when a process was killed. */
export function followingIn(on: Git, repo: string): Following | undefined {
  const value = jsonOfOwn(noteFile(on, repo));
  return isFollowing(value) && value.repo === repo ? value : undefined;
}

function isFollowing(value: unknown): value is Following {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return ["repo", "path", "ref", "old", "now"].every((name) => typeof fields.get(name) === "string");
}

/** Undefined where the checkout at the path is gone. */
export async function withCheckout<T>(
  on: Git,
  path: string,
  use: (checkout: UserCheckout) => Promise<T>,
): Promise<T | undefined> {
  const gitDir = gitDirOf(path);
  if (gitDir === undefined) return undefined;
  const { format, sparse } = await settingsOf(on, path);
  const commonDir = commonDirOf(gitDir);
  return withScratch(on, (own) => {
    for (const folder of [own, join(own, "refs"), join(own, "info")]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(own, "HEAD"), "ref: refs/heads/none\n");
    const config = configText([
      ["core", [...entriesOf(format, "core"), ["bare", "false"]]],
      ["extensions", entriesOf(format, "extensions")],
      ["lfs", [["storage", join(commonDir, "lfs")]]],
    ]);
    writeFileSync(join(own, "config"), config);
    if (sparse !== undefined) writeFileSync(join(own, "info/sparse-checkout"), sparse);
    const shallow = join(commonDir, "shallow");
    if (existsSync(shallow)) copyFileSync(shallow, join(own, "shallow"));
    const oidBytes = format.get("extensions.objectformat") === "sha256" ? 32 : 20;
    return use({ path, gitDir, own, objects: join(commonDir, "objects"), oidBytes });
  });
}

function at(
  { path, gitDir, own, objects }: UserCheckout,
  index = join(gitDir, "index"),
): Omit<GitCall, "args"> {
  return { cwd: path, workTree: path, gitDir: own, objects, index };
}

/** Everything in a checkout that is not as its commit has it: staged, or in a file. Untracked files are not looked at. */
export async function changesIn(on: Git, checkout: UserCheckout, commit: string): Promise<readonly string[]> {
  return withCopy(on, checkout, async (index) => {
    const call = { ...at(checkout, index), limitMs: LONG_MS };
    await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
    const [staged, changed] = await Promise.all([
      gitRecords(on.env, { ...call, args: ["diff-index", "--cached", ...NAMES, commit] }),
      gitRecords(on.env, { ...call, args: ["diff-files", ...NAMES] }),
    ]);
    return [...new Set([...staged, ...changed])].map(textOfName).toSorted();
  });
}

const NAMES = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"];

/** A copy of the checkout's index in which no file is marked as unchanged. */
async function withCopy<T>(on: Git, checkout: UserCheckout, use: (index: string) => Promise<T>): Promise<T> {
  const { path, gitDir, oidBytes } = checkout;
  const nested = (name: string): string | undefined => {
    const inner = gitDirOf(join(path, textOfName(name)));
    return inner === undefined ? undefined : headAt(inner, commonDirOf(inner));
  };
  return withScratch(on, async (to) => {
    const isCopied = copyIndex({ from: join(gitDir, "index"), to, workTree: path, oidBytes }, nested);
    const head = headAt(gitDir, commonDirOf(gitDir));
    if (!isCopied && head !== undefined)
      await git(on.env, { ...at(checkout, to), args: ["read-tree", head] });
    return use(to);
  });
}

/** What keeps a checkout from following: files in the way, or what git says. */
export type Obstacle = { readonly files: readonly string[]; readonly said: string };

/** Files and index go from one commit to the other, or nothing does. */
export async function follow(
  on: Git,
  checkout: UserCheckout,
  of: Pick<Following, "old" | "now">,
): Promise<Obstacle | undefined> {
  const call: Omit<GitCall, "args"> = { ...at(checkout), limitMs: LONG_MS };
  const foreign = foreignFiles(checkout.path, await changesBetween(on, at(checkout), of));
  if (foreign !== undefined) return foreign;
  // A file that was only touched is not a change.
  await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
  const args = ["read-tree", "-m", "-u", of.old, of.now];
  const tried = await tryGit(on.env, { ...call, args: [...args.slice(0, 1), "-n", ...args.slice(1)] });
  if (tried.code !== 0) return obstacleIn(tried.err);
  failpoint("merge.before-files");
  const answer = await tryGit(on.env, { ...call, args, durable: true });
  if (answer.code !== 0) throw failed({ ...call, args }, answer);
  failpoint("merge.after-files");
  return undefined;
}

/** Files in a checkout that git does not track, where these changes would put something. */
export function foreignFiles(path: string, changes: readonly FileChange[]): Obstacle | undefined {
  const named = (side: "before" | "after"): readonly string[] =>
    changes.filter((change) => !change.isNested && NOTHING.test(change[side])).map(({ name }) => name);
  const foreign = inTheWay(path, { added: named("before"), removed: new Set(named("after")) });
  return foreign.length === 0 ? undefined : { files: foreign.map(textOfName), said: "" };
}

function obstacleIn(said: string): Obstacle {
  const single = /Untracked working tree file '(.+)'|Entry '(.+)'/.exec(said);
  const name = single?.[1] ?? single?.[2];
  const listed = said.split("\n").filter((line) => line.startsWith("\t"));
  return { files: name === undefined ? listed.map((line) => line.trim()) : [name], said: lastLine(said) };
}

export function lastLine(said: string): string {
  return said.trim().split("\n").at(-1) ?? "";
}

/**
 * After a crash: puts the files back, or says that only the ref is missing. Where a person has gone on since, nothing is done: what
 * they have is theirs.
 */
export async function takeBack(
  on: Git,
  { path, ref, old, now }: Following,
  tip: string | undefined,
): Promise<"ref is missing" | undefined> {
  if (tip !== old && tip !== now) return undefined;
  return withCheckout(on, path, async (checkout) => {
    if (branchAt(checkout.gitDir) !== ref) return undefined;
    await requireFree(commonDirOf(checkout.gitDir), join(checkout.gitDir, "index.lock"));
    if (await isStaged(on, checkout, now)) return tip === old ? "ref is missing" : undefined;
    if (tip === old && (await isStaged(on, checkout, old))) await putBack(on, checkout, { old, now });
    return undefined;
  });
}

async function isStaged(on: Git, checkout: UserCheckout, commit: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=dirty", commit];
  const { code } = await tryGit(on.env, { ...at(checkout), args });
  return code === 0;
}

/** One file; `before` and `after` are blobs, or zeros for none. */
export type FileChange = {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** A submodule, now or then. */
  readonly isNested: boolean;
};

async function putBack(
  on: Git,
  checkout: UserCheckout,
  { old, now }: Pick<Following, "old" | "now">,
): Promise<void> {
  const call = at(checkout);
  const restore: string[] = [];
  for (const change of await changesBetween(on, call, { old, now })) {
    if (!change.isNested && (await isOurs(on, checkout, change))) {
      if (!NOTHING.test(change.before)) restore.push(change.name);
      else unless(["ENOENT", "ENOTDIR"], () => unlinkSync(bytePath(checkout.path, change.name)));
    }
  }
  const input = Buffer.from(restore.map((name) => `${name}\0`).join(""), "latin1");
  if (restore.length > 0)
    await git(on.env, { ...call, args: ["checkout-index", "--force", "-z", "--stdin"], input });
  await tryGit(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
}

const NOTHING = /^0+$/;
const GITLINK = "160000";

/** What differs between two commits or trees. */
export async function changesBetween(
  on: Git,
  call: Omit<GitCall, "args">,
  { old, now }: Pick<Following, "old" | "now">,
): Promise<readonly FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", old, now];
  const fields = await gitRecords(on.env, { ...call, args });
  const changes: FileChange[] = [];
  for (let place = 0; place + 1 < fields.length; place += 2) {
    const [mode, modeAfter, before = "", after = ""] = (fields[place] ?? "").slice(1).split(" ");
    const isNested = mode === GITLINK || modeAfter === GITLINK;
    changes.push({ name: fields[place + 1] ?? "", before, after, isNested });
  }
  return changes;
}

/** Whether the engine wrote the file: it has the new content or the beginning of it, or it is missing. */
async function isOurs(
  on: Git,
  checkout: UserCheckout,
  { name, before, after }: FileChange,
): Promise<boolean> {
  const path = bytePath(checkout.path, name);
  const stat = unless(["ENOENT", "ENOTDIR"], () => lstatSync(path));
  if (stat === undefined) return true;
  if (stat.isDirectory()) return false;
  const bytes = stat.isSymbolicLink() ? readlinkSync(path, { encoding: "buffer" }) : readFileSync(path);
  const call = at(checkout);
  const how = stat.isSymbolicLink() ? ["--no-filters"] : [`--path=${textOfName(name)}`];
  const oid = await git(on.env, { ...call, args: ["hash-object", ...how, "--stdin"], input: bytes });
  if (oid === before) return false;
  if (oid === after) return true;
  if (NOTHING.test(after)) return false;
  const { out } = await tryGit(on.env, { ...call, args: ["cat-file", "blob", after] });
  return out.subarray(0, bytes.length).equals(bytes);
}

/** What of a branch is under way in some checkout, where moving the branch would pull the ground from under it. */
export function operationOn(gitDir: string, ref: string): string {
  const isOn = (file: string): boolean => textOfOwn(join(gitDir, file))?.trim() === ref;
  if (isOn("rebase-merge/head-name") || isOn("rebase-apply/head-name")) return "rebase";
  return branchAt(gitDir) === ref ? operationIn(gitDir) : "";
}

/** What git was interrupted in; empty where nothing is under way. */
export function operationIn(gitDir: string): string {
  const found = Object.entries(OPERATIONS).find(([file]) => isThere(join(gitDir, file)));
  return found?.[1] ?? "";
}

const OPERATIONS: Readonly<Record<string, string>> = {
  "rebase-merge": "rebase",
  "rebase-apply/rebasing": "rebase",
  "rebase-apply": "am",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_START: "bisect",
};

const MISSING = ["ENOENT", "ENOTDIR"];

/**
 * Untracked files where a merge is going to put something. Git refuses to overwrite them, except for ignored files, which are the
 * user's all the same. `added` are names that come to be, `removed` are those that git takes away before; one
 * character for each byte.
 */
function inTheWay(
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
