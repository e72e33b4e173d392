/** Snapshots that are written without git: git must find in them what it would have written itself. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { Workspaces } from "../../src/engine/ports/files.ts";
import { apart, commit, put, removeSites, sh, site, work } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

type Prepared = {
  readonly say: (...args: string[]) => string;
  readonly path: string;
  readonly digest: () => Promise<string>;
  readonly snapshot: Workspaces["snapshot"];
  /** How often git was started since last asked. */
  readonly calls: () => number;
};

async function prepared(...setUp: readonly (readonly string[])[]): Promise<Prepared> {
  const of = site();
  const repo = join(of.root, "new");
  const [init = [], ...rest] = setUp;
  sh(of.root, of.env, ["init", "--quiet", ...init, repo]);
  for (const args of rest) sh(repo, of.env, args);
  put(repo, { "a.txt": "one\n", "dir/b.txt": "two\n" });
  commit(repo, of.env, "start");
  const log = join(of.root, "calls");
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  put(of.root, { "bin/git": `#!/bin/sh\necho x >>"${log}"\nexec ${real} "$@"\n` });
  chmodSync(join(of.root, "bin/git"), 0o755);
  const env = { ...of.env, PATH: join(of.root, "bin") + delimiter + (of.env["PATH"] ?? "") };
  const workspaces = gitWorkspaces({ home: of.home, env });
  const base = sh(repo, of.env, ["rev-parse", "HEAD"]);
  const { path } = await workspaces.prepare({ run: "r1", repo, branch: "signalbox/r1", base, artifacts: [] });
  return {
    path,
    say: (...args) => sh(repo, of.env, args),
    digest: () => workspaces.digest(path, []),
    snapshot: (moment) => workspaces.snapshot(moment),
    calls: () => {
      const text = existsSync(log) ? readFileSync(log, "utf8") : "";
      writeFileSync(log, "");
      return text.length / 2;
    },
  };
}

test.for<[string, string, readonly (readonly string[])[], readonly number[]]>(
  sampled(2, [
    ["an ordinary repository", "at the gate", [[]], [0, 0]],
    ["words of several lines", "at the gate\n\n\u00e4 -x\n", [[]], [0, 0]],
    ["one with SHA-256", "at the gate", [["--object-format=sha256"]], [0, 0]],
    ["one that a group shares, whose rights git knows", "at the gate", [["--shared=group"]], [3, 2]],
  ]),
)("%s (%o): a commit as git would write it", async ([, message, setUp, started]) => {
  const { path, say, digest, snapshot, calls } = await prepared(...setUp);
  put(path, { "a.txt": "changed\n", "dir/new.txt": "new\n" });
  const tree = (await digest()).split("+", 1)[0] ?? "";
  calls();
  const counts: number[] = [];
  for (const seq of [1, 2]) {
    await snapshot({ path, run: "r1", seq, tree, message });
    counts.push(calls());
  }
  expect(counts).toEqual(started);
  const ref = "refs/signalbox/snapshots/r1/2";
  const format = "--format=%T %P %an <%ae> %cn <%ce> %B";
  const us = "Signalbox <signalbox@localhost>";
  expect(say("log", "-1", format, ref)).toBe(
    `${tree} ${say("rev-parse", "HEAD")} ${us} ${us} ${message.trimEnd()}`,
  );
  expect(Math.abs(Number(say("log", "-1", "--format=%ct", ref)) - Date.now() / 1000)).toBeLessThan(60);
  const same = say("commit-tree", tree, "-p", "HEAD", "-m", message.trimEnd());
  const bodyOf = (oid: string): string =>
    say("cat-file", "commit", oid).replaceAll(/^(author|committer) .*$/gm, "$1");
  expect(bodyOf(ref)).toBe(bodyOf(same));
  expect(say("fsck", "--strict", "--no-dangling")).toBe("");
});

type Change = (path: string) => void;

