/** What runs left is found, shown and restored in a new folder, for people only, and nothing else is touched. */
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
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { run } from "../../src/cli/run.ts";
import { sha256 } from "../../src/format/sha256.ts";
import { deskOf, removeDesks, type Desk } from "../e2e/dirty/desk.ts";
import { repositoryOf } from "../e2e/dirty/proof.ts";
import { git, put } from "../e2e/dirty/states.ts";
import { COMPILED } from "../support/compiled.ts";
import { procsOf } from "../support/procs.ts";

/** One run with everything, one with an ignored file only, one whose branch was deleted, one with nothing: only looked at by most. */
let desk: Desk;

const AGENT = {
  GIT_AUTHOR_NAME: "Agent",
  GIT_AUTHOR_EMAIL: "agent@example.org",
  GIT_COMMITTER_NAME: "Agent",
  GIT_COMMITTER_EMAIL: "agent@example.org",
};

beforeAll(async () => {
  desk = await deskOf({ agents: 4 });
  put(await desk.begin("rest1"), { ".env": "SECRET=1\n" });
  await end("rest1");
  await desk.begin("none1");
  await end("none1");
  const path = await desk.begin("gone1");
  put(path, { "gone.txt": "on a branch that was deleted\n" });
  const at = { path, env: { ...desk.env, ...AGENT } };
  git(at, "add", "gone.txt");
  git(at, "commit", "-q", "-m", "An agent's commit");
  await end("gone1");
  desk.git("branch", "-q", "-D", "signalbox/gone1");
  await fill("full1");
});
afterAll(removeDesks);

async function end(id: string): Promise<void> {
  await desk.move(id, "finished");
  await desk.carryOut();
}

/** What is written after the last handover is what a run leaves. */
async function fill(id: string): Promise<void> {
  const path = await desk.begin(id);
  const at = { path, env: { ...desk.env, ...AGENT } };
  put(path, { "a.txt": "stashed\n" });
  git(at, "stash", "push", "-q");
  put(path, { "a.txt": "handed over\n" });
  await desk.move(id, "finished");
  put(path, { "a.txt": "changed\n", "new.txt": "new\n", "build/out": "out\n" });
  execFileSync("mkfifo", [join(path, "build/pipe")]);
  rmSync(join(path, "b.txt"));
  await desk.carryOut();
}

const said = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await desk.call("salvage", ...argv);
  return `${code}\n${stdout}${stderr}`;
};
const document = async (...argv: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await desk.call("salvage", ...argv, "--json")).stdout) as Record<string, unknown>;

const back = (name: string): string => join(desk.root, name);
const kept = (id: string): string => join(desk.home.root, "runs", id, "kept/workspace");
const inMirror = (...args: readonly string[]): string => {
  const path = mirrorOf(desk.home, desk.repo);
  return git({ path, env: { ...desk.env, GIT_DIR: path } }, ...args);
};
const ALL = ["full1", "gone1", "rest1"];

test("list: newest first, with what is in each; a run that left nothing is not listed", async () => {
  const { salvages, quarantine, more } = await document("list");
  expect(salvages).toMatchObject([
    {
      run: "full1",
      goal: "the work of full1",
      status: "done",
      repo: desk.repo,
      branch: "signalbox/full1",
      left: inMirror("rev-parse", "refs/runs/full1/left"),
      commits: 0,
      files: 3,
      kept: [kept("full1")],
      keptSize: { files: 2, bytes: 4, more: false },
      git: true,
    },
    { run: "gone1", left: "", commits: 1, files: 0, kept: [], keptSize: { files: 0 }, git: false },
    { run: "rest1", left: "", commits: 0, files: 0, keptSize: { files: 1, bytes: 9, more: false } },
  ]);
  expect({ quarantine, more }).toEqual({ quarantine: [], more: 0 });
  const text = (await said("list")).replaceAll(/\d+ s /g, "0 s ").replaceAll(/ +/g, " ");
  expect(text).toBe(
    [
      "0",
      "full1 0 s 3 changed; kept 2 files, 4 B; its .git the work of full1",
      "gone1 0 s 1 commit on no branch the work of gone1",
      "rest1 0 s kept 1 file, 9 B the work of rest1",
      " next: signalbox salvage show full1",
      "",
    ].join("\n"),
  );
  expect(await document("list", "--limit", "1")).toMatchObject({ salvages: [{ run: "full1" }], more: 2 });
});

test("a branch names what its run left, in its repository", async () => {
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
  expect(await names(desk.root)).toEqual(ALL);
  expect(await names(desk.repo, "--project", "desk")).toEqual(ALL);
  expect(await names(desk.root, "--here")).toBe("no-repository");
  git({ path: other, env: desk.env }, "init", "-q");
  expect(await names(other)).toEqual([]);
  expect(await names(other, "--here")).toEqual([]);
  expect(await names(other, "--all")).toEqual(ALL);
});

