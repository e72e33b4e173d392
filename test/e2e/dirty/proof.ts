/** What is in a workspace before it is given back, and whether all of it can be had afterwards. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Desk } from "./desk.ts";
import { git, type State } from "./states.ts";

export type Before = {
  readonly id: string;
  /** Names have one character for each byte. */
  readonly files: ReadonlyMap<string, string>;
  /** Commits and staged contents that the workspace knew. */
  readonly objects: readonly string[];
  /** Of a submodule, which has a repository of its own. */
  readonly inner: string;
  readonly main: string;
};

export function lookAt(desk: Desk, id: string, path: string): Before {
  const at = { path, env: desk.env };
  const gitDir = readFileSync(join(path, ".git"), "utf8")
    .replace(/^gitdir: /, "")
    .trim();
  const staged = git(at, "ls-files", "-s", "-z")
    .split("\0")
    .filter((line) => line !== "" && !line.startsWith("160000"))
    .map((line) => line.split(" ")[1] ?? "");
  const logged = ["logs/HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/orig-head"]
    .map((name) => join(gitDir, name))
    .flatMap((file) =>
      existsSync(file) ? (readFileSync(file, "utf8").match(/\b[0-9a-f]{40}\b/g) ?? []) : [],
    );
  // An intent to add stands for nothing yet.
  const nothing = createHash("sha1").update("blob 0\0").digest("hex");
  const objects = [...new Set([...staged, ...logged, ...stashed(desk)])];
  const sub = join(path, "sub");
  return {
    id,
    files: filesBelow(path, (name) => name === ".git"),
    objects: objects.filter((oid) => oid !== "" && !/^0+$/.test(oid) && oid !== nothing),
    inner: existsSync(join(sub, ".git")) ? git({ path: sub, env: desk.env }, "rev-parse", "HEAD") : "",
    main: mainCheckout(desk),
  };
}

/** Everything by which a person would notice that somebody was in their checkout. */
export function mainCheckout(desk: Desk): string {
  return JSON.stringify({
    head: readFileSync(join(desk.repo, ".git/HEAD"), "utf8"),
    index: createHash("sha1")
      .update(readFileSync(join(desk.repo, ".git/index")))
      .digest("hex"),
    stash: stashed(desk),
    branches: desk
      .git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes", "refs/stash")
      .split("\n")
      // Of whoever comes next.
      .filter((line) => !line.endsWith("refs/heads/signalbox/r2")),
    files: [...filesBelow(desk.repo, (name) => name === ".git")],
  });
}

/** Each entry of the stash, the newest last. */
function stashed(desk: Desk): readonly string[] {
  const file = join(desk.repo, ".git/logs/refs/stash");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.map((line) => line.split(" ")[1] ?? "");
}

export async function expectNothingLost(desk: Desk, before: Before, state: State): Promise<void> {
  const { id, objects } = before;
  const held = new Set(desk.git("rev-list", "--objects", "--no-object-names", "--all").split("\n"));
  expect(objects.filter((oid) => !held.has(oid))).toEqual([]);
  expect(desk.git("fsck", "--strict", "--no-dangling")).toBe("");
  expect(mainCheckout(desk)).toBe(before.main);
  const folder = join(mkdtempSync(join(desk.root, "back-")), "here");
  const { code, stderr } = await desk.call("salvage", "restore", id, folder);
  if (code !== 0) {
    // Nothing was kept, because the branch has all of it.
    expect(stderr).toContain(`nothing was kept of run ${id}`);
    desk.git("worktree", "add", "-q", "--detach", folder, `signalbox/${id}`);
  }
  const back = filesBelow(folder, (name) => name === ".salvage" || name === ".git");
  const same = state.isSparse === true ? [...back].filter(([name]) => before.files.has(name)) : [...back];
  expect(new Map(same)).toEqual(before.files);
  if (state.operation !== undefined)
    expect(existsSync(join(folder, ".salvage/git", state.operation))).toBe(true);
  if (before.inner !== "") {
    const path = join(folder, ".salvage/git/modules/sub");
    const env = { ...desk.env, GIT_DIR: path, GIT_WORK_TREE: join(folder, "sub") };
    expect(git({ path, env }, "cat-file", "-t", before.inner)).toBe("commit");
  }
  if (code !== 0) desk.git("worktree", "remove", folder);
  expect(mainCheckout(desk)).toBe(before.main);
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
