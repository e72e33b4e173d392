/** What was kept is found, told and given back: in a new folder or as a new branch, to people only, and nothing else is touched. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { sha256 } from "../../src/format/sha256.ts";
import { deskOf, removeDesks, type Desk } from "../e2e/dirty/desk.ts";
import { mainCheckout } from "../e2e/dirty/proof.ts";
import { git, put } from "../e2e/dirty/states.ts";
import { COMPILED } from "../support/compiled.ts";
import { procsOf } from "../support/procs.ts";

/** One run with everything, one with an ignored file only, one with nothing: made once, and only looked at by most. */
let desk: Desk;
let full: string;
let rest: string;

const AGENT = {
  GIT_AUTHOR_NAME: "Agent",
  GIT_AUTHOR_EMAIL: "agent@example.org",
  GIT_COMMITTER_NAME: "Agent",
  GIT_COMMITTER_EMAIL: "agent@example.org",
};

beforeAll(async () => {
  desk = deskOf({ poolSize: 3 });
  const path = await desk.begin("rest1");
  put(path, { ".env": "SECRET=1\n" });
  await end("rest1");
  await desk.begin("none1");
  await end("none1");
  full = await fill("full1");
  rest = path;
});
afterAll(removeDesks);

async function end(id: string): Promise<void> {
  await desk.move(id, "finished");
  await desk.carryOut();
}

async function fill(id: string): Promise<string> {
  const path = await desk.begin(id);
  const at = { path, env: { ...desk.env, ...AGENT } };
  git(at, "switch", "-q", "--detach");
  put(path, { "lost.txt": "committed on no branch\n" });
  git(at, "add", "lost.txt");
  git(at, "commit", "-q", "-m", "On no branch");
  put(path, { "a.txt": "staged\n" });
  git(at, "add", "a.txt");
  put(path, { "a.txt": "changed\n", "new.txt": "new\n", "build/out": "out\n" });
  execFileSync("mkfifo", [join(path, "build/pipe")]);
  rmSync(join(path, "b.txt"));
  await end(id);
  return path;
}

const said = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await desk.call("salvage", ...argv);
  return `${code}\n${stdout}${stderr}`;
};
const document = async (...argv: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await desk.call("salvage", ...argv, "--json")).stdout) as Record<string, unknown>;

const back = (name: string): string => join(desk.root, name);

test("list: newest first, with what is in each; what left nothing is not there", async () => {
  const { salvages, others, more } = await document("list");
  expect(salvages).toMatchObject([
    {
      run: "full1",
      goal: "the work of full1",
      status: "done",
      repo: desk.repo,
      branch: "signalbox/full1",
      ref: "refs/signalbox/salvage/full1",
      commits: 1,
      files: 3,
      kept: [join(desk.home.root, "runs/full1/kept")],
      keptSize: { files: 2, bytes: 4, more: false },
    },
    { run: "rest1", ref: "", commits: 0, files: 0, keptSize: { files: 1, bytes: 9 } },
  ]);
  expect({ others, more }).toEqual({ others: [], more: 0 });
  expect((await said("list")).replaceAll(/\d+ s /g, "0 s ")).toBe(
    [
      "0",
      "full1  0 s  3 changed; 1 commit; kept 2 files, 4 B  the work of full1",
      "rest1  0 s  kept 1 file, 9 B                        the work of rest1",
      "  next: signalbox salvage show full1",
      "",
    ].join("\n"),
  );
  expect(await document("list", "--limit", "1")).toMatchObject({ salvages: [{ run: "full1" }], more: 1 });
});

test("a branch names what was kept of its run, in its repository", async () => {
  expect(await document("show", "signalbox/full1")).toMatchObject({ salvage: { run: "full1" } });
  expect(await document("show", "signalbox/full")).toMatchObject({ code: "unknown-salvage" });
  const { stdout } = await run(["salvage", "show", "signalbox/full1", "--json"], { cwd: "/", env: desk.env });
  expect(JSON.parse(stdout)).toMatchObject({ code: "unknown-salvage" });
});