test("show: base, handover, changed files, what git does not hold; and as a diff", async () => {
  const { salvage } = await document("show", "full1");
  expect(salvage).toMatchObject({
    run: "full1",
    branch: "signalbox/full1",
    base: desk.git("rev-parse", "main"),
    head: desk.git("rev-parse", "signalbox/full1"),
    left: inMirror("rev-parse", "refs/runs/full1/left"),
    changed: [
      { status: "M", name: "a.txt" },
      { status: "D", name: "b.txt" },
      { status: "A", name: "new.txt" },
    ],
    commits: [],
    kept: ["build"],
    git: [join(kept("full1"), ".git")],
    operation: "",
    restore: "signalbox salvage restore full1",
  });
  const text = await said("show", "full", "--diff");
  expect(text).toContain("Changed since the last handover:\n  M a.txt\n");
  expect(text).toContain("-handed over\n+changed\n");
  expect(text).toContain("-two\n");
});

test("show: handovers on no branch, and the command that makes one of them", async () => {
  const { salvage } = await document("show", "gone1");
  expect(salvage).toMatchObject({ left: "", commits: [{ subject: "An agent's commit" }], kept: [] });
  const { fetch } = salvage as { fetch: string };
  execFileSync("/bin/sh", ["-c", fetch], { env: desk.env, stdio: "pipe" });
  expect(desk.git("show", "salvage-gone1:gone.txt")).toBe("on a branch that was deleted");
  expect(await said("show", "gone1")).toContain("Run gone1 left nothing");
  desk.git("branch", "-q", "-D", "salvage-gone1");
});

test.for<[line: string, code: number, words: string]>([
  ["show zz", 2, 'No run "zz" left anything.'],
  ["show full2", 2, 'Did you mean "full1"?'],
  ["show none1", 2, "Run none1 left nothing: all its work is on its branch."],
  ["restore zz", 2, 'No run "zz" left anything.'],
  ["restore full1 no/such/folder", 2, "is not a folder"],
  ["restore full1 .", 6, "exists already"],
  ["restore full1 mine.txt", 6, "exists already"],
])("%s: exit %i, %s", async ([line, code, words]) => {
  const before = repositoryOf(desk);
  const answer = await said(...line.split(" "));
  expect(answer).toContain(words);
  expect(answer.startsWith(`${code}\n`)).toBe(true);
  expect(repositoryOf(desk)).toBe(before);
});

test("a run that still has its workspace, and one whose pages were replaced a moment before", async () => {
  const path = await desk.begin("busy1");
  expect(await said("show", "busy1")).toContain(`Run busy1 left nothing yet: its work is still in ${path}.`);
  // A copy that the engine made while it replaced a page is not work; a copy that was written to since is.
  const late = `.signalbox-late-1.ab.${sha256("said\n").slice(0, 16)}-NOTE.log`;
  const other = late.replace("1.ab", "2.cd");
  put(path, { [late]: "said\n", [`build/${other}`]: "said\n", [other]: "said more\n" });
  await end("busy1");
  const left = readdirSync(kept("busy1"), { recursive: true, encoding: "utf8" });
  expect(left.toSorted()).toEqual([other, "build", `build/${other}`].toSorted());
  rmSync(join(kept("busy1"), ".."), { recursive: true });
  expect(await said("show", "busy1")).toContain("Run busy1 left nothing: all its work is on its branch.");
});

test("restore: every byte in a new folder, and once more; nothing else is touched", async () => {
  const before = repositoryOf(desk);
  for (const name of ["once", "twice"]) {
    const { restored } = await document("restore", "full1", back(name));
    expect(restored).toMatchObject({
      run: "full1",
      folder: back(name),
      left: [`${kept("full1")}/build/pipe (a pipe)`],
    });
    expect(readdirSync(back(name)).toSorted()).toEqual(
      [".gitignore", ".salvage", "a.txt", "build", "dir", "new.txt"].toSorted(),
    );
    const text = (file: string): string => readFileSync(join(back(name), file), "utf8");
    expect([text("a.txt"), text("build/out"), text("dir/c.txt")]).toEqual(["changed\n", "out\n", "three\n"]);
    // The stash of the workspace, in its own git directory.
    const at = { path: back(name), env: { ...desk.env, GIT_DIR: join(back(name), ".salvage/git") } };
    expect(git(at, "show", "stash@{0}:a.txt")).toBe("stashed");
  }
  expect(repositoryOf(desk)).toBe(before);
  expect(existsSync(kept("full1"))).toBe(true);
});

test("restore: ./salvage-ID unless a folder is named; files of the last handover under what git does not hold", async () => {
  const at = back("here");
  mkdirSync(at);
  const world = { cwd: at, env: desk.env, procs: procsOf([{ pid: 50, name: "bash" }], { terminal: 1 }) };
  expect(await run(["salvage", "restore", "rest"], world)).toMatchObject({ code: 0 });
  const folder = join(at, "salvage-rest1");
  expect(readdirSync(folder).toSorted()).toEqual([".env", ".gitignore", "a.txt", "b.txt", "dir"]);
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe("SECRET=1\n");
  expect(await run(["salvage", "restore", "gone"], world)).toMatchObject({ code: 0 });
  expect(readFileSync(join(at, "salvage-gone1/gone.txt"), "utf8")).toBe("on a branch that was deleted\n");
});

