/**
 * A git folder of ours for each workspace, in the state home.
 *
 * Whatever agents can write (the repository's configuration, its attributes, its lists of what to ignore, the worktree's index) is
 * not asked: this folder holds a configuration with the few settings that say how files become objects, copied as values when the
 * workspace is made, our own list of what to ignore, and our own index. Only the objects are the repository's. The user's global
 * configuration counts as always.
 */

import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { sha256 } from "../../format/sha256.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import type { Env, Home } from "../home/paths.ts";
import { UserError } from "../user-error.ts";
import { ignoreLines, isCovered } from "./artifact-paths.ts";
import { git } from "./call.ts";
import type { Call } from "./call.ts";
import { commonDirOf, gitDirOf, isFolder } from "./locate.ts";
import { branchAt } from "./refs.ts";

export type On = {
  readonly home: Home;
  readonly env: Env;
  /** What only saves time the next time may come after everything else. */
  readonly later?: (work: () => void) => void;
};

/** A worktree, git's own folder for it, and ours. */
export type Bench = {
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly own: string;
  /** The run's branch, as a ref. */
  readonly branch: string;
  readonly oidBytes: number;
  readonly isAlone?: boolean;
  /** The checkout of a person, whose branch is not the run's. */
  readonly isPlace?: boolean;
};

type Known = Pick<Bench, "gitDir" | "commonDir" | "branch" | "oidBytes"> & {
  /** Whose it is: a worktree of a pool has one run after the other. */
  readonly run?: string;
};

const MISSING = ["ENOENT", "ENOTDIR"];
const UNREADABLE = [...MISSING, "EACCES", "ELOOP"];
const RECORD = "workspace.json";
const KEPT_AWAY = "kept-away.json";
const END_OF_RULES = "# signalbox: end of rules";

/** Settings that say how files become objects. None of them names a file or a command. */
const COPIED = new Set([
  "core.repositoryformatversion",
  "core.autocrlf",
  "core.eol",
  "core.filemode",
  "core.symlinks",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.sharedrepository",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "extensions.objectformat",
]);
const PLAIN = /^[a-z0-9]*$/i;
const OWN_SCOPES = new Set(["local", "worktree"]);

/** How git is called with our folder. A worktree whose folder is gone still has its objects. */
export function within(bench: Bench): Omit<Call, "args"> {
  const { path, own, commonDir, isAlone = false } = bench;
  const call = { gitDir: own, objects: join(commonDir, "objects"), isAlone };
  return isFolder(path) ? { ...call, cwd: path, workTree: path } : { ...call, cwd: own };
}

/** The same with an index. */
export function at(bench: Bench, index: string): Omit<Call, "args"> {
  return { ...within(bench), index };
}

/** The repository itself, where refs are asked for or changed. */
export function inRepository({ commonDir, gitDir }: Bench): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir };
}

/** The workspace at a path, as it was made: what its `.git` says since then is believed only where it says the same. */
export async function openBench(on: On, path: string): Promise<Bench> {
  const gitDir = gitDirAsMade(on, path);
  if (gitDir === undefined) throw gone(path);
  const bench = await benchOf(on, { path: realpathSync(path), gitDir });
  return isPlace(on, path) ? { ...bench, isPlace: true } : bench;
}

/** Whether the workspace at a path still is the one that was made there. */
export function isWorkspaceAt(on: Pick<On, "home">, path: string): boolean {
  return gitDirAsMade(on, path) !== undefined;
}

function gitDirAsMade(on: Pick<On, "home">, path: string): string | undefined {
  const gitDir = isFolder(path) ? unless(UNREADABLE, () => gitDirOf(path)) : undefined;
  if (gitDir === undefined) return undefined;
  const known = recorded(on, path);
  if (known !== undefined && real(known.gitDir) !== real(gitDir)) return undefined;
  return known?.gitDir ?? gitDir;
}

function gone(path: string): UserError {
  return new UserError(
    "no-workspace",
    `${path} is no working tree of git any more.`,
    "signalbox doctor --repair",
  );
}

function real(path: string): string {
  return unless(UNREADABLE, () => realpathSync(path)) ?? path;
}

type Wanted = {
  readonly path: string;
  readonly gitDir: string;
  readonly branch?: string;
  readonly run?: string;
  /** What our folder is called, where it is for no workspace. */
  readonly name?: string;
};

/** Makes our folder where it is missing, or belongs to an earlier worktree of this name, or to an earlier run in it. */
export async function benchOf(on: On, { path, gitDir, branch, run, name = path }: Wanted): Promise<Bench> {
  const own = ownOf(on, name);
  const known = recorded(on, name);
  const isSame =
    known?.gitDir === gitDir &&
    (branch === undefined || known.branch === branch) &&
    (run === undefined || known.run === undefined || known.run === run);
  if (known !== undefined && isSame && isWhole(own)) return { ...known, path, own };
  const commonDir = commonDirOf(gitDir);
  const settings = await settingsOf(on, gitDir);
  failpoint("workspace.before-own");
  removeOwn(own);
  for (const folder of [join(on.home.root, "git"), own, join(own, "refs"), join(own, "info")])
    makeFolder(folder);
  writePrivate(join(own, "HEAD"), "ref: refs/heads/none\n");
  writePrivate(join(own, "config"), configOf(settings, commonDir));
  const sparse = unless(MISSING, () => readFileSync(join(gitDir, "info", "sparse-checkout"), "utf8"));
  if (sparse !== undefined) writePrivate(join(own, "info", "sparse-checkout"), sparse);
  const record: Known = {
    gitDir,
    commonDir,
    branch: branch ?? branchAt(gitDir) ?? "",
    oidBytes: settings.get("extensions.objectformat") === "sha256" ? 32 : 20,
    ...(run === undefined ? {} : { run }),
  };
  // The last: without it, all of it is made again.
  writePrivate(join(own, RECORD), `${JSON.stringify(record)}\n`);
  failpoint("workspace.after-own");
  return { ...record, path, own };
}

