/** The checkout of a judge: one tree in a private clone, of which nothing is believed afterwards. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitBranches } from "../../src/adapters/git/repository/branch-port.ts";
import { put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";

afterAll(removeSites);

const ARTIFACTS = ["TASK.md", "looks/{slot}.md"];

type Judged = Site & { readonly path: string; readonly tree: string; readonly at: string };

/** A workspace with work in it that nobody has committed, and a checkout of it. */
async function judged(): Promise<Judged> {
  const of = site();
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: of.base,
    artifacts: ARTIFACTS,
  });
  put(path, { "a.txt": "changed\n", "new/file.txt": "new\n", "TASK.md": "a page\n", ".gitignore": "out/\n" });
  rmSync(join(path, "dir/c.txt"));
  return checkedOut({ ...of, path });
}

async function checkedOut<T extends Site & { readonly path: string }>(of: T): Promise<T & Judged> {
  const tree = await of.workspaces.digest(of.path, ARTIFACTS);
  const at = join(of.home.root, "attempt", "work");
  mkdirSync(join(of.home.root, "attempt"), { recursive: true });
  const work = { run: "r1", repo: of.repo, path: of.path, tree, artifacts: ARTIFACTS };
  await of.workspaces.snapshot({ ...work, message: "handover" });
  await of.workspaces.judge({ ...work, at });
  return { ...of, tree, at };
}

async function discarded({ workspaces, path, at }: Judged): Promise<readonly string[]> {
  let told: readonly string[] = [];
  await workspaces.discard({ path, at, artifacts: ARTIFACTS }, (changed) => {
    told = changed;
    return Promise.resolve();
  });
  expect(existsSync(at)).toBe(false);
  return told;
}

test("a judge is given only what was handed over", async () => {
  const of = await judged();
  put(of.path, { "a.txt": "later\n" });
  const tree = await of.workspaces.digest(of.path, ARTIFACTS);
  const work = { run: "r1", repo: of.repo, path: of.path, tree, at: of.at, artifacts: ARTIFACTS };
  await expect(of.workspaces.judge(work)).rejects.toMatchObject({ code: "no-handover" });
});

test("it has the bytes of the work, whatever stands for them in the state home", async () => {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "task", base: of.base, artifacts: ARTIFACTS };
  const { path } = await of.workspaces.prepare(wanted);
  put(path, { "a.txt": "harmful\n", "b.txt": "harmless\n" });
  const [harmful, harmless] = ["a.txt", "b.txt"].map((name) => sh(path, of.env, ["hash-object", "-w", name]));
  const benches = readdirSync(join(of.home.root, "git")).map((name) => join(of.home.root, "git", name));
  for (const folder of [mirrorOf(of.home, of.repo), ...benches])
    put(folder, { [`refs/replace/${harmful}`]: `${harmless}\n` });
  const { at } = await checkedOut({ ...of, path });
  expect(readFileSync(join(at, "a.txt"), "utf8")).toBe("harmful\n");
});

test("it holds the work at a commit, with the history below it, and leads nowhere", async () => {
  const of = await judged();
  const { at, env, tree, base } = of;
  expect(readFileSync(join(at, "a.txt"), "utf8")).toBe("changed\n");
  expect(readFileSync(join(at, "new/file.txt"), "utf8")).toBe("new\n");
  expect(existsSync(join(at, "dir/c.txt"))).toBe(false);
  expect(sh(at, env, ["status", "--porcelain"])).toBe("");
  expect(sh(at, env, ["rev-parse", "HEAD^{tree}"])).toBe(tree);
  expect(sh(at, env, ["rev-parse", "--abbrev-ref", "HEAD"])).toBe("HEAD");
  expect(sh(at, env, ["merge-base", "HEAD", base])).toBe(base);
  expect(sh(at, env, ["diff", "--name-only", base, tree]).split("\n")).toEqual([
    ".gitignore",
    "a.txt",
    "dir/c.txt",
    "new/file.txt",
  ]);
  sh(at, env, ["fsck", "--strict"]);
  // A file of its own in a folder that git ignores, an artifact, and nothing else.
  put(at, { "TASK.md": "its page\n", "looks/one.md": "x\n", "out/coverage.txt": "90%\n" });
  expect(await discarded(of)).toEqual([]);
  expect(readdirSync(join(at, ".."))).toEqual([]);
  expect(await of.workspaces.digest(of.path, ARTIFACTS)).toBe(tree);
});

