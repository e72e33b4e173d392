/** Workspaces that are not what they were: found by doctor, made again where there is a repository, given up where there is none. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { outcome, taskScene } from "./task-support.ts";
import { NOTE_FILES, prepareHome, removeHomes, type Prepared } from "../support/home.ts";

afterAll(removeHomes);

const REPAIR = "signalbox doctor --repair";
const BRANCH = "signalbox/again";

type Lost = { readonly on: Prepared; readonly path: string };
type Told = {
  readonly exit: number;
  readonly next: string;
  readonly findings: readonly { status: string; name: string; text: string; next: string }[];
  readonly did: readonly string[];
  readonly lost: readonly string[];
};

async function withWorkspace(): Promise<Lost> {
  const on = prepareHome(NOTE_FILES);
  await on.runIn("open", "a1");
  await on.call("trust");
  await on.call("key --new");
  const base = git(on.repo, "rev-parse", "HEAD").trim();
  const of = { run: "a1", repo: on.repo, branch: BRANCH, base };
  const { path } = await gitWorkspaces(on).prepare({ ...of, artifacts: [] });
  on.withStore((store) => store.putWorkspace({ ...of, path, status: "bound", salvage: "", kept: "" }));
  writeFileSync(join(path, "draft.txt"), "not committed\n");
  return { on, path };
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  return execFileSync("git", [...who, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function doctor(on: Prepared, option = ""): Promise<Told> {
  const { code, stdout } = await on.call(`doctor --json ${option}`);
  return { ...(JSON.parse(stdout) as Omit<Told, "exit">), exit: code };
}

/** Wherever it is, with its bytes. */
function draftIn({ on, path }: Lost): string {
  const folders = [path, on.home.quarantine].filter((folder) => existsSync(folder));
  const found = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const file = found.find((name) => name.endsWith("draft.txt"));
  return file === undefined ? "" : readFileSync(file, "utf8");
}

const registrations = (on: Prepared): string => join(on.repo, ".git/worktrees");

const WAYS: readonly (readonly [how: string, lose: (of: Lost) => void])[] = [
  ["its .git is gone", ({ path }) => rmSync(join(path, ".git"))],
  ["its registration was pruned", ({ on }) => rmSync(registrations(on), { recursive: true })],
  [
    "both are gone",
    ({ on, path }) => {
      rmSync(registrations(on), { recursive: true });
      rmSync(join(path, ".git"));
    },
  ],
  [
    "it was made a repository of its own",
    ({ path }) => {
      rmSync(join(path, ".git"));
      git(path, "init", "-q");
    },
  ],
  ["its .git is nonsense", ({ path }) => writeFileSync(join(path, ".git"), "nonsense")],
];

test.for(WAYS)("%s: it is made again, and nothing is lost", async ([, lose]) => {
  const of = await withWorkspace();
  const { on, path } = of;
  expect(await doctor(on)).toMatchObject({ exit: 0 });
  lose(of);
  const found = await doctor(on);
  expect(found).toMatchObject({ exit: 1, next: REPAIR });
  expect(found.findings.filter(({ status }) => status === "problem")).toEqual([
    {
      status: "problem",
      name: "workspaces",
      text: `the workspace of run a1 is gone: ${path} is no working tree of git any more`,
      next: REPAIR,
    },
  ]);
  expect(draftIn(of)).toBe("not committed\n");
  const mended = await doctor(on, "--repair");
  expect(mended).toMatchObject({ exit: 0, lost: [] });
  expect(mended.did.join("\n")).toContain(`made the workspace of run a1 again from its branch ${BRANCH}`);
  expect(git(path, "symbolic-ref", "HEAD")).toBe(`refs/heads/${BRANCH}\n`);
  expect(existsSync(join(path, "README.md"))).toBe(true);
  expect(draftIn(of)).toBe("not committed\n");
  expect(await doctor(on)).toMatchObject({ exit: 0 });
});

const WITHOUT: readonly (readonly [how: string, lose: (of: Lost) => void])[] = [
  ["its repository was moved", ({ on }) => renameSync(join(on.repo, ".git"), join(on.root, "moved"))],
  ["its repository is gone", ({ on }) => rmSync(join(on.repo, ".git"), { recursive: true })],
];

