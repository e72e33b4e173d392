/**
 * The mirror: one bare repository per project in the state home, owned by the engine.
 *
 * It holds its own objects (hard links to the user's where the file system allows), so that garbage collection in the user's
 * repository cannot hurt a run, and refs of runs do not slow down the user's git. Workspaces borrow objects from it, so it is never
 * garbage-collected automatically.
 */

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { makeFolder, syncFolder } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { failed, git, gitBytes, tryGit, type GitAnswer, type GitCall } from "../call/call.ts";
import { commonDirIn } from "../repository/locate.ts";
import { tryUpdateRef, updateRef } from "../repository/update-ref.ts";
import type { Git } from "../workspace/bench.ts";
import { mirrorOf } from "./names.ts";

const COPY_MS = 30 * 60_000;
const FAILED = 1;
const REFSPECS = ["heads", "remotes", "tags"].map((kind) => `+refs/${kind}/*:refs/${kind}/*`);

/** Whether the mirror exists, as far as its files tell without starting git. */
export function isMirror(mirror: string): boolean {
  return ["HEAD", "config", "objects", "refs"].every((name) => existsSync(join(mirror, name)));
}

/** How git is called on a mirror. Its configuration is the engine's, so no shield is needed. */
export function inMirror(mirror: string): Omit<GitCall, "args"> {
  return { cwd: mirror, gitDir: mirror, objects: join(mirror, "objects") };
}

/** Creates the mirror, or brings the user's branches, remote branches and tags in it up to date. Call under the repository's lock. */
export async function refreshMirror(on: Git, repo: string): Promise<string> {
  const mirror = mirrorOf(on.home, repo);
  const source = commonDirIn(repo);
  if (!existsSync(mirror)) await copyRepository(on, { mirror, source, repo });
  const options = ["--quiet", "--force", "--prune", "--no-tags", "--update-shallow", "--no-write-fetch-head"];
  const args = [
    "fetch",
    ...options,
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--",
    source,
    ...REFSPECS,
  ];
  const call: GitCall = { ...inMirror(mirror), args, limitMs: COPY_MS, isFetch: true };
  const answer = await tryUpdateRef(on, mirror, call);
  if (answer.code !== 0) throw refused(repo, call, answer);
  return mirror;
}

/** Brings one commit of the user's over that no ref of theirs need have. False where it is missing, damaged or incomplete. */
export async function fetchCommit(
  on: Git,
  { mirror, source, oid }: { readonly mirror: string; readonly source: string; readonly oid: string },
): Promise<boolean> {
  const options = [
    "--quiet",
    "--no-tags",
    "--update-shallow",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
  ];
  // The first version of the protocol only gives away what refs have.
  const args = [
    "-c",
    "protocol.version=2",
    "fetch",
    ...options,
    "--no-recurse-submodules",
    "--",
    source,
    oid,
  ];
  const call: GitCall = { ...inMirror(mirror), args, limitMs: COPY_MS, isFetch: true };
  return (await tryUpdateRef(on, mirror, call)).code === 0;
}

/** Creates the mirror where there is none, without looking whether it is up to date. Call under the repository's lock. */
export async function ensureMirror(on: Git, repo: string): Promise<string> {
  const mirror = mirrorOf(on.home, repo);
  return existsSync(mirror) ? mirror : refreshMirror(on, repo);
}

type MirrorCopy = { readonly mirror: string; readonly source: string; readonly repo: string };

