/**
 * The bench: a git directory of the engine for each work tree, in the state home.
 *
 * Agents own the `.git` of their workspace: its configuration, attributes, hooks, refs and index. Git reads none of them when the
 * engine calls it, because it is given this directory: with a configuration of the few settings that say how files become objects, the
 * engine's own exclude rules and its own index. Objects are the mirror's. The user's global configuration counts, but its filters are
 * not started in the work tree.
 */

import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { jsonOfOwn } from "../../home/own-file.ts";
import { makeFolder, writePrivate } from "../../home/folders.ts";
import type { Env, Home } from "../../home/paths.ts";
import { UserError } from "../../user-error.ts";
import { OURSELVES, type GitCall, type AuthorIdentity } from "../call/call.ts";
import { whileLocked } from "../call/locks.ts";
import { ensureMirror } from "../mirror/mirror.ts";
import { gitDirOf, isFolder } from "../repository/locate.ts";
import {
  configText,
  entriesOf,
  filterSections,
  settingsOf,
  type RepositorySettings,
} from "../repository/settings.ts";
import { ignoreLines, isCovered } from "../snapshot/paths.ts";

/** What every call of git in this adapter needs: the state home and the environment of the process. */
export type Git = { readonly home: Home; readonly env: Env };

export type Bench = {
  /** The work tree. */
  readonly path: string;
  /** The engine's git directory for it. */
  readonly own: string;
  readonly mirror: string;
  readonly run: string;
  /** The run's branch in the user's repository, as a ref; empty in place. */
  readonly branch: string;
  /** The commit that the work began from; empty in place. */
  readonly base: string;
  /** Whose the engine's commits are: the user's identity, where git knows it. */
  readonly author: AuthorIdentity;
  readonly signing?: RepositorySettings["signing"];
  readonly oidBytes: number;
  /** The user's own checkout, whose branch is not the run's. */
  readonly isPlace?: boolean;
};

type BenchRecord = Pick<Bench, "mirror" | "run" | "branch" | "base" | "author" | "signing" | "oidBytes">;

const MISSING = ["ENOENT", "ENOTDIR"];
const UNREADABLE = [...MISSING, "EACCES", "ELOOP"];
const RECORD = "workspace.json";
const KEPT_AWAY = "kept-away.json";
const END_OF_RULES = "# signalbox: end of rules";

/** How git is called with the bench. A work tree that is gone still has its objects. */
export function within(bench: Bench): Omit<GitCall, "args"> {
  const { path, own, mirror } = bench;
  const call = { gitDir: own, objects: join(mirror, "objects") };
  return isFolder(path) ? { ...call, cwd: path, workTree: path } : { ...call, cwd: own };
}

/** The same with an index. */
export function at(bench: Bench, index: string): Omit<GitCall, "args"> {
  return { ...within(bench), index };
}

/** The bench of the work tree at a path, as it was made. A checkout of the user's gets one when it is first asked for. */
export async function openBench(on: Git, path: string): Promise<Bench> {
  const known = isFolder(path) ? benchAt(on, path) : undefined;
  if (known !== undefined) return known;
  if (isOurs(on, path) || gitDirOf(path) === undefined) throw gone(path);
  const repo = realpathSync(path);
  return whileLocked({ folder: on.home.locks, repo }, async () =>
    makeBench(on, {
      path: repo,
      mirror: await ensureMirror(on, repo),
      run: "",
      branch: "",
      base: "",
      settings: await settingsOf(on, repo),
    }),
  );
}

/** Whether the workspace at a path exists. */
export function isWorkspaceAt(on: Pick<Git, "home">, path: string): boolean {
  return isFolder(path) && benchAt(on, path) !== undefined;
}

export function gone(path: string): UserError {
  return new UserError("no-workspace", `The workspace ${path} is gone.`, "signalbox doctor --repair");
}

export type Founding = Omit<BenchRecord, "author" | "signing" | "oidBytes"> & {
  readonly path: string;
  readonly settings: RepositorySettings;
};

/** Makes the bench of a work tree, in place of an earlier one at the same path. */
export function makeBench(on: Git, { path, settings, ...of }: Founding): Bench {
  const own = ownOf(on, path);
  failpoint("workspace.before-own");
  forgetBench({ own });
  for (const folder of [join(on.home.root, "git"), own, join(own, "refs"), join(own, "info")])
    makeFolder(folder);
  writePrivate(join(own, "HEAD"), "ref: refs/heads/none\n");
  writePrivate(join(own, "config"), configOf(settings));
  writePrivate(join(own, "info/exclude"), withNewline(settings.exclude));
  // Where the user's history ends, the mirror's does: git must not look for what lies before.
  symlinkSync(join(of.mirror, "shallow"), join(own, "shallow"));
  if (settings.sparse !== undefined) writePrivate(join(own, "info/sparse-checkout"), settings.sparse);
  const oidBytes = settings.format.get("extensions.objectformat") === "sha256" ? 32 : 20;
  const { user, signing } = settings;
  const author = user.name === "" || user.email === "" ? OURSELVES : user;
  const record: BenchRecord = { ...of, author, signing, oidBytes };
  // The last: without it, all of it is made again.
  writePrivate(join(own, RECORD), `${JSON.stringify(record)}\n`);
  failpoint("workspace.after-own");
  return { ...record, path, own, ...(isOurs(on, path) ? {} : { isPlace: true }) };
}