test("list: of the repository that one is in, of a project, of all; from outside of any, of all", async () => {
  const names = async (cwd: string, ...argv: string[]): Promise<unknown> => {
    const { stdout } = await run(["salvage", "list", "--json", ...argv], { cwd, env: desk.env });
    const { salvages = [], code } = JSON.parse(stdout) as { salvages?: { run: string }[]; code: string };
    return code === "ok" ? salvages.map((each) => each.run) : code;
  };
  const other = back("other");
  mkdirSync(other);
  const all = ["full1", "rest1"];
  expect(await names(desk.root)).toEqual(all);
  expect(await names(desk.repo, "--project", "desk")).toEqual(all);
  expect(await names(desk.root, "--here")).toBe("no-repository");
  git({ path: other, env: desk.env }, "init", "-q");
  expect(await names(other)).toEqual([]);
  expect(await names(other, "--here")).toEqual([]);
  expect(await names(other, "--all")).toEqual(all);
});

test("show: base, HEAD, commits, files, index, what git does not hold; and as a diff", async () => {
  const { salvage } = await document("show", "full1");
  expect(salvage).toMatchObject({
    run: "full1",
    branch: "signalbox/full1",
    base: desk.git("rev-parse", "main"),
    ref: "refs/signalbox/salvage/full1",
    commits: [{ subject: "On no branch" }],
    changed: [
      { status: "M", name: "a.txt" },
      { status: "D", name: "b.txt" },
    ],
    untracked: ["new.txt"],
    staged: [{ status: "M", name: "a.txt" }],
    kept: ["build"],
    operations: [],
    earlier: 0,
    quarantine: [],
    restore: "signalbox salvage restore full1",
  });
  const text = await said("show", "full", "--diff");
  expect(text).toContain("Commits that no branch has:\n");
  expect(text).toContain("+changed\n");
  expect(text).toContain("-two\n");
});

test.for<[line: string, code: number, words: string]>([
  ["show zz", 2, 'nothing was kept of "zz"'],
  ["show full2", 2, 'did you mean "full1"?'],
  ["show none1", 2, "nothing was kept of run none1: all its work is on its branch"],
  ["restore zz", 2, 'nothing was kept of "zz"'],
  ["restore full1 no/such/folder", 2, "there is no folder"],
  ["restore full1 .", 6, "is there already"],
  ["restore full1 mine.txt", 6, "is there already"],
  ["restore full1 x --branch y", 2, "into a folder, or as a branch"],
  ["restore full1 --branch main", 6, "The branch main cannot be made"],
  ["restore full1 --branch -x", 2, "cannot be the name of a branch"],
  ["restore full1 --branch a..b", 2, "cannot be the name of a branch"],
  ["restore full1 --branch main/below", 6, "cannot be made"],
  ["restore rest1 --branch y", 2, "git holds nothing of rest1"],
])("%s: exit %i, %s", async ([line, code, words]) => {
  const before = mainCheckout(desk);
  const answer = await said(...line.split(" "));
  expect(answer).toContain(words);
  expect(answer.startsWith(`${code}\n`)).toBe(true);
  expect(mainCheckout(desk)).toBe(before);
});

test("a run that has its workspace still, and one of which nothing but a page of ours was left", async () => {
  const path = await desk.begin("busy1");
  expect(await said("show", "busy1")).toContain(
    `nothing was kept of run busy1 yet: its work is still in ${path}`,
  );
  await end("busy1");
  // A page of ours that was replaced a moment before is nobody's work; one that somebody wrote into since is.
  const kept = join(desk.home.root, "runs", "busy1", "kept");
  const late = `.signalbox-late-1.ab.${sha256("said\n").slice(0, 16)}-TASK.md`;
  const other = late.replace("1.ab", "2.cd");
  put(kept, { [late]: "said\n", [other]: "said\n", [`.agents/tmp/${late}`]: "said\n" });
  expect(await said("list")).not.toContain("busy1");
  // Beside something that was kept they are counted, and not told by their names.
  put(kept, { ".env": "SECRET=2\n" });
  expect((await document("show", "busy1"))["salvage"]).toMatchObject({
    kept: [
      ".env",
      ".agents/tmp/TASK.md, as it was before it was replaced (once)",
      "TASK.md, as it was before it was replaced (2 times)",
    ],
  });
  put(kept, { ".agents/tmp/notes.md": "mine\n" });
  expect((await document("show", "busy1"))["salvage"]).toMatchObject({
    kept: [".agents", ".env", "TASK.md, as it was before it was replaced (2 times)"],
  });
  rmSync(join(kept, ".env"));
  rmSync(join(kept, ".agents"), { recursive: true });
  expect(await said("list")).not.toContain("busy1");
  put(kept, { [late]: "said more\n" });
  expect(await said("list")).toContain("busy1");
  rmSync(kept, { recursive: true });
  expect(await said("show", "busy1")).toContain(
    "nothing was kept of run busy1: all its work is on its branch",
  );
});

