/** Workspaces that cannot be used: found by doctor, made again where there is a repository, released where there is none. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
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
  await on.withStore((store) =>
    store.commit([
      { type: "put-workspace", workspace: { ...of, path, status: "bound", salvage: "", kept: "" } },
    ]),
  );
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

/** The file that was not handed over, wherever it is now. */
function draftIn({ on, path }: Lost): string {
  if (existsSync(join(path, "draft.txt"))) return readFileSync(join(path, "draft.txt"), "utf8");
  const kept = join(on.home.root, "runs/a1/kept/workspace/draft.txt");
  if (existsSync(kept)) return readFileSync(kept, "utf8");
  return git(mirrorOf(on.home, on.repo), "show", "refs/runs/a1/left:draft.txt");
}

type Loss = {
  readonly how: string;
  readonly lose: (of: Lost) => void;
  readonly reason: (of: Lost) => string;
  readonly lost?: RegExp;
  /** Nothing of it is left. */
  readonly isGone?: true;
};

const LOSSES: readonly Loss[] = [
  {
    how: "its .git is gone",
    lose: ({ path }) => rmSync(join(path, ".git"), { recursive: true }),
    reason: ({ path }) => `${path} has no .git any more`,
  },
  {
    how: "its .git is nonsense",
    lose: ({ path }) => {
      rmSync(join(path, ".git"), { recursive: true });
      writeFileSync(join(path, ".git"), "nonsense");
    },
    reason: ({ path }) => `${path} has no .git any more`,
  },
  {
    how: "its bench is gone",
    lose: ({ on }) => rmSync(join(on.home.root, "git"), { recursive: true }),
    reason: ({ path }) => `${path} is not the workspace that was made there`,
  },
  {
    how: "its folder is gone",
    lose: ({ path }) => rmSync(path, { recursive: true }),
    reason: ({ path }) => `${path} is gone`,
    lost: /what run a1 had not handed over: .* was gone/,
    isGone: true,
  },
  {
    how: "its mirror is gone",
    lose: ({ on }) => rmSync(on.home.mirrors, { recursive: true }),
    reason: ({ on }) => `the mirror ${mirrorOf(on.home, on.repo)} is missing or damaged`,
    lost: /handovers of run a1 that its branch does not have: the mirror was gone/,
  },
  {
    how: "its mirror is damaged",
    lose: ({ on }) => rmSync(join(mirrorOf(on.home, on.repo), "HEAD")),
    reason: ({ on }) => `the mirror ${mirrorOf(on.home, on.repo)} is missing or damaged`,
    lost: /handovers of run a1 that its branch does not have: the mirror was gone/,
  },
];

test.for(LOSSES)("$how: the workspace is made again, and nothing is lost", async (loss) => {
  const of = await withWorkspace();
  const { on, path } = of;
  writeFileSync(join(path, "work.txt"), "handed over\n");
  const workspaces = gitWorkspaces(on);
  const tree = await workspaces.digest(path, ["draft.txt"]);
  await workspaces.snapshot({ path, repo: on.repo, run: "a1", tree, artifacts: [], message: "Work" });
  expect(await doctor(on)).toMatchObject({ exit: 0 });
  loss.lose(of);
  const found = await doctor(on);
  expect(found).toMatchObject({ exit: 1, next: REPAIR });
  expect(found.findings.filter(({ status }) => status === "problem")).toEqual([
    {
      status: "problem",
      name: "workspaces",
      text: `the workspace of run a1 cannot be used: ${loss.reason(of)}`,
      next: REPAIR,
    },
  ]);
  const repaired = await doctor(on, "--repair");
  expect(repaired.did.join("\n")).toContain("made the workspace of run a1 again from its");
  expect(repaired.lost.join("\n")).toMatch(loss.lost ?? /^$/);
  expect(git(path, "symbolic-ref", "HEAD")).toBe(`refs/heads/${BRANCH}\n`);
  expect(git(path, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(path, "work.txt"), "utf8")).toBe("handed over\n");
  const kept = "kept what lay in its place: signalbox salvage show a1";
  expect([repaired.did.includes(kept), loss.isGone === true ? "" : draftIn(of)]).toEqual(
    loss.isGone === true ? [false, ""] : [true, "not committed\n"],
  );
  expect(await doctor(on)).toMatchObject({ exit: 0 });
});