test("agents look, and do not restore", async () => {
  const agent = { cwd: desk.repo, env: { ...desk.env, CLAUDECODE: "1" } };
  for (const line of ["list", "show full1"])
    expect(await run(["salvage", ...line.split(" ")], agent)).toMatchObject({ code: 0 });
  expect(await run(["salvage", "restore", "full1", back("agents")], agent)).toMatchObject({ code: 4 });
  expect(existsSync(back("agents"))).toBe(false);
});

const DRIVER = fileURLToPath(new URL("../e2e/dirty/call-driver.ts", import.meta.url));

test("killed while it restores: no folder that is not whole, and it can be done again", async () => {
  const folder = back("killed");
  const argv = ["--disable-warning=ExperimentalWarning", DRIVER, desk.repo, "salvage", "restore", "full1"];
  const env = { ...desk.env, ...COMPILED, SIGNALBOX_FAILPOINT: "salvage.before-restore" };
  expect(spawnSync(process.execPath, [...argv, folder], { env }).signal).toBe("SIGKILL");
  expect(existsSync(folder)).toBe(false);
  expect(await said("restore", "full1", folder)).toMatch(/^0\n/);
});

test("a tree that was made up writes nothing outside of the folder", async () => {
  const evil = await deskOf();
  const path = await evil.begin("evil1");
  const outside = join(evil.root, "outside");
  mkdirSync(outside);
  const mirror = mirrorOf(evil.home, evil.repo);
  const at = { path: mirror, env: { ...evil.env, ...AGENT, GIT_DIR: mirror } };
  const blob = git(
    { ...at, env: { ...at.env, GIT_WORK_TREE: path } },
    "hash-object",
    "-w",
    join(path, "a.txt"),
  );
  const make = (lines: string): string =>
    execFileSync("git", ["mktree"], { cwd: mirror, env: at.env, input: lines, encoding: "utf8" }).trim();
  const below = make(`100644 blob ${blob}\tpwned\n`);
  const tree = make(`040000 tree ${below}\t.git\n040000 tree ${below}\tlink\n100644 blob ${blob}\tgood\n`);
  await evil.move("evil1", "finished");
  symlinkSync(outside, join(path, "link"));
  put(path, { ".env": "S\n" });
  await evil.carryOut();
  git(at, "update-ref", "refs/runs/evil1/left", git(at, "commit-tree", tree, "-m", "made up"));
  symlinkSync(outside, join(evil.home.root, "runs/evil1/kept/workspace/link"));
  const { code } = await evil.call("salvage", "restore", "evil1", join(evil.root, "back"));
  expect(code).toBe(0);
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(join(evil.root, "back")).toSorted()).toEqual([".env", "good", "link"]);
  expect(lstatSync(join(evil.root, "back/link")).isSymbolicLink()).toBe(true);
});

test("list --all names what is in quarantine, with the reason", async () => {
  const { quarantine } = desk.home;
  put(quarantine, {
    "workspace-full1/x.txt": "x\n",
    "workspace-full1.reason.txt": "it was in the way\n",
    "2026-01-01T000000Z-signalbox.db/signalbox.db": "damaged\n",
    "2026-01-01T000000Z-signalbox.db/reason.txt": "it was damaged\n",
  });
  expect(await document("list", "--all")).toMatchObject({
    quarantine: [{ reason: "it was damaged" }, { reason: "it was in the way" }],
  });
  expect(await document("list")).toMatchObject({ quarantine: [] });
  rmSync(quarantine, { recursive: true });
});

test("without the user's repository everything is listed and restored all the same", async () => {
  renameSync(join(desk.repo, ".git"), back("moved"));
  try {
    const procs = procsOf([{ pid: 50, name: "bash" }], { terminal: 1 });
    const world = { cwd: desk.root, env: desk.env, procs };
    const { stdout } = await run(["salvage", "list", "--json"], world);
    const { salvages } = JSON.parse(stdout) as { salvages: { run: string }[] };
    expect(salvages.map((each) => each.run)).toEqual(ALL);
    expect(await run(["salvage", "restore", "full1", back("whole")], world)).toMatchObject({ code: 0 });
    expect(readFileSync(back("whole/a.txt"), "utf8")).toBe("changed\n");
  } finally {
    renameSync(back("moved"), join(desk.repo, ".git"));
  }
});

test("the journal is lost: what the mirror and the folders hold is found", async () => {
  const { database } = desk.home;
  renameSync(database, back("database"));
  for (const name of ["-wal", "-shm"]) rmSync(`${database}${name}`, { force: true });
  try {
    expect(await said("list")).toContain("signalbox doctor --repair");
    await desk.call("doctor", "--repair");
    const { salvages } = await document("list", "--all");
    expect((salvages as { run: string }[]).map((each) => each.run)).toContain("full1");
  } finally {
    renameSync(back("database"), database);
  }
});