test("what was changed is listed, committed or not, and the workspace stays as it is", async () => {
  const of = await judged();
  const { at, env } = of;
  put(at, { "a.txt": "mine\n", "coverage.txt": "90%\n", "deep/er/x.txt": "1\n", "deep/er/y.txt": "2\n" });
  sh(at, env, ["add", "--all"]);
  sh(at, env, [
    "-c",
    "user.name=J",
    "-c",
    "user.email=j@localhost",
    "commit",
    "--quiet",
    "--message",
    "mine",
  ]);
  rmSync(join(at, "new/file.txt"));
  writeFileSync(Buffer.concat([Buffer.from(`${at}/`), Buffer.from([0xe9])]), "latin");
  expect(await discarded(of)).toEqual(["a.txt", "coverage.txt", "deep/", "new/file.txt", "\u{FFFD}"]);
  expect(readFileSync(join(of.path, "a.txt"), "utf8")).toBe("changed\n");
  expect(await of.workspaces.digest(of.path, ARTIFACTS)).toBe(of.tree);
});

test("ignored files that the user's checkout names are copied, as into a workspace", async () => {
  const of = site();
  put(of.repo, { ".gitignore": "*.env\n", ".worktreeinclude": "*.env\n", "local.env": "KEY=1\n" });
  sh(of.repo, of.env, ["add", ".gitignore", ".worktreeinclude"]);
  sh(of.repo, of.env, ["commit", "--quiet", "--message", "names"]);
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: "HEAD",
    artifacts: ARTIFACTS,
  });
  rmSync(join(path, "local.env"));
  const made = await checkedOut({ ...of, path });
  expect(readFileSync(join(made.at, "local.env"), "utf8")).toBe("KEY=1\n");
  expect(await discarded(made)).toEqual([]);
});

test("what was in it before the judge came is not the judge's, and what the judge changes of it is", async () => {
  const of = await judged();
  const { at, env, path, workspaces } = of;
  put(at, { "made/one.txt": "1\n", "made/two.txt": "2\n", "a.txt": "by set-up\n", "lock.txt": "1\n" });
  rmSync(join(at, "new/file.txt"));
  symlinkSync("made/one.txt", join(at, "link"));
  const nested = join(at, "tools [1]", "nested");
  mkdirSync(nested, { recursive: true });
  execFileSync("git", ["init", "--quiet", nested], { env });
  put(nested, { "x.txt": "x\n" });
  const given = { path, at, artifacts: ARTIFACTS };
  await workspaces.baseline(given);
  // After a crash it is done again.
  await workspaces.baseline(given);
  const objects = sh(at, env, ["count-objects", "-v"]);
  expect(objects).toContain("count: 0\n");
  put(at, { "made/two.txt": "judge\n", "lock.txt": "2\n", "own.txt": "judge\n" });
  expect(await discarded(of)).toEqual(["lock.txt", "made/two.txt", "own.txt"]);
  expect(readdirSync(join(at, ".."))).toEqual([]);
});

test("it is made again over whatever is left of it", async () => {
  const of = await judged();
  put(of.at, { "a.txt": "half\n" });
  rmSync(join(of.at, ".git"), { recursive: true });
  const { at, env } = await checkedOut(of);
  expect(sh(at, env, ["status", "--porcelain"])).toBe("");
});

