/** What is in a workspace before it is released, and whether all of it can be had afterwards. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { mirrorOf } from "../../../src/adapters/git/mirror/names.ts";
import { runFolders } from "../../../src/adapters/home/paths.ts";
import type { Desk } from "./desk.ts";
import { git, type State } from "./states.ts";

export type Before = {
  readonly id: string;
  /** Names have one character for each byte. */
  readonly files: ReadonlyMap<string, string>;
  /** Commits and staged contents that the clone names. */
  readonly objects: readonly string[];
  /** Of a submodule, which has a repository of its own. */
  readonly inner: string;
  readonly repository: string;
};

export function lookAt(desk: Desk, id: string, path: string): Before {
  const at = { path, env: desk.env };
  const gitDir = join(path, ".git");
  const staged = git(at, "ls-files", "-s", "-z")
    .split("\0")
    .filter((line) => line !== "" && !line.startsWith("160000"))
    .map((line) => line.split(" ")[1] ?? "");
  const named = ["logs/HEAD", "logs/refs/stash", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD"];
  const logged = [...named, "rebase-merge/orig-head"]
    .map((name) => join(gitDir, name))
    .flatMap((file) =>
      existsSync(file) ? (readFileSync(file, "utf8").match(/\b[0-9a-f]{40}\b/g) ?? []) : [],
    );
  // An intent to add stands for nothing yet.
  const nothing = createHash("sha1").update("blob 0\0").digest("hex");
  const objects = [...new Set([...staged, ...logged])];
  const sub = join(path, "sub");
  return {
    id,
    files: filesBelow(path, (name) => name === ".git"),
    objects: objects.filter((oid) => oid !== "" && !/^0+$/.test(oid) && oid !== nothing),
    inner: existsSync(join(sub, ".git")) ? git({ path: sub, env: desk.env }, "rev-parse", "HEAD") : "",
    repository: repositoryOf(desk),
  };
}

/** Everything by which a person would notice that Signalbox was in their repository, besides the branches of runs. */
export function repositoryOf(desk: Desk): string {
  const file = (name: string): string => {
    const path = join(desk.repo, ".git", name);
    return existsSync(path) ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
  };
  return JSON.stringify({
    files: ["HEAD", "index", "config", "info/exclude", "logs/refs/stash"].map(file),
    worktrees: desk.git("worktree", "list"),
    refs: desk
      .git("for-each-ref")
      .split("\n")
      .filter((line) => !/\trefs\/heads\/signalbox\/[^/]+$/.test(line)),
    checkout: [...filesBelow(desk.repo, (name) => name === ".git")],
  });
}

type Expected = {
  /** The clone's own directory was deleted by hand: only its files are looked for. */
  readonly isGitDeleted?: boolean;
};

export async function expectNothingLost(
  desk: Desk,
  before: Before,
  { operation, isSparse, isGitDeleted = false }: Pick<State, "operation" | "isSparse"> & Expected,
): Promise<void> {
  const { id, objects, inner, repository } = before;
  const mirror = { path: mirrorOf(desk.home, desk.repo), env: desk.env };
  const bare = { ...mirror, env: { ...desk.env, GIT_DIR: mirror.path } };
  if (!isGitDeleted) expect(objects.filter((oid) => !isHeld(desk, before, oid))).toEqual([]);
  expect(git(bare, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(repositoryOf(desk)).toBe(repository);
  const folder = join(mkdtempSync(join(desk.root, "back-")), "here");
  const { code, stderr } = await desk.call("salvage", "restore", id, folder);
  if (code !== 0) {
    // The branch in the user's repository has all of it.
    expect(stderr).toContain(`Run ${id} left nothing`);
    git({ path: desk.root, env: desk.env }, "clone", "-q", "--branch", `signalbox/${id}`, desk.repo, folder);
  }
  const back = filesBelow(folder, (name) => name === ".salvage" || name === ".git");
  const same = isSparse === true ? [...back].filter(([name]) => before.files.has(name)) : [...back];
  expect(new Map(same)).toEqual(before.files);
  const dotGit = join(folder, ".salvage/git");
  if (operation !== undefined && !isGitDeleted) expect(existsSync(join(dotGit, operation))).toBe(true);
  if (inner !== "" && !isGitDeleted) {
    const path = join(dotGit, "modules/sub");
    const env = { ...desk.env, GIT_DIR: path, GIT_WORK_TREE: join(folder, "sub") };
    expect(git({ path, env }, "cat-file", "-t", inner)).toBe("commit");
  }
  expect(repositoryOf(desk)).toBe(repository);
}

/** By a ref in the mirror, or by the `.git` that was kept and still names it. */
function isHeld(desk: Desk, { id }: Before, oid: string): boolean {
  const keep = runFolders(desk.home, id).kept;
  const clones = (existsSync(keep) ? readdirSync(keep) : []).map((name) => join(keep, name, ".git"));
  const has = (gitDir: string): boolean =>
    existsSync(gitDir) &&
    spawnSync("git", ["cat-file", "-e", oid], { env: { ...desk.env, GIT_DIR: gitDir } }).status === 0;
  return clones.some(has) || reachable(desk).has(oid);
}

function reachable(desk: Desk): ReadonlySet<string> {
  const path = mirrorOf(desk.home, desk.repo);
  const env = { ...desk.env, GIT_DIR: path };
  return new Set(git({ path, env }, "rev-list", "--objects", "--no-object-names", "--all").split("\n"));
}

/** Contents by name; a link by where it leads, a program by what it is. */
function filesBelow(root: string, isLeftOut: (name: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: Buffer, below: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
      const name = below + entry.name.toString("latin1");
      if (isLeftOut(name)) continue;
      const full = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      if (entry.isDirectory()) walk(full, `${name}/`);
      else found.set(name, contentOf(full));
    }
  };
  walk(Buffer.from(root), "");
  return found;
}

function contentOf(path: Buffer): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (!stat.isFile()) return "special";
  const digest = createHash("sha1").update(readFileSync(path)).digest("hex");
  return (stat.mode & 0o100) === 0 ? digest : `${digest} program`;
}