test("restore: every byte in a new folder, and once more; nothing else is touched", async () => {
  const before = mainCheckout(desk);
  const refs = desk.git("for-each-ref");
  for (const name of ["once", "twice"]) {
    const { restored } = await document("restore", "full1", back(name));
    expect(restored).toMatchObject({
      run: "full1",
      folder: back(name),
      side: join(back(name), ".salvage"),
      left: [`${join(desk.home.root, "runs/full1/kept/build/pipe")} (a pipe)`],
    });
    expect(readdirSync(back(name)).toSorted()).toEqual(
      [".gitignore", ".salvage", "a.txt", "build", "dir", "lost.txt", "new.txt"].toSorted(),
    );
    const text = (file: string): string => readFileSync(join(back(name), file), "utf8");
    expect([text("a.txt"), text("build/out"), text(".salvage/staged/a.txt")]).toEqual([
      "changed\n",
      "out\n",
      "staged\n",
    ]);
    expect(text(".salvage/ABOUT.md")).toContain("On no branch");
  }
  expect(mainCheckout(desk)).toBe(before);
  expect(desk.git("for-each-ref")).toBe(refs);
  expect(existsSync(full)).toBe(true);
});

test("restore: ./salvage-ID unless a folder is named; files of the branch under what git does not hold", async () => {
  const at = back("here");
  mkdirSync(at);
  const world = { cwd: at, env: desk.env, procs: procsOf([{ pid: 50, name: "bash" }], { terminal: 1 }) };
  expect(await run(["salvage", "restore", "rest"], world)).toMatchObject({ code: 0 });
  const folder = join(at, "salvage-rest1");
  expect(readdirSync(folder).toSorted()).toEqual([".env", ".gitignore", ".salvage", "a.txt", "b.txt", "dir"]);
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe("SECRET=1\n");
  expect(existsSync(rest)).toBe(true);
});

test("restore as a branch: at what was kept, from where its commits can be reached", async () => {
  expect(await document("restore", "full1", "--branch", "rescued")).toMatchObject({
    restored: { branch: "rescued", folder: "" },
  });
  expect(desk.git("show", "rescued:a.txt")).toBe("changed");
  expect(desk.git("log", "--format=%s", "rescued")).toContain("On no branch");
  expect(await said("restore", "full1", "--branch", "rescued")).toMatch(/^6\n/);
  desk.git("branch", "-D", "rescued");
});

test("agents look, and do not restore", async () => {
  const agent = { cwd: desk.repo, env: { ...desk.env, CLAUDECODE: "1" } };
  for (const line of ["list", "show full1"])
    expect(await run(["salvage", ...line.split(" ")], agent)).toMatchObject({ code: 0 });
  for (const line of [`restore full1 ${back("agents")}`, "restore full1 --branch agents"])
    expect(await run(["salvage", ...line.split(" ")], agent)).toMatchObject({ code: 4 });
  expect(existsSync(back("agents"))).toBe(false);
  expect(desk.git("branch", "--list", "agents")).toBe("");
});

const DRIVER = fileURLToPath(new URL("../e2e/dirty/call-driver.ts", import.meta.url));

test("killed over restoring: no folder that is not whole, and it can be done again", async () => {
  const folder = back("killed");
  const argv = [
    "--disable-warning=ExperimentalWarning",
    DRIVER,
    desk.repo,
    "salvage",
    "restore",
    "full1",
    folder,
  ];
  const env = { ...desk.env, ...COMPILED, SIGNALBOX_FAILPOINT: "salvage.before-restore" };
  expect(spawnSync(process.execPath, argv, { env }).signal).toBe("SIGKILL");
  expect(existsSync(folder)).toBe(false);
  expect(await said("restore", "full1", folder)).toMatch(/^0\n/);
});

