/** Workspaces are given back, and not a byte is lost: every dirty state, once, twice, and after a crash at every place. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DIRTY, filesBelow, inventory, lost } from "../support/dirty.ts";
import { apart, commit, mainCheckout, put, removeSites, sh, site, work } from "../support/git.ts";
import type { Site } from "../support/git.ts";

afterAll(removeSites);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

async function prepared() {
  const of = site();
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: of.base,
    artifacts: ["TASK.md"],
  });
  return {
    of,
    path,
    keep: join(of.root, "kept files"),
    leaving: { run: "r1", repo: of.repo, path, keep: join(of.root, "kept files") },
  };
}

function isGone(of: Site, path: string): void {
  expect(existsSync(path)).toBe(false);
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(1);
  expect(existsSync(join(of.repo, ".git/worktrees/r1"))).toBe(false);
  sh(of.repo, of.env, ["rev-parse", "--verify", "refs/heads/signalbox/r1"]);
  expect(sh(of.repo, of.env, ["fsck", "--strict", "--no-dangling"])).toBe("");
  expect(existsSync(join(of.home.root, "tmp")) ? filesBelow(join(of.home.root, "tmp")).size : 0).toBe(0);
}

/** What a digest must leave alone. */
function untouchable(of: Site): readonly unknown[] {
  const gitDir = join(of.repo, ".git/worktrees/r1");
  const names = readdirSync(gitDir).sort();
  const index = names.includes("index") ? readFileSync(join(gitDir, "index")).toString("hex") : "none";
  return [index, names, sh(of.repo, of.env, ["for-each-ref"])];
}

/** The states that differ most from one another; all of them when there is time. */
const SAMPLE = DIRTY.filter((_, row) => isDeep || row % 18 === 0 || row > DIRTY.length - 2);

test.for(SAMPLE)(
  "%s: digested without a trace, released, and released again",
  async ([name, make, salvage, kept]) => {
    const { of, path, keep, leaving } = await prepared();
    make(path, of);
    const before = inventory(path, of);
    const main = mainCheckout(of);
    const trace = untouchable(of);
    // Without its .git file nobody can tell what belongs to it.
    const isTaken = /its \.git file gone|another repository in its place/.test(name);
    const digest = () => (isTaken ? Promise.resolve("") : of.workspaces.digest(path, []));
    expect(await digest()).toBe(await digest());
    expect(untouchable(of)).toEqual(trace);
    const released = await of.workspaces.release(leaving);
    expect(released).toEqual({ salvage: salvage ? "refs/signalbox/salvage/r1" : "", kept: kept ? keep : "" });
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(await of.workspaces.release(leaving)).toEqual(released);
    expect(mainCheckout(of)).toBe(main);
  },
);

const FAILPOINTS = [
  "workspace.before-salvage",
  "workspace.after-salvage",
  "workspace.before-saved",
  "workspace.after-saved",
  "workspace.before-keep",
  "workspace.after-keep",
  "workspace.after-keep:2",
  "workspace.before-clear",
  "workspace.after-clear",
  "workspace.before-detach",
  "workspace.after-detach",
  "workspace.before-remove",
  "workspace.after-remove",
];

const CRASHES = DIRTY.flatMap(([name, make], row) =>
  FAILPOINTS.map((failpoint, column) => [name, failpoint, make, row * 5 + column] as const),
);

test.for(CRASHES.filter(([, , , lot]) => isDeep || lot % 374 === 0))(
  "%s, killed at %s: released afterwards",
  async ([, failpoint, make]) => {
    const { of, path, keep, leaving } = await prepared();
    make(path, of);
    const before = inventory(path, of);
    const main = mainCheckout(of);
    const first = await apart(of, { do: "release", with: leaving }, failpoint);
    expect(first).toMatchObject(first.signal === null ? { code: 0 } : { signal: "SIGKILL" });
    rmSync(join(of.home.root, "tmp"), { recursive: true, force: true });
    await of.workspaces.release(leaving);
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(mainCheckout(of)).toBe(main);
  },
);

test.for(FAILPOINTS.filter((_, lot) => isDeep || lot === 8))(
  "everything at once, killed at %s: one salvage that is the work as it was",
  async (failpoint) => {
    const { of, path, keep, leaving } = await prepared();
    put(path, { "a.txt": "changed\n", "new.txt": "new\n", ".env": "S=1\n", "build/x": "x\n" });
    const tree = work(await of.workspaces.digest(path, []));
    const before = inventory(path, of);
    expect(await apart(of, { do: "release", with: leaving }, failpoint)).toMatchObject({ signal: "SIGKILL" });
    await of.workspaces.release(leaving);
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(sh(of.repo, of.env, ["rev-parse", "refs/signalbox/salvage/r1^{tree}"])).toBe(tree);
    expect(sh(of.repo, of.env, ["rev-list", "--count", "refs/signalbox/salvage/r1"])).toBe("2");
    expect([...filesBelow(keep).keys()].sort()).toEqual([".env", "build/x"]);
  },
);