test.for<[string, Change, readonly string[]]>(
  sampled(4, [
    ["a folder among names that sort around it", (path) => put(path, AROUND), []],
    [
      "a folder that was there",
      (path) => put(path, { "dir/b.txt": "other\n", "dir/x/y/z.txt": "deep\n" }),
      [],
    ],
    ["with SHA-256", (path) => put(path, AROUND), ["--object-format=sha256"]],
    ["a folder that is gone", (path) => rmSync(join(path, "dir"), { recursive: true }), []],
    [
      "a file in the place of a folder",
      (path) => (rmSync(join(path, "dir"), { recursive: true }), put(path, { dir: "x" })),
      [],
    ],
    [
      "nothing at all",
      (path) => (rmSync(join(path, "dir"), { recursive: true }), rmSync(join(path, "a.txt"))),
      [],
    ],
    [
      "a program and a link",
      (path) => (chmodSync(join(path, "dir/b.txt"), 0o755), symlinkSync("a.txt", join(path, "dir/link"))),
      [],
    ],
    [
      "a name that is no UTF-8",
      (path) => writeFileSync(Buffer.concat([Buffer.from(`${path}/dir/`), Buffer.from([0xff, 0x20])]), "x"),
      [],
    ],
  ]),
)("the tree of %s is the one that git writes", async ([, change, init]) => {
  const { path, say, digest, snapshot, calls } = await prepared(init);
  await digest();
  change(path);
  calls();
  const tree = await digest();
  expect(calls()).toBe(1);
  const ref = await snapshot({ path, run: "r1", seq: 1, tree, message: "m" });
  say("-C", path, "add", "--all");
  expect(say("rev-parse", `${ref}^{tree}`)).toBe(say("-C", path, "write-tree"));
  expect(say("fsck", "--strict", "--no-dangling")).toBe("");
});

const AROUND = {
  "d.txt": "1",
  "dir-a": "2",
  "dir.a": "3",
  "dir/0": "4",
  dir0: "5",
  "dir/a/b": "6",
  "dir/a.b": "7",
  "dira/x": "8",
};

test("of a tree that was thrown away since it was written, no snapshot is made", async () => {
  const { path, say, digest, snapshot } = await prepared([]);
  put(path, { "a.txt": "changed\n" });
  const tree = await digest();
  say("prune", "--expire=now");
  await expect(snapshot({ path, run: "r1", seq: 1, tree, message: "m" })).rejects.toThrow("rev-list");
  expect(await digest()).toBe(tree);
  await snapshot({ path, run: "r1", seq: 2, tree, message: "m" });
  expect(say("fsck", "--strict", "--no-dangling")).toBe("");
});

test("an object is nobody's to write to, and nothing is left beside it", async () => {
  const { path, say, digest, snapshot } = await prepared([]);
  const ref = await snapshot({ path, run: "r1", seq: 1, tree: await digest(), message: "m" });
  const oid = say("rev-parse", ref);
  const file = `objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
  expect(statSync(say("rev-parse", "--path-format=absolute", "--git-path", file)).mode & 0o222).toBe(0);
  expect(say("count-objects", "-v")).toContain("garbage: 0");
});

test("a ref that is packed is there: it is not made a second time", async () => {
  const { path, say, digest, snapshot } = await prepared([]);
  const moment = { path, run: "r1", seq: 1, message: "m" };
  const ref = await snapshot({ ...moment, tree: await digest() });
  say("pack-refs", "--all");
  const before = say("rev-parse", ref);
  put(path, { "a.txt": "changed\n" });
  await expect(snapshot({ ...moment, tree: await digest() })).rejects.toThrow("holds the tree");
  expect(say("rev-parse", ref)).toBe(before);
});

test("of a tree that is not there, no snapshot is made", async () => {
  const { path, say, snapshot } = await prepared([]);
  const tree = "1".repeat(40);
  await expect(snapshot({ path, run: "r1", seq: 1, tree, message: "m" })).rejects.toThrow("rev-list");
  expect(say("for-each-ref", "refs/signalbox/snapshots")).toBe("");
});

test.for(sampled(1, ["before-snapshot", "before-ref", "after-snapshot"]))(
  "killed at %s, the next one makes it, and nothing is in its way",
  async (point) => {
    const of = site();
    const base = { run: "r1", repo: of.repo, branch: "signalbox/r1", base: of.base, artifacts: [] };
    const { path } = await of.workspaces.prepare(base);
    put(path, { "a.txt": "changed\n" });
    const tree = await of.workspaces.digest(path, []);
    const moment = { path, run: "r1", seq: 7, tree, message: "m" };
    expect(await apart(of, { do: "snapshot", with: moment }, `workspace.${point}`)).toMatchObject({
      signal: "SIGKILL",
    });
    const ref = await of.workspaces.snapshot(moment);
    expect(sh(of.repo, of.env, ["rev-parse", `${ref}^{tree}`])).toBe(work(tree));
    expect(existsSync(join(of.repo, ".git", `${ref}.lock`))).toBe(false);
    expect(sh(of.repo, of.env, ["fsck", "--strict", "--no-dangling"])).toBe("");
  },
);