/** Each leaves `ran` where something of it is run. */
const HOSTILE: readonly (readonly [name: string, plant: (of: Judged, ran: string) => void])[] = [
  [
    "a filter",
    ({ at }, ran) => {
      put(at, { ".gitattributes": "* filter=evil\n" });
      writeFileSync(join(at, ".git/config"), `[filter "evil"]\n\tclean = touch ${ran}; cat\n`);
    },
  ],
  [
    "a monitor and hooks",
    ({ at }, ran) => {
      writeFileSync(join(at, "run.sh"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o700 });
      writeFileSync(
        join(at, ".git/config"),
        `[core]\n\tfsmonitor = ${at}/run.sh\n\thooksPath = ${at}\n\tsshCommand = ${at}/run.sh\n`,
      );
    },
  ],
  [
    "another work tree",
    ({ at, path }) => writeFileSync(join(at, ".git/config"), `[core]\n\tworktree = ${path}\n`),
  ],
  [
    "a .git that leads to the user's",
    ({ at, repo }) => {
      rmSync(join(at, ".git"), { recursive: true });
      writeFileSync(join(at, ".git"), `gitdir: ${join(repo, ".git")}\n`);
    },
  ],
  ["no .git", ({ at }) => rmSync(join(at, ".git"), { recursive: true })],
  ["a broken index", ({ at }) => writeFileSync(join(at, ".git/index"), "nonsense")],
  [
    "folders that may not be written to",
    ({ at }) => {
      put(at, { "locked/inner/x.txt": "x\n" });
      chmodSync(join(at, "locked/inner"), 0o500);
      chmodSync(join(at, "locked"), 0o500);
    },
  ],
  ["a nested repository", ({ at, env }) => void sh(at, env, ["init", "--quiet", "nested"])],
];

test.for(HOSTILE)("a judge that leaves %s changes nothing but its own folder", async ([, plant]) => {
  const of = await judged();
  const ran = join(of.home.root, "ran");
  put(of.at, { "a.txt": "mine\n" });
  plant(of, ran);
  expect(await discarded(of)).toContain("a.txt");
  expect(existsSync(ran)).toBe(false);
  expect(sh(of.repo, of.env, ["status", "--porcelain"])).toBe("");
  expect(await of.workspaces.digest(of.path, ARTIFACTS)).toBe(of.tree);
});

test("a link in the place of the checkout is removed, and what it leads to stays", async () => {
  const of = await judged();
  renameSync(of.at, `${of.at}.away`);
  symlinkSync(of.repo, of.at);
  expect(await discarded(of)).toEqual([]);
  expect(readFileSync(join(of.repo, "a.txt"), "utf8")).toBe("one\n");
});

test("where the workspace is gone, the checkout is removed all the same", async () => {
  const of = await judged();
  put(of.at, { "a.txt": "mine\n" });
  rmSync(of.path, { recursive: true });
  expect(await discarded(of)).toEqual([]);
});

test.for([["with commits"], ["without a commit"]])("in the user's own checkout, %s", async ([how]) => {
  const of = site();
  if (how === "without a commit") sh(of.repo, of.env, ["update-ref", "-d", "HEAD"]);
  put(of.repo, { "a.txt": "changed\n", "TASK.md": "a page\n" });
  const before = sh(of.repo, of.env, ["status", "--porcelain"]);
  await gitBranches({ home: of.home, env: of.env }).checkout(of.repo, ARTIFACTS);
  const judge = await checkedOut({ ...of, path: of.repo });
  expect(readFileSync(join(judge.at, "a.txt"), "utf8")).toBe("changed\n");
  expect(existsSync(join(judge.at, "TASK.md"))).toBe(false);
  put(judge.at, { "a.txt": "mine\n", "TASK.md": "its page\n" });
  expect(await discarded(judge)).toEqual(["a.txt"]);
  expect(sh(of.repo, of.env, ["status", "--porcelain"])).toBe(before);
});

test.runIf(process.env["SIGNALBOX_DEEP"] !== undefined)(
  "a pipe that git would wait for is named, and the checkout is removed",
  { timeout: 60_000 },
  async () => {
    const of = await judged();
    mkdirSync(join(of.at, "deep"));
    execFileSync("mkfifo", [join(of.at, "deep/.gitignore")]);
    expect(await discarded(of)).toEqual(["deep/.gitignore"]);
  },
);