test("a clean worktree of which half was removed already makes no salvage", async () => {
  const { of, path, leaving } = await prepared();
  expect(await apart(of, { do: "release", with: leaving }, "workspace.after-clear")).toMatchObject({
    signal: "SIGKILL",
  });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
  isGone(of, path);
});

test("what somebody writes between a crash and the next try is saved as well", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "changed\n", "new.txt": "new\n" });
  const first = inventory(path, of);
  await apart(of, { do: "release", with: leaving }, "workspace.after-saved");
  put(path, { "a.txt": "late\n", "late.txt": "late too\n" });
  const second = inventory(path, of);
  await of.workspaces.release(leaving);
  isGone(of, path);
  expect([...lost(first, of, keep), ...lost(second, of, keep)]).toEqual([]);
});

test("a run that is prepared and released again keeps its first salvage", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "first.txt": "first\n", ".env": "1\n" });
  const first = inventory(path, of);
  await of.workspaces.release(leaving);
  await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: of.base,
    artifacts: [],
  });
  put(path, { "second.txt": "second\n", ".env": "2\n" });
  const second = inventory(path, of);
  await of.workspaces.release(leaving);
  isGone(of, path);
  expect([...lost(first, of, keep), ...lost(second, of, keep)]).toEqual([]);
  expect([...filesBelow(keep).keys()].sort()).toEqual([".env", ".env~1"]);
});

test("a dirty main checkout is left exactly as it is", async () => {
  const { of, path, leaving } = await prepared();
  put(of.repo, { "a.txt": "mine\n", "mine.txt": "mine\n", ".env": "MINE\n" });
  sh(of.repo, of.env, ["add", "a.txt"]);
  put(of.repo, { "a.txt": "mine again\n" });
  const files = filesBelow(of.repo, (name) => name === ".git");
  const main = mainCheckout(of);
  put(path, { "a.txt": "agent\n" });
  await of.workspaces.release(leaving);
  expect(mainCheckout(of)).toBe(main);
  expect(filesBelow(of.repo, (name) => name === ".git")).toEqual(files);
});

test("folders whose path is too long for the system are kept whole", async () => {
  const { of, path, keep, leaving } = await prepared();
  // Each half can be reached; one below the other they cannot.
  const half = join(...Array.from({ length: 35 }, () => "d".repeat(100)));
  put(path, {
    "src/new.txt": "new\n",
    [join("src", half, "x")]: "x\n",
    [join("low", half, "deep")]: "deep\n",
  });
  renameSync(join(path, "low"), join(path, "src", half, "low"));
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "refs/signalbox/salvage/r1", kept: keep });
  isGone(of, path);
  expect(sh(of.repo, of.env, ["show", "refs/signalbox/salvage/r1:src/new.txt"])).toBe("new");
  renameSync(join(keep, "src", half, "low"), join(of.root, "low"));
  expect(readFileSync(join(of.root, "low", half, "deep"), "utf8")).toBe("deep\n");
});

test("a folder that git does not know any more is kept whole", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "x\n", ".env": "S\n" });
  rmSync(join(of.repo, ".git/worktrees/r1"), { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  expect(existsSync(path)).toBe(false);
  expect(readFileSync(join(keep, "worktree/.env"), "utf8")).toBe("S\n");
});

test("a worktree whose folder is gone: what was staged and committed is kept", async () => {
  const { of, path, keep, leaving } = await prepared();
  sh(path, of.env, ["switch", "-q", "--detach"]);
  put(path, { "d.txt": "d\n" });
  const head = commit(path, of.env, "detached");
  put(path, { "staged.txt": "staged\n" });
  sh(path, of.env, ["add", "-A"]);
  const { objects } = inventory(path, of);
  rmSync(path, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "refs/signalbox/salvage/r1", kept: "" });
  isGone(of, path);
  expect(objects).toContain(head);
  expect(lost({ bytes: new Map(), objects }, of, keep)).toEqual([]);
});

test("other worktrees, also those that are gone for a while, stay registered", async () => {
  const { of, leaving } = await prepared();
  const other = join(of.root, "other");
  sh(of.repo, of.env, ["worktree", "add", "-q", other]);
  rmSync(other, { recursive: true });
  await of.workspaces.release(leaving);
  expect(existsSync(join(of.repo, ".git/worktrees/other"))).toBe(true);
  mkdirSync(other);
});
