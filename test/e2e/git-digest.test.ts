/** The digest of the work. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitBranches } from "../../src/adapters/git/repository/branch-port.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { repositoryOf } from "../../src/adapters/git/repository/repository.ts";
import { commit, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

const ARTIFACTS = ["TASK.md", "reviews/{slot}.json"];

async function prepared(artifacts: readonly string[] = ARTIFACTS) {
  const of = site();
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: of.base,
    artifacts,
  });
  return { of, path, digest: () => of.workspaces.digest(path, artifacts) };
}

test("the digest of an untouched workspace is the tree of its commit", async () => {
  const { of, digest } = await prepared();
  expect(await digest()).toBe(sh(of.repo, of.env, ["rev-parse", "HEAD^{tree}"]));
});

test("content is the same whether on the disk, staged or committed", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "a.txt": "changed\n", "new/x.txt": "x\n" });
  rmSync(join(path, "b.txt"));
  chmodSync(join(path, "dir/c.txt"), 0o755);
  symlinkSync("a.txt", join(path, "link"));
  const loose = await digest();
  sh(path, of.env, ["add", "-A"]);
  const staged = await digest();
  sh(path, of.env, ["commit", "-qm", "x"]);
  const tree = sh(path, of.env, ["rev-parse", "HEAD^{tree}"]);
  expect([loose, staged, await digest()]).toEqual([tree, tree, tree]);
});

test("the work besides what rules name is another one only where something else changes", async () => {
  const { of, path, digest } = await prepared();
  const besides = async (rules: string): Promise<string> =>
    of.workspaces.besides(path, { tree: await digest(), rules });
  const whole = await besides("");
  expect(whole).toBe(await digest());
  const rules = "*.md\n/docs/\n!docs/code.ts\n";
  const before = await besides(rules);
  put(path, { "README.md": "x\n", "docs/a.txt": "x\n", "dir/deep.md": "x\n" });
  expect([await besides(rules), await besides("")].map((tree) => tree === before)).toEqual([true, false]);
  put(path, { "a.txt": "changed\n" });
  const changed = await besides(rules);
  expect(changed).not.toBe(before);
  sh(path, of.env, ["add", "-A"]);
  sh(path, of.env, ["commit", "-qm", "x"]);
  expect(await besides(rules)).toBe(changed);
});

const NO_CODE =
  "README.md packages/a/README.de.md README CHANGELOG.rst docs/deep/guide.md packages/a/package-lock.json";
const CODE =
  "README.ts tests/README_test.py src/pages/CHANGELOG.tsx README/index.js src/README.md/index.js src/go.sum/index.js src/docs/index.js";

test("with the rules of orchestrated, what is no code is beside the work wherever it is written", async () => {
  const { of, path, digest } = await prepared();
  const declared = loadWorkflow("orchestrated").definition.params["besides"];
  const rules = declared?.type === "text" ? declared.default : "";
  const besides = async (): Promise<string> => of.workspaces.besides(path, { tree: await digest(), rules });
  const before = await besides();
  const same: string[] = [];
  for (const name of `${NO_CODE} ${CODE}`.split(" ")) {
    put(path, { [name]: "x\n" });
    if ((await besides()) === before) same.push(name);
    rmSync(join(path, name.split("/")[0] ?? ""), { recursive: true });
  }
  expect([same.join(" "), await besides()]).toEqual([NO_CODE, before]);
});

type Change = (path: string, of: Site) => void;

test.for<[string, Change, "same" | "other"]>([
  ["a file that they name", (path) => put(path, { ".notes/deep/adr.md": "x", "dir/x.tmp": "x" }), "same"],
  ["an artifact that they take back", (path) => put(path, { "TASK.md": "x" }), "same"],
  ["what they take back", (path) => put(path, { "kept.tmp": "x" }), "other"],
  ["what they do not name", (path) => put(path, { notes: "x" }), "other"],
  [
    "a file that they name, committed all the same",
    (path, of) => (
      put(path, { "x.tmp": "x" }),
      sh(path, of.env, ["add", "-f", "x.tmp"]),
      void sh(path, of.env, ["commit", "-qm", "x"])
    ),
    "other",
  ],
])("with rules of what no commit takes: %s", async ([, change, expected]) => {
  const of = site();
  const leftOut = ".notes/**\n*.tmp\n!kept.tmp\n/*.md\n!TASK.md\n# signalbox: end of rules\n";
  const wanted = { run: "r1", repo: of.repo, branch: "b1", base: of.base, artifacts: ARTIFACTS, leftOut };
  const { path } = await of.workspaces.prepare(wanted);
  const before = await of.workspaces.digest(path, ARTIFACTS);
  change(path, of);
  // Whoever works there with others sees the same.
  await of.workspaces.prepare(wanted);
  const after = [
    await of.workspaces.digest(path, ["other.json"]),
    await of.workspaces.digest(path, ARTIFACTS),
  ];
  expect(after.map((tree) => (tree === before ? "same" : "other"))).toEqual([expected, expected]);
});

test.for([".signalbox-x/a.txt", ".signalbox-new", "dir/.signalbox-newer-1", ".signalbox-old-x"])(
  "%s only looks like a file of ours: it is part of the work",
  async (name) => {
    const { of, path, digest } = await prepared();
    put(path, { [name]: "work\n" });
    expect(sh(mirrorOf(of.home, of.repo), of.env, ["show", `${await digest()}:${name}`])).toBe("work");
  },
);

test.for<[string, Change, "same" | "other"]>(
  sampled(7, [
    ["an artifact", (path) => put(path, { "TASK.md": "x" }), "same"],
    ["an artifact of a slot", (path) => put(path, { "reviews/a.json": "x" }), "same"],
    [
      "an artifact that was committed all the same",
      (path, of) => (
        put(path, { "TASK.md": "x" }),
        sh(path, of.env, ["add", "-f", "TASK.md"]),
        void sh(path, of.env, ["commit", "-qm", "x"])
      ),
      "same",
    ],
    [
      "a file of ours beside an artifact",
      (path) => put(path, { ".signalbox-new-1.ab-TASK.md": "x" }),
      "same",
    ],
    ["an ignored file", (path) => put(path, { ".env": "x" }), "same"],
    ["a time of a file", (path) => utimesSync(join(path, "a.txt"), 1, 1), "same"],
    ["a file beside artifacts", (path) => put(path, { "reviews/a.txt": "x" }), "other"],
    ["an artifact's name elsewhere", (path) => put(path, { "dir/TASK.md": "x" }), "other"],
    ["a new file", (path) => put(path, { new: "x" }), "other"],
    [
      "a new file in a folder that is no UTF-8",
      (path) => (
        mkdirSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff])])),
        writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff]), Buffer.from("/x")]), "x")
      ),
      "other",
    ],
    ["a mode", (path) => chmodSync(join(path, "a.txt"), 0o755), "other"],
    [
      "a file that is assumed unchanged",
      (path, of) => (
        sh(path, of.env, ["update-index", "--assume-unchanged", "a.txt"]),
        put(path, { "a.txt": "two\n" })
      ),
      "other",
    ],
    [
      "a file that is skipped",
      (path, of) => (
        sh(path, of.env, ["update-index", "--skip-worktree", "a.txt"]),
        put(path, { "a.txt": "two\n" })
      ),
      "other",
    ],
    ["a file of the same size and time", (path) => backdated(join(path, "a.txt"), "ONE\n"), "other"],
    [
      "the same with lax settings",
      (path, of) => (
        sh(path, of.env, ["config", "core.trustctime", "false"]),
        sh(path, of.env, ["config", "core.checkStat", "minimal"]),
        backdated(join(path, "a.txt"), "ONE\n")
      ),
      "other",
    ],
    [
      "a file hidden by an index of version 4",
      (path, of) => (
        sh(path, of.env, ["update-index", "--index-version", "4", "--assume-unchanged", "dir/c.txt"]),
        put(path, { "dir/c.txt": "x\n" })
      ),
      "other",
    ],
    [
      "a file hidden in a split index",
      (path, of) => (
        sh(path, of.env, ["update-index", "--assume-unchanged", "a.txt"]),
        sh(path, of.env, ["update-index", "--split-index"]),
        put(path, { "a.txt": "two\n" })
      ),
      "other",
    ],
  ]),
)("%s changes: the digest is the %s", async ([, change, expected]) => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  change(path, of);
  const after = await digest();
  expect(after === before ? "same" : "other").toBe(expected);
  expect(await digest()).toBe(after);
});

/** Written in the same moment as the index, with the time that the file had before. */
function backdated(file: string, text: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, text);
  utimesSync(file, atime, mtime);
}