test.for(WITHOUT)("%s: it is given up, what lay there is kept, and the run can end", async ([, lose]) => {
  const of = await withWorkspace();
  const { on, path } = of;
  lose(of);
  const found = await doctor(on);
  expect(found).toMatchObject({ exit: 1 });
  expect(found.next).toBe(`put ${on.repo} back; if it is gone, give the workspace up: ${REPAIR}`);
  const mended = await doctor(on, "--repair");
  expect(mended.lost.join("\n")).toMatch(/the workspace of run a1: .*to end it: signalbox cancel a1/);
  expect(existsSync(path)).toBe(false);
  expect(draftIn(of)).toBe("not committed\n");
  expect(on.withStore((store) => store.workspace("a1"))).toMatchObject({ status: "released" });
  expect(await on.call("move a1 dropped")).toMatchObject({ code: 0 });
  expect((await doctor(on)).findings.filter(({ status }) => status === "problem")).toEqual([]);
});

test("a move that is refused where the workspace is gone names what has to be mended", async () => {
  const { on, path } = await withWorkspace();
  rmSync(join(path, ".git"));
  expect(await on.call("move a1 asked")).toEqual({
    code: 5,
    stdout: "",
    stderr: `signalbox: the workspace of run a1 is gone: ${path}\n  next: ${REPAIR}\n`,
  });
});

test("of a task whose workspace is gone, that is told, and its page is written again with it", async () => {
  const on = taskScene({}, 1);
  const run = await on.taskIn("reviewing");
  const base = on.git(on.repo, "rev-parse", "HEAD").trim();
  const of = { run, repo: on.repo, branch: BRANCH, base };
  const { path } = await gitWorkspaces(on).prepare({ ...of, artifacts: ["TASK.md"] });
  on.withStore((store) => store.putWorkspace({ ...of, path, status: "bound", salvage: "", kept: "" }));
  await on.say(["task", "update", run, "--summary", "Another"]);
  const page = readFileSync(join(path, "TASK.md"), "utf8");
  rmSync(path, { recursive: true });
  expect(await outcome(on.say(["task", "merge", run, "--json"]))).toBe("5 no-workspace");
  const { did } = await doctor(on, "--repair");
  expect(did.join("\n")).toContain(`wrote the files of run ${run} anew`);
  expect(readFileSync(join(path, "TASK.md"), "utf8")).toBe(page);
});

test("a branch that somebody has checked out is asked back, and the workspace is not given up", async () => {
  const of = await withWorkspace();
  const { on, path } = of;
  rmSync(registrations(on), { recursive: true });
  git(on.repo, "switch", "-q", BRANCH);
  const { lost } = await doctor(on, "--repair");
  expect(lost.join("\n")).toMatch(/until its branch is free: .*switch --detach.*signalbox doctor --repair/);
  expect(on.withStore((store) => store.workspace("a1"))).toMatchObject({ status: "bound" });
  git(on.repo, "switch", "-q", "main");
  expect(await doctor(on, "--repair")).toMatchObject({ exit: 0, lost: [] });
  expect(git(path, "symbolic-ref", "HEAD")).toBe(`refs/heads/${BRANCH}\n`);
  expect(draftIn(of)).toBe("not committed\n");
});

test("what is damaged comes before what is missing, and an agent of one's own is enough", async () => {
  const { on, path } = await withWorkspace();
  rmSync(join(on.root, "bin/claude"));
  rmSync(join(path, ".git"));
  expect((await doctor(on)).next).toBe(REPAIR);
  await doctor(on, "--repair");
  const config = join(on.root, ".config/signalbox/config.yaml");
  writeFileSync(config, "harnesses:\n  mine: { command: [sh, agent.sh] }\n");
  const { exit, findings } = await doctor(on);
  expect(exit).toBe(0);
  const claude = findings.find(({ name }) => name === "harness claude");
  expect(claude).toMatchObject({ status: "note", text: expect.stringMatching(/not on your PATH/) as string });
});
