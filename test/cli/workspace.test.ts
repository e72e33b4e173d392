/** The worktrees of a project: listed with what is odd, made ahead of time, given back when nobody needs them. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { AT_HOME } from "../support/procs.ts";
import { deskOf, removeDesks, type Desk } from "../e2e/dirty/desk.ts";
import { mainCheckout } from "../e2e/dirty/proof.ts";
import { git, put } from "../e2e/dirty/states.ts";

afterAll(removeDesks);

type Item = { name: string; run: string; odd: string[] } & Record<string, unknown>;

async function document(desk: Desk, ...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await desk.call("workspace", ...argv, "--json");
  return { ...(JSON.parse(stdout) as Record<string, unknown>), exit: code };
}

async function listed(desk: Desk): Promise<readonly Item[]> {
  return (await document(desk, "list"))["workspaces"] as Item[];
}

/** As short as the tests need it. */
async function told(desk: Desk): Promise<readonly string[]> {
  return (await listed(desk)).map(({ name, run: id, odd }) => [name, id || "free", ...odd].join(", "));
}

const pathOf = (desk: Desk, name: string): string => join(desk.home.worktrees, name);

function resize(desk: Desk, poolSize: number): void {
  desk.withStore((store) =>
    store.putProject({ repo: desk.repo, name: "desk", defaultBranch: "main", poolSize, remote: "" }),
  );
}

/** Nobody carries out what is due. */
function settle(desk: Desk, id: string): void {
  desk.withStore((store) => {
    const fence = store.fence();
    for (const { key } of store.deeds(id)) {
      store.claim(key, fence, Date.now());
      store.settle(key, fence, { type: "done", note: "" });
    }
  });
}

test("a life of a pool: nothing, made ahead, in use, free again, too many", async () => {
  const desk = deskOf({ poolSize: 2 });
  expect(await told(desk)).toEqual([]);
  const before = mainCheckout(desk);
  const first = await document(desk, "init");
  expect(first).toMatchObject({ exit: 0, project: "desk", there: 0 });
  expect(first["made"]).toMatchObject([
    { name: "desk--1" },
    { name: "desk--2", path: pathOf(desk, "desk--2") },
  ]);
  expect(await document(desk, "init")).toMatchObject({ exit: 0, made: [], there: 2 });
  expect(await told(desk)).toEqual(["desk--1, free", "desk--2, free"]);
  expect(git({ path: pathOf(desk, "desk--1"), env: desk.env }, "status", "--porcelain")).toBe("");
  expect(mainCheckout(desk)).toBe(before);

  const path = await desk.begin("r1");
  expect(path).toBe(pathOf(desk, "desk--1"));
  put(path, { "a.txt": "one\ntwo\n", "new.txt": "new\n" });
  const [item] = await listed(desk);
  expect(item).toMatchObject({
    run: "r1",
    project: "desk",
    state: "open",
    status: "waiting",
    branch: "signalbox/r1",
    ahead: 0,
    added: 2,
    removed: 0,
    odd: [],
  });
  expect(await document(desk, "gc")).toMatchObject({ exit: 0, done: [], left: [] });
  expect(await told(desk)).toEqual(["desk--1, r1", "desk--2, free"]);

  await desk.move("r1", "finished");
  await desk.carryOut();
  expect(await told(desk)).toEqual(["desk--1, free", "desk--2, free"]);
  resize(desk, 1);
  expect(await told(desk)).toEqual(["desk--1, free", "desk--2, free, the project wants 1"]);
  expect(await document(desk, "gc")).toMatchObject({
    exit: 0,
    done: [{ name: "desk--2", run: "", salvage: "", kept: "" }],
  });
  expect(await told(desk)).toEqual(["desk--1, free"]);
  expect(existsSync(pathOf(desk, "desk--2"))).toBe(false);
  expect(desk.git("worktree", "list").split("\n")).toHaveLength(2);
  expect(desk.git("fsck", "--no-dangling")).toBe("");
});