test("a file that changes in the moment in which the index was written is noticed", async () => {
  const { of, path, digest } = await prepared();
  for (let round = 0; round < 5; round += 1) {
    put(path, { "a.txt": `${round}a\n` });
    sh(path, of.env, ["add", "a.txt"]);
    put(path, { "a.txt": `${round}b\n` });
    expect(sh(path, of.env, ["show", `${await digest()}:a.txt`])).toBe(`${round}b`);
  }
});

test("a folder that is gone is a user's affair", async () => {
  const { path, digest } = await prepared();
  rmSync(path, { recursive: true });
  await expect(digest()).rejects.toMatchObject({ name: "UserError", code: "no-workspace" });
});

test("the clone's own .git has no say in it", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "a.txt": "x\n", ".git/index.lock": "" });
  const before = await digest();
  expect(sh(mirrorOf(of.home, of.repo), of.env, ["show", `${before}:a.txt`])).toBe("x");
  rmSync(join(path, ".git"), { recursive: true });
  expect(await digest()).toBe(before);
});

test("one process of git, also for a new tree, and five more for a new commit", async () => {
  const { of, path } = await prepared();
  sh(of.repo, of.env, ["remote", "add", "origin", "https://localhost/x"]);
  const bin = join(of.root, "bin");
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  put(of.root, { "bin/git": `#!/bin/sh\necho x >>"${of.root}/calls"\nexec ${real} "$@"\n` });
  chmodSync(join(bin, "git"), 0o755);
  const counted = gitWorkspaces({
    home: of.home,
    env: { ...of.env, PATH: bin + delimiter + (of.env["PATH"] ?? "") },
  });
  const calls = async () => {
    writeFileSync(join(of.root, "calls"), "");
    await counted.digest(path, ARTIFACTS);
    return readFileSync(join(of.root, "calls"), "utf8").trim().split("\n").length;
  };
  await calls();
  put(path, { "TASK.md": "x" });
  expect(await calls()).toBe(1);
  put(path, { "a.txt": "changed\n", "new.txt": "new\n" });
  expect([await calls(), await calls()]).toEqual([1, 1]);
  put(path, { "TASK.md": "y", "new.txt": "newer\n" });
  expect([await calls(), await calls()]).toEqual([1, 1]);
  commit(path, of.env, "work");
  expect([await calls(), await calls()]).toEqual([6, 1]);
  put(path, { "b.txt": "changed\n" });
  commit(path, of.env, "more");
  put(path, { "b.txt": "again\n" });
  expect(await calls()).toBe(6);
});