/** Copies the git directory of a repository. Its objects are hard links where the file system allows. */
export async function copyRepository(on: Git, { mirror, source, repo }: MirrorCopy): Promise<void> {
  await refusePartial(on, source, repo);
  const folder = dirname(mirror);
  makeFolder(folder);
  const half = `${mirror}.new`;
  rmSync(half, { recursive: true, force: true });
  failpoint("mirror.before-clone");
  const config = ["gc.auto=0", "maintenance.auto=false"];
  const args = [
    // The user's preferences for clones do not count here.
    ...["clone.defaultRemoteName=origin", "init.defaultRefFormat=files"].flatMap((each) => ["-c", each]),
    "clone",
    "--quiet",
    "--bare",
    "--no-tags",
    "--template=",
    ...config.map((line) => `--config=${line}`),
    "--",
    source,
    half,
  ];
  const call: GitCall = { cwd: folder, args, limitMs: COPY_MS, durable: true, isFetch: true };
  const answer = await tryGit(on.env, call);
  if (answer.code !== 0) throw refused(repo, call, answer);
  await stopBorrowing(on, half);
  // Pushing from the mirror, or fetching in it by hand, is nothing that anybody needs.
  await git(on.env, { ...inMirror(half), args: ["config", "--remove-section", "remote.origin"] });
  // The umask may have left it open to others.
  makeFolder(half);
  renameSync(half, mirror);
  syncFolder(folder);
  failpoint("mirror.after-clone");
}

/** A clone of a repository that borrows objects borrows them, too: copy them. */
async function stopBorrowing(on: Git, mirror: string): Promise<void> {
  const borrowed = join(mirror, "objects/info/alternates");
  if (!existsSync(borrowed)) return;
  await git(on.env, {
    ...inMirror(mirror),
    args: ["repack", "-a", "-d", "-q"],
    limitMs: COPY_MS,
    durable: true,
  });
  rmSync(borrowed);
}

/** Objects of a partial clone may be fetched by now: then it can be copied like any other. */
async function refusePartial(on: Git, source: string, repo: string): Promise<void> {
  const packs = unless(["ENOENT"], () => readdirSync(join(source, "objects/pack"))) ?? [];
  if (!packs.some((name) => name.endsWith(".promisor"))) return;
  const args = ["rev-list", "--objects", "--all", "--missing=print", "--no-object-names"];
  const listed = await gitBytes(on.env, { cwd: source, gitDir: source, args, limitMs: COPY_MS });
  if (!listed.includes("\n?")) return;
  throw new UserError(
    "partial-clone",
    `${repo} is a partial clone: objects that agents need are missing in it.`,
    `git -C '${repo}' fetch --refetch --no-filter, or clone it without --filter`,
  );
}

function refused(repo: string, call: GitCall, answer: GitAnswer): UserError {
  const cause = failed(call, answer);
  if (cause instanceof UserError) return cause;
  const lines = answer.err.trim().split("\n");
  const line = lines.find((each) => /^(?:fatal|error):/.test(each)) ?? lines.at(-1) ?? "";
  const sentence = `The engine's copy of ${repo} cannot be brought up to date: ${line}`;
  return new UserError("no-mirror", sentence, { next: `git -C '${repo}' fsck`, exit: FAILED });
}

export type CommitTransfer = {
  readonly from: Omit<GitCall, "args">;
  readonly to: Omit<GitCall, "args">;
  readonly commit: string;
  /** Commits that both repositories have: what they reach is not copied. */
  readonly known: readonly string[];
};

const LIMIT_MS = 10 * 60_000;
/** As `git fetch` has it: few objects become files of their own, so that small packs do not pile up. */
const LOOSE_MAX = 100;
const COUNT_AT = 8;

/** Gives the reason where it cannot be copied; empty where it was. */
export async function transfer(on: Git, { from, to, commit, known }: CommitTransfer): Promise<string> {
  const packed = await tryGit(on.env, {
    ...from,
    args: ["pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset"],
    input: [commit, ...known.map((oid) => `^${oid}`), ""].join("\n"),
    limitMs: LIMIT_MS,
  });
  if (packed.code !== 0) return packed.err.trim();
  const isSmall = packed.out.readUInt32BE(COUNT_AT) < LOOSE_MAX;
  const args = isSmall ? ["unpack-objects", "-q", "--strict"] : ["index-pack", "--stdin", "--strict"];
  const stored = await tryGit(on.env, { ...to, args, input: packed.out, limitMs: LIMIT_MS, durable: true });
  return stored.code === 0 ? "" : stored.err.trim();
}

/** Changes several refs of the mirror in one transaction of git, durable when it returns. */
export async function updateRefs(on: Git, mirror: string, updates: readonly string[]): Promise<void> {
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  await updateRef(on, mirror, { ...inMirror(mirror), args: ["update-ref", "--stdin"], input });
}