test.for<[argv: string[], columns: number | undefined, env: Record<string, string>, said: string]>([
  [[], undefined, {}, "  making desk--1 (1 of 2)\n  making desk--2 (2 of 2)\n"],
  [[], 80, {}, "\r\u001B[K  making desk--1 (1 of 2)\r\u001B[K  making desk--2 (2 of 2)\r\u001B[K"],
  [[], 12, {}, "\r\u001B[K  making de\r\u001B[K"],
  [[], 80, { TERM: "dumb" }, "  making desk--1 (1 of 2)\n  making desk--2 (2 of 2)\n"],
  [["--json"], 80, {}, ""],
  [["--quiet"], undefined, {}, ""],
])("init %j says what it is making, %s columns wide, %j", async ([argv, columns, more, expected]) => {
  const desk = deskOf({ poolSize: 2 });
  let said = "";
  const talk = { print: (text: string) => void (said += text), columns: () => columns };
  const env = { ...desk.env, CI: "", ...more };
  const init = () =>
    run(["workspace", "init", ...argv], {
      cwd: desk.repo,
      env,
      procs: AT_HOME,
      talk,
      startSupervisor: () => undefined,
    });
  expect((await init()).code).toBe(0);
  // On a slow machine a line is told again with the seconds it takes.
  const lines = said.split("\r\u001B[K").map((line) => line.replace(/, \d+ s$/u, ""));
  expect(lines.filter((line, at) => line !== lines[at - 1]).join("\r\u001B[K")).toBe(expected);
  // What is there is not made again.
  said = "";
  expect((await init()).code).toBe(0);
  expect(said).toBe("");
});

test("gc: of a run that is over, of one that nobody knows, of one that too many are there for", async () => {
  const desk = deskOf({ poolSize: 3 });
  const over = await desk.begin("r1");
  const unknown = await desk.begin("r2");
  const live = await desk.begin("r3");
  for (const path of [over, unknown, live]) put(path, { "a.txt": "changed\n", ".env": `${path}\n` });
  await desk.move("r1", "finished");
  expect(await document(desk, "gc")).toMatchObject({
    exit: 1,
    code: "left",
    left: ["desk--1: it is being given back: signalbox show r1"],
  });
  settle(desk, "r1");
  expect((await told(desk))[0]).toBe("desk--1, r1, r1 is over");
  desk.withStore((store) => store.database.run("DELETE FROM runs WHERE id = 'r2'"));
  expect((await told(desk))[1]).toBe("desk--2, r2, the journal is damaged: signalbox doctor");
  expect(await document(desk, "gc", "--project", "desk")).toMatchObject({ exit: 1, done: [{ run: "r1" }] });
  desk.withStore((store) => store.database.run("DELETE FROM events WHERE run = 'r2'"));
  expect(await told(desk)).toEqual([
    "desk--1, free",
    "desk--2, r2, the journal does not know r2",
    "desk--3, r3",
  ]);
  const given = await document(desk, "gc");
  expect(given).toMatchObject({
    exit: 0,
    done: [{ name: "desk--2", run: "r2", salvage: "refs/signalbox/salvage/r2" }],
    left: [],
  });
  expect(await told(desk)).toEqual(["desk--1, free", "desk--2, free", "desk--3, r3"]);
  for (const [run_, path] of [
    ["r1", over],
    ["r2", unknown],
  ] as const) {
    const folder = join(desk.root, `back-${run_}`);
    expect(await desk.call("salvage", "restore", run_, folder)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe(`${path}\n`);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("changed\n");
  }
  expect(readFileSync(join(live, "a.txt"), "utf8")).toBe("changed\n");
});

test("gc removes a free worktree that is too much only after what somebody left in it was kept", async () => {
  const desk = deskOf({ poolSize: 2 });
  await document(desk, "init");
  put(pathOf(desk, "desk--2"), { "left.txt": "somebody's\n", ".env": "S\n" });
  resize(desk, 1);
  expect(await document(desk, "gc")).toMatchObject({
    exit: 0,
    done: [{ name: "desk--2", salvage: "refs/signalbox/salvage/pool-desk--2" }],
  });
  const folder = join(desk.root, "back");
  expect(await desk.call("salvage", "restore", "pool-desk--2", folder)).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "left.txt"), "utf8")).toBe("somebody's\n");
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe("S\n");
});

