/** The workspaces of runs: listed with what is odd, and released when no run needs them. */
import { claim, newFence, settle as settleEffect } from "../support/effects.ts";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { deskOf, removeDesks, type Desk } from "../e2e/dirty/desk.ts";
import { repositoryOf } from "../e2e/dirty/proof.ts";
import { git, put } from "../e2e/dirty/states.ts";

afterAll(removeDesks);

type Item = { run: string; odd: string[] } & Record<string, unknown>;

async function document(desk: Desk, ...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await desk.call("workspace", ...argv, "--json");
  return { ...(JSON.parse(stdout) as Record<string, unknown>), exit: code };
}

async function listed(desk: Desk): Promise<readonly Item[]> {
  return (await document(desk, "list"))["workspaces"] as Item[];
}

/** As short as the tests need it. */
async function told(desk: Desk): Promise<readonly string[]> {
  return (await listed(desk)).map(({ run: id, odd }) => [id, ...odd].join(", "));
}

const pathOf = (desk: Desk, name: string): string => join(desk.home.workspaces, name);

/** Nobody carries out what is due. */
async function settle(desk: Desk, id: string): Promise<void> {
  await desk.withStore(async (store) => {
    const fence = await newFence(store);
    for (const { key } of await store.deeds(id)) {
      await claim(store, key, { fence: fence, leaseUntil: Date.now() });
      await settleEffect(store, key, { fence, outcome: { type: "done", note: "" } });
    }
  });
}

test("a run has a workspace of its own name from when it begins until it is over", async () => {
  const desk = await deskOf({ agents: 2 });
  expect(await told(desk)).toEqual([]);
  const path = await desk.begin("r1");
  const before = repositoryOf(desk);
  expect(path).toBe(pathOf(desk, "r1"));
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
  expect(await told(desk)).toEqual(["r1"]);

  await desk.move("r1", "finished");
  await desk.carryOut();
  expect(await told(desk)).toEqual([]);
  expect([existsSync(path), repositoryOf(desk)]).toEqual([false, before]);
  expect(desk.git("fsck", "--no-dangling")).toBe("");
});

test("gc: of a run that is over, and of one that the journal does not know", async () => {
  const desk = await deskOf({ agents: 3 });
  const over = await desk.begin("r1");
  const unknown = await desk.begin("r2");
  const live = await desk.begin("r3");
  for (const path of [over, unknown, live]) put(path, { "a.txt": "changed\n", ".env": `${path}\n` });
  await desk.move("r1", "finished");
  expect(await document(desk, "gc")).toMatchObject({
    exit: 1,
    code: "left",
    left: ["r1: it is being released: signalbox show r1"],
  });
  await settle(desk, "r1");
  expect((await told(desk))[0]).toBe("r1, r1 is over");
  await desk.withStore((store) => store.database.run("DELETE FROM runs WHERE id = 'r2'"));
  expect((await told(desk))[1]).toBe("r2, the journal is damaged: signalbox doctor");
  expect(await document(desk, "gc", "--project", "desk")).toMatchObject({ exit: 1, done: [{ run: "r1" }] });
  await desk.withStore((store) => store.database.run("DELETE FROM events WHERE run = 'r2'"));
  expect(await told(desk)).toEqual(["r2, the journal does not know r2", "r3"]);
  const given = await document(desk, "gc");
  expect(given).toMatchObject({
    exit: 0,
    done: [{ run: "r2", salvage: "refs/runs/r2/left" }],
    left: [],
  });
  expect(await told(desk)).toEqual(["r3"]);
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

test("gc: of a run that is over, and that was killed while it made its workspace", async () => {
  const desk = await deskOf({ agents: 1 });
  const path = await desk.begin("r1");
  put(path, { "left.txt": "somebody's\n" });
  await desk.move("r1", "finished");
  await settle(desk, "r1");
  await desk.withStore((store) => store.database.run("DELETE FROM workspaces"));
  expect(await told(desk)).toEqual(["r1, r1 is over"]);
  expect(await document(desk, "gc")).toMatchObject({
    exit: 0,
    done: [{ run: "r1", salvage: "refs/runs/r1/left" }],
  });
  expect([await told(desk), existsSync(path)]).toEqual([[], false]);
  const { stdout } = await desk.call("salvage", "show", "r1", "--diff");
  expect(stdout).toContain("+somebody's\n");
});

test.for<[how: string, spoil: (desk: Desk, path: string) => void, odd: string]>([
  ["its folder is gone", (_, path) => rmSync(path, { recursive: true }), "its folder is gone"],
  [
    "its .git is gone",
    (_, path) => rmSync(join(path, ".git"), { recursive: true }),
    "not a working tree of git any more",
  ],
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
  const desk = await deskOf({ agents: 1 });
  spoil(desk, await desk.begin("r1"));
  expect(await told(desk)).toEqual([`r1, ${odd}`]);
});

test("what lies among the workspaces and belongs to no run is reported, and left", async () => {
  const desk = await deskOf({ agents: 1 });
  await desk.begin("r1");
  put(pathOf(desk, "strange"), { "x.txt": "x\n" });
  expect(await document(desk, "list")).toMatchObject({ strange: [pathOf(desk, "strange")] });
  const { left } = await document(desk, "gc");
  expect(left).toEqual([`${pathOf(desk, "strange")}: it belongs to no run; look into it`]);
  expect(existsSync(pathOf(desk, "strange/x.txt"))).toBe(true);
  expect((await desk.call("doctor", "--json")).stdout).toContain("1 of 2 folders belong to no run");
});

test("a repository that is gone: the workspace is released all the same", async () => {
  const desk = await deskOf({ agents: 1 });
  const path = await desk.begin("r1");
  put(path, { "a.txt": "changed\n" });
  await desk.move("r1", "finished");
  await settle(desk, "r1");
  renameSync(join(desk.repo, ".git"), join(desk.root, "moved"));
  expect(await document(desk, "gc", "--all")).toMatchObject({
    exit: 0,
    done: [{ run: "r1", salvage: "refs/runs/r1/left" }],
    left: [],
  });
  expect(existsSync(path)).toBe(false);
});

test("agents look, and release nothing", async () => {
  const desk = await deskOf({ agents: 1 });
  const agent = { cwd: desk.repo, env: { ...desk.env, CLAUDECODE: "1" } };
  expect(await run(["workspace", "list"], agent)).toMatchObject({ code: 0 });
  expect(await run(["workspace", "gc"], agent)).toMatchObject({ code: 4 });
});