const WITHOUT: readonly (readonly [how: string, lose: (of: Lost) => void])[] = [
  ["its repository was moved", ({ on }) => renameSync(join(on.repo, ".git"), join(on.root, "moved"))],
  ["its repository is gone", ({ on }) => rmSync(join(on.repo, ".git"), { recursive: true })],
];

test.for(WITHOUT)("%s: the workspace is released, and the run can end", async ([, lose]) => {
  const of = await withWorkspace();
  const { on, path } = of;
  lose(of);
  const found = await doctor(on);
  expect(found).toMatchObject({ exit: 1 });
  expect(found.next).toBe(`move ${on.repo} back; if it is gone, release the workspace: ${REPAIR}`);
  const repaired = await doctor(on, "--repair");
  expect(repaired.lost.join("\n")).toMatch(/the workspace of run a1: .*to end it: signalbox cancel a1/);
  expect(existsSync(path)).toBe(false);
  expect(draftIn(of)).toBe("not committed\n");
  expect(await on.withStore((store) => store.workspace("a1"))).toMatchObject({ status: "released" });
  expect(await on.call("move a1 dropped")).toMatchObject({ code: 0 });
  expect((await doctor(on)).findings.filter(({ status }) => status === "problem")).toEqual([]);
});

test("a folder that belongs to no run is named, and left alone", async () => {
  const { on } = await withWorkspace();
  const strange = join(on.home.workspaces, "strange");
  mkdirSync(strange);
  const { findings } = await doctor(on);
  expect(findings.find(({ name, status }) => name === "workspaces" && status === "note")).toMatchObject({
    text: `${on.home.workspaces}: 1 of 2 folders belong to no run that is under way: strange`,
    next: "signalbox workspace gc --all, then look into what it leaves",
  });
  await doctor(on, "--repair");
  expect(existsSync(strange)).toBe(true);
});

test("a move that is refused where the workspace is gone names what has to be mended", async () => {
  const { on, path } = await withWorkspace();
  rmSync(path, { recursive: true });
  expect(await on.call("move a1 asked")).toEqual({
    code: 5,
    stdout: "",
    stderr: `signalbox: the workspace of run a1 is gone: ${path}\n  next: ${REPAIR}\n`,
  });
});

test("of a task whose workspace is gone, that is told, and its page is written again with it", async () => {
  const on = await taskScene({}, 1);
  const run = await on.taskIn("reviewing");
  const base = on.git(on.repo, "rev-parse", "HEAD").trim();
  const of = { run, repo: on.repo, branch: BRANCH, base };
  const { path } = await gitWorkspaces(on).prepare({ ...of, artifacts: ["TASK.md"] });
  await on.withStore((store) =>
    store.commit([
      { type: "put-workspace", workspace: { ...of, path, status: "bound", salvage: "", kept: "" } },
    ]),
  );
  await on.say(["task", "update", run, "--summary", "Another"]);
  const page = readFileSync(join(path, "TASK.md"), "utf8");
  rmSync(path, { recursive: true });
  expect(await outcome(on.say(["task", "merge", run, "--json"]))).toBe("5 no-workspace");
  const { did } = await doctor(on, "--repair");
  expect(did.join("\n")).toContain(`wrote the files of run ${run} anew`);
  expect(readFileSync(join(path, "TASK.md"), "utf8")).toBe(page);
});

test("what is damaged comes before what is missing, and an agent of one's own is enough", async () => {
  const { on, path } = await withWorkspace();
  rmSync(join(on.root, "bin/claude"));
  rmSync(join(path, ".git"), { recursive: true });
  expect((await doctor(on)).next).toBe(REPAIR);
  await doctor(on, "--repair");
  const config = join(on.root, ".config/signalbox/config.yaml");
  writeFileSync(config, "harnesses:\n  mine: { command: [sh, agent.sh] }\n");
  const { exit, findings } = await doctor(on);
  expect(exit).toBe(0);
  const claude = findings.find(({ name }) => name === "harness claude");
  expect(claude).toMatchObject({ status: "note", text: expect.stringMatching(/not on your PATH/) as string });
});