test("the files of a digest are those of the work at that moment, without artifacts and what is ignored", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "new/ä b.txt": "x\n", "TASK.md": "x", "out/log.txt": "x", ".gitignore": "out\n" });
  rmSync(join(path, "b.txt"));
  const tree = await digest();
  put(path, { "later.txt": "x" });
  const before = await of.workspaces.files(path, sh(of.repo, of.env, ["rev-parse", "HEAD^{tree}"]));
  expect((await of.workspaces.files(path, tree)).toSorted()).toEqual(
    [...before.filter((name) => name !== "b.txt"), "new/ä b.txt"].toSorted(),
  );
  expect(await of.workspaces.files(path, "0".repeat(40))).toEqual([]);
});

test("the tree of unchanged work that somebody has thrown away is written again", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "dir/new.txt": "new\n" });
  const before = await digest();
  const mirror = mirrorOf(of.home, of.repo);
  sh(mirror, of.env, ["prune", "--expire=now"]);
  expect(await digest()).toBe(before);
  expect(sh(mirror, of.env, ["cat-file", "-t", before])).toBe("tree");
});

test("a repository with SHA-256, and one whose git folder is elsewhere", async () => {
  const of = site();
  for (const [name, args] of [
    ["sha256", ["--object-format=sha256"]],
    ["apart", ["--separate-git-dir", join(of.root, "git dir")]],
  ] as const) {
    const repo = join(of.root, name);
    mkdirSync(repo);
    sh(repo, of.env, ["init", "-q", ...args]);
    put(repo, { "a.txt": "a\n" });
    const base = commit(repo, of.env, "a");
    expect(await repositoryOf(repo, of.env)).toEqual({ path: repo, branch: "main", head: base });
    const { path } = await of.workspaces.prepare({ run: name, repo, branch: "r", base, artifacts: [] });
    sh(path, of.env, ["update-index", "--assume-unchanged", "a.txt"]);
    put(path, { "a.txt": "b\n", "n.txt": "n\n" });
    const tree = await of.workspaces.digest(path, []);
    const handover = { path, repo, run: name, tree, artifacts: [], message: "gate" };
    expect(await of.workspaces.snapshot(handover)).toMatchObject({ notes: [] });
    expect(sh(repo, of.env, ["show", "r:a.txt"])).toBe("b");
    const own = commit(path, of.env, "the agent's own");
    put(path, { "n.txt": "more\n" });
    await of.workspaces.snapshot({ ...handover, tree: await of.workspaces.digest(path, []) });
    expect(sh(repo, of.env, ["rev-parse", "r^"])).toBe(own);
    sh(repo, of.env, ["fsck", "--strict"]);
  }
});