function configOf({ format, lfs, filters }: RepositorySettings): string {
  return configText([
    ["core", [...entriesOf(format, "core"), ["bare", "false"], ["logAllRefUpdates", "false"]]],
    ["extensions", entriesOf(format, "extensions")],
    // Git LFS, where it is the user's own filter, finds files there that the user has, and puts those there that a branch needs.
    ["lfs", [["storage", lfs]]],
    ...filterSections({ filters }),
  ]);
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The run's branch has another name. */
export function recordBranch(bench: Bench, branch: string): void {
  const { mirror, run, base, author, signing, oidBytes } = bench;
  const record: BenchRecord = { mirror, run, branch, base, author, signing, oidBytes };
  writePrivate(join(bench.own, RECORD), `${JSON.stringify(record)}\n`);
}

/** The record goes first: a crash leaves a directory that is not taken for whole. */
export function forgetBench({ own }: Pick<Bench, "own">): void {
  rmSync(join(own, RECORD), { force: true });
  rmSync(own, { recursive: true, force: true });
}

/** Artifacts are not part of the work. What was left out once stays left out. */
export function leaveOut(bench: Pick<Bench, "own">, artifacts: readonly string[]): void {
  const { file, lines } = ignored(bench);
  // A rule of the user may be taken back by the next one; ours come last.
  const ours = lines.slice(lines.indexOf(END_OF_RULES) + 1);
  const missing = ignoreLines(artifacts).filter((line) => !isCovered(line, ours));
  if (missing.length > 0) writePrivate(file, [...lines.slice(0, -1), ...missing, ""].join("\n"));
}

/** What these rules name is not part of the work either. They come before artifacts, so that no rule can bring an artifact back. */
export function ruleOut(bench: Pick<Bench, "own">, rules: string): void {
  const { file, lines } = ignored(bench);
  if (lines.includes(END_OF_RULES)) return;
  const each = rules.split("\n").filter((line) => line !== "" && line !== END_OF_RULES);
  writePrivate(file, [...lines.slice(0, -1), ...each, END_OF_RULES, ""].join("\n"));
}

/** The exclude rules of a bench, for the clone that it belongs to. */
export function rulesOf(bench: Pick<Bench, "own">): string {
  return ignored(bench).lines.join("\n");
}

function ignored({ own }: Pick<Bench, "own">): { readonly file: string; readonly lines: readonly string[] } {
  const file = join(own, "info/exclude");
  return { file, lines: unless(MISSING, () => readFileSync(file, "utf8"))?.split("\n") ?? [""] };
}

/** In place: the files that are not part of the work while one run has the checkout, instead of those of the run before it. */
export function keepAway({ own }: Pick<Bench, "own">, artifacts: readonly string[]): void {
  writePrivate(join(own, KEPT_AWAY), `${JSON.stringify(artifacts)}\n`);
}

export function keptAway({ own }: Pick<Bench, "own">): readonly string[] {
  const paths = jsonOfOwn(join(own, KEPT_AWAY));
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}

/** A link in the place of a work tree leads elsewhere: only what is above it is resolved. */
function ownOf(on: Pick<Git, "home">, path: string): string {
  const place = join(real(dirname(path)), basename(path));
  return join(on.home.root, "git", sha256(place).slice(0, 32));
}

/** Whether the engine made it: everything that it makes is in the state home. */
function isOurs({ home }: Pick<Git, "home">, path: string): boolean {
  return real(dirname(path)).startsWith(`${real(home.root)}/`);
}

function real(path: string): string {
  return unless(UNREADABLE, () => realpathSync(path)) ?? path;
}

/** The bench that was made for a path, whether or not the work tree still exists. */
export function benchAt(on: Pick<Git, "home">, path: string): Bench | undefined {
  const own = ownOf(on, path);
  const record = jsonOfOwn(join(own, RECORD));
  if (!isRecorded(record) || !["HEAD", "config", "refs"].every((name) => existsSync(join(own, name))))
    return undefined;
  return { ...record, path, own, ...(isOurs(on, path) ? {} : { isPlace: true }) };
}

function isRecorded(value: unknown): value is BenchRecord {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    ["mirror", "run", "branch", "base"].every((name) => typeof fields.get(name) === "string") &&
    typeof fields.get("author") === "object" &&
    ["undefined", "object"].includes(typeof fields.get("signing")) &&
    [20, 32].includes(Number(fields.get("oidBytes")))
  );
}