test("a salvage that somebody made up writes nothing outside of its folder", async () => {
  const evil = deskOf();
  const path = await evil.begin("evil1");
  const outside = join(evil.root, "outside");
  mkdirSync(outside);
  const at = {
    path,
    env: {
      ...evil.env,
      GIT_COMMITTER_EMAIL: "signalbox@localhost",
      GIT_AUTHOR_NAME: "x",
      GIT_AUTHOR_EMAIL: "x",
      GIT_COMMITTER_NAME: "x",
    },
  };
  symlinkSync(outside, join(path, "link"));
  git(at, "add", "-A");
  const tree = git(at, "write-tree");
  const blob = git(at, "hash-object", "-w", "a.txt");
  const make = (lines: string): string =>
    execFileSync("git", ["mktree"], { cwd: path, env: at.env, input: lines, encoding: "utf8" }).trim();
  const below = make(`100644 blob ${blob}\tpwned\n`);
  const raw = make(`040000 tree ${below}\tlink\n100644 blob ${blob}\t..\n`);
  const commit = (of: string, message: string, ...parents: string[]): string =>
    git(at, "commit-tree", of, ...parents.flatMap((oid) => ["-p", oid]), "-m", message);
  const beside = commit(raw, "signalbox: exact bytes of files of run evil1");
  const staged = commit(raw, "signalbox: what was staged in run evil1");
  const top = commit(tree, "signalbox: not committed when run evil1 was released", beside, staged);
  git(at, "update-ref", "refs/signalbox/salvage/evil1", top);
  const { code } = await evil.call("salvage", "restore", "evil1", join(evil.root, "back"));
  expect(code).toBe(0);
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(evil.root).filter((name) => name.includes("pwned"))).toEqual([]);
  expect(lstatSync(join(evil.root, "back/link")).isSymbolicLink()).toBe(true);
});

test("quarantine: of a run with its run, of nobody by its name", async () => {
  const { quarantine } = desk.home;
  put(quarantine, {
    "worktree-full1/x.txt": "x\n",
    "worktree-full1.reason.txt": "it was in the way\n",
    "2026-01-01T000000Z-signalbox.db/signalbox.db": "damaged\n",
    "2026-01-01T000000Z-signalbox.db/reason.txt": "it was damaged\n",
  });
  expect(await document("list", "--all")).toMatchObject({
    salvages: [{ run: "full1", quarantine: [{ reason: "it was in the way" }] }, { run: "rest1" }],
    others: [{ reason: "it was damaged" }],
  });
  await document("restore", "full1", back("with-quarantine"));
  expect(readFileSync(back("with-quarantine/.salvage/quarantine/worktree-full1/x.txt"), "utf8")).toBe("x\n");
  await document("restore", "2026-01-01T000000Z-signalbox.db", back("database"));
  const name = ".salvage/quarantine/2026-01-01T000000Z-signalbox.db/signalbox.db";
  expect(readFileSync(back(`database/${name}`), "utf8")).toBe("damaged\n");
  rmSync(quarantine, { recursive: true });
});

test("without its repository: what git does not hold can still be had, the rest is told", async () => {
  renameSync(join(desk.repo, ".git"), back("moved"));
  try {
    const world = {
      cwd: desk.root,
      env: desk.env,
      procs: procsOf([{ pid: 50, name: "bash" }], { terminal: 1 }),
    };
    expect(await run(["salvage", "restore", "full1", back("half")], world)).toMatchObject({ code: 0 });
    expect(readFileSync(back("half/build/out"), "utf8")).toBe("out\n");
    expect(await run(["salvage", "restore", "full1", "--branch", "x"], world)).toMatchObject({ code: 2 });
  } finally {
    renameSync(back("moved"), join(desk.repo, ".git"));
  }
});

test("the journal is lost: what a repository holds is found by standing in it", async () => {
  const env = { ...desk.env, SIGNALBOX_HOME: back("empty-home") };
  const { stdout } = await run(["salvage", "list", "--json"], { cwd: desk.repo, env });
  expect(JSON.parse(stdout)).toMatchObject({
    salvages: [{ run: "full1", ref: "refs/signalbox/salvage/full1" }],
  });
});