test("a sparse checkout stays sparse, and its digest is whole", async () => {
  const of = site();
  sh(of.repo, of.env, ["sparse-checkout", "set", "dir"]);
  put(of.repo, { "other/x.txt": "x\n" });
  sh(of.repo, of.env, ["add", "--sparse", "other"]);
  sh(of.repo, of.env, ["commit", "-qm", "another folder"]);
  const base = sh(of.repo, of.env, ["rev-parse", "HEAD"]);
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "r",
    base,
    artifacts: [],
  });
  const tree = sh(of.repo, of.env, ["rev-parse", "HEAD^{tree}"]);
  expect([existsSync(join(path, "dir")), existsSync(join(path, "other"))]).toEqual([true, false]);
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  expect(await of.workspaces.digest(path, [])).toBe(tree);
  // What is written outside the patterns is part of the work all the same.
  put(path, { "other/y.txt": "y\n" });
  const files = await of.workspaces.files(path, await of.workspaces.digest(path, []));
  expect(files).toEqual(expect.arrayContaining(["other/x.txt", "other/y.txt"]));
  // The agent's git sees more of it, too.
  sh(path, of.env, ["sparse-checkout", "disable"]);
  expect(existsSync(join(path, "other/x.txt"))).toBe(true);
});

test("what has changed since the branch began is told by path, with renames, and without artifacts", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "a.txt": "changed\n", "new/ä.txt": "x\n", "TASK.md": "x", "reviews/a.json": "x" });
  renameSync(join(path, "dir/c.txt"), join(path, "dir/d.txt"));
  rmSync(join(path, "b.txt"));
  const env = { ...of.env };
  const branches = gitBranches({ home: of.home, env });
  const tree = await digest();
  const changed = async (from: string): Promise<string[]> => {
    const all = await branches.changed(path, { from, tree, artifacts: ARTIFACTS });
    return all.map((each) => `${each.type} ${each.path} ${each.from ?? "-"}`);
  };
  expect(await changed(of.base)).toEqual([
    "modified a.txt -",
    "deleted b.txt -",
    "renamed dir/d.txt dir/c.txt",
    "added new/ä.txt -",
  ]);
  // Before the first commit, all of it is new.
  expect(new Set(await changed(""))).toContain("added a.txt -");
  // Of the same two, git is asked once.
  const before = await changed(of.base);
  env["PATH"] = "/nowhere";
  expect(await changed(of.base)).toEqual(before);
  await expect(changed("")).rejects.toThrow("git");
});