test.for<[how: string, spoil: (desk: Desk, path: string) => void, odd: string]>([
  ["its folder is gone", (_, path) => rmSync(path, { recursive: true }), "its folder is gone"],
  ["its .git is gone", (_, path) => rmSync(join(path, ".git")), "no working tree of git any more"],
  [
    "another branch",
    (desk, path) => void git({ path, env: desk.env }, "switch", "-q", "-c", "x"),
    "on x, and not on signalbox/r1",
  ],
  [
    "no branch",
    (desk, path) => void git({ path, env: desk.env }, "switch", "-q", "--detach"),
    "on no branch",
  ],
])("list tells what is odd: %s", async ([, spoil, odd]) => {
  const desk = deskOf({ poolSize: 1 });
  spoil(desk, await desk.begin("r1"));
  expect(await told(desk)).toEqual([`desk--1, r1, ${odd}`]);
});

test("what lies among the worktrees and belongs to nobody is told, and left", async () => {
  const desk = deskOf({ poolSize: 1 });
  await desk.begin("r1");
  put(pathOf(desk, "strange"), { "x.txt": "x\n" });
  expect(await document(desk, "list")).toMatchObject({ strange: [pathOf(desk, "strange")] });
  const { left } = await document(desk, "gc");
  expect(left).toEqual([`${pathOf(desk, "strange")}: it belongs to nobody; look into it`]);
  expect(existsSync(pathOf(desk, "strange/x.txt"))).toBe(true);
  expect((await desk.call("doctor", "--json")).stdout).toContain("1 of 2 folders belong to no run");
});

test("init leaves what is in the way, and whoever needs the place moves it aside", async () => {
  const desk = deskOf({ poolSize: 2 });
  put(pathOf(desk, "desk--2"), { "x.txt": "x\n" });
  expect(await document(desk, "init")).toMatchObject({ exit: 0, made: [{ name: "desk--1" }], there: 1 });
  expect(await told(desk)).toEqual(["desk--1, free", "desk--2, free, no working tree of git any more"]);
  expect(readdirSync(pathOf(desk, "desk--2"))).toEqual(["x.txt"]);
  await desk.begin("r1");
  expect(await desk.begin("r2")).toBe(pathOf(desk, "desk--2"));
  expect(existsSync(join(desk.home.quarantine, "worktree-r2/x.txt"))).toBe(true);
});

test("a repository that is gone: nothing is given back, and it is said", async () => {
  const desk = deskOf({ poolSize: 1 });
  await desk.begin("r1");
  await desk.move("r1", "finished");
  settle(desk, "r1");
  renameSync(join(desk.repo, ".git"), join(desk.root, "moved"));
  const { exit, left, done } = await document(desk, "gc", "--all");
  expect({ exit, done }).toEqual({ exit: 1, done: [] });
  expect(String(left)).toContain("is no git repository any more");
  expect(existsSync(pathOf(desk, "desk--1"))).toBe(true);
});

test("agents look, and neither make nor give back", async () => {
  const desk = deskOf({ poolSize: 1 });
  const agent = { cwd: desk.repo, env: { ...desk.env, CLAUDECODE: "1" } };
  expect(await run(["workspace", "list"], agent)).toMatchObject({ code: 0 });
  for (const part of ["init", "gc"]) expect(await run(["workspace", part], agent)).toMatchObject({ code: 4 });
});