/** The branch that the workspace at a path was made for, where it is this run's. */
export function branchOfRun(on: Pick<On, "home">, path: string, run: string): string | undefined {
  const known = recorded(on, path);
  return known?.run === run ? known.branch : undefined;
}

/** The same workspace on another branch. */
export function recordBranch(on: On, bench: Bench, branch: string): void {
  const known = recorded(on, bench.path);
  if (known !== undefined) writePrivate(join(bench.own, RECORD), `${JSON.stringify({ ...known, branch })}\n`);
}

export function forgetBench({ own }: Pick<Bench, "own">): void {
  removeOwn(own);
}

/** The record goes first: whoever is killed over the rest leaves a folder that nobody takes for whole. */
function removeOwn(own: string): void {
  rmSync(join(own, RECORD), { force: true });
  rmSync(own, { recursive: true, force: true });
}

function isWhole(own: string): boolean {
  return ["HEAD", "config", "refs"].every((name) => existsSync(join(own, name)));
}

/** Artifacts are not part of the work. What was left out once stays so. */
export function leaveOut(bench: Pick<Bench, "own">, artifacts: readonly string[]): void {
  const { file, lines } = ignored(bench);
  // A rule of somebody else may be taken back by the next one.
  const ours = lines.slice(lines.indexOf(END_OF_RULES) + 1);
  const missing = ignoreLines(artifacts).filter((line) => !isCovered(line, ours));
  if (missing.length > 0) writePrivate(file, [...lines.slice(0, -1), ...missing, ""].join("\n"));
}

/** What rules name is not part of the work. They stand first: whatever they take back, artifacts stay out. */
export function ruleOut(bench: Pick<Bench, "own">, rules: string): void {
  const { file, lines } = ignored(bench);
  if (rules.trim() === "" || lines.includes(END_OF_RULES)) return;
  const each = rules.split("\n").filter((line) => line !== END_OF_RULES);
  writePrivate(file, [...each, END_OF_RULES, ...lines].join("\n"));
}

function ignored({ own }: Pick<Bench, "own">): { readonly file: string; readonly lines: readonly string[] } {
  const file = join(own, "info", "exclude");
  return { file, lines: unless(MISSING, () => readFileSync(file, "utf8"))?.split("\n") ?? [""] };
}

/** In place: what is not part of the work while one run has the checkout, instead of what was so for the last one. */
export function keepAway({ own }: Pick<Bench, "own">, artifacts: readonly string[]): void {
  writePrivate(join(own, KEPT_AWAY), `${JSON.stringify(artifacts)}\n`);
}

export function keptAway({ own }: Pick<Bench, "own">): readonly string[] {
  const text = unless(MISSING, () => readFileSync(join(own, KEPT_AWAY), "utf8"));
  const paths: unknown = text === undefined ? [] : parsed(text);
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}

/** Several checkouts may have one name; those below our worktrees have one each. */
function ownOf(on: Pick<On, "home">, path: string): string {
  const name = isPlace(on, path) ? `place-${sha256(real(path)).slice(0, 32)}` : basename(path);
  return join(on.home.root, "git", name);
}

/** Whether there is a checkout that nobody but a person has made: everything of ours is among our worktrees. */
function isPlace({ home }: Pick<On, "home">, path: string): boolean {
  return isAbsolute(path) && real(dirname(path)) !== real(home.worktrees);
}

function recorded(on: Pick<On, "home">, path: string): Known | undefined {
  const text = unless(MISSING, () => readFileSync(join(ownOf(on, path), RECORD), "utf8"));
  if (text === undefined) return undefined;
  const known = parsed(text);
  return isKnown(known) ? known : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: it is made anew.
    return undefined;
  }
}

function isKnown(value: unknown): value is Known {
  return (
    typeof value === "object" &&
    value !== null &&
    "gitDir" in value &&
    typeof value.gitDir === "string" &&
    "commonDir" in value &&
    typeof value.commonDir === "string" &&
    "branch" in value &&
    typeof value.branch === "string" &&
    "oidBytes" in value &&
    (value.oidBytes === 20 || value.oidBytes === 32) &&
    (!("run" in value) || typeof value.run === "string")
  );
}

/** Listing runs nothing. */
async function settingsOf(on: On, gitDir: string): Promise<ReadonlyMap<string, string>> {
  const args = ["config", "--list", "--show-scope", "--includes", "-z"];
  const fields = (await git(on.env, { cwd: gitDir, gitDir, args })).split("\0");
  const settings = new Map<string, string>();
  for (let place = 0; place + 1 < fields.length; place += 2) {
    const [scope = "", entry = ""] = fields.slice(place, place + 2);
    const [key = "", value = "true"] = entry.split("\n", 2);
    if (OWN_SCOPES.has(scope) && COPIED.has(key) && PLAIN.test(value)) settings.set(key, value);
  }
  return settings;
}

function configOf(settings: ReadonlyMap<string, string>, commonDir: string): string {
  const lines = [...settings].map(([key, value]) => `[${key.replace(".", "]\n\t")} = ${value}\n`);
  // Git-lfs, where it is the user's own filter, finds what it has fetched where it is for the whole repository.
  const storage = join(commonDir, "lfs").replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `${lines.join("")}[core]\n\tbare = false\n\tlogAllRefUpdates = false\n[lfs]\n\tstorage = "${storage}"\n`;
}
