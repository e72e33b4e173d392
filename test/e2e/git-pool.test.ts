/** Worktrees of a pool: one run after the other in each, and nothing of one is lost or found by the next. */
import {
  existsSync,
  lstatSync,
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
import { DIRTY, filesBelow, inventory, lost } from "../support/dirty.ts";
import { apart, commit, mainCheckout, put, removeSites, sh, site, work } from "../support/git.ts";
import type { Site } from "../support/git.ts";

afterAll(removeSites, 60_000);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Every so many of them, and all when there is time. */
function some<T>(rows: readonly T[], every: number, first = 0): T[] {
  return rows.filter((_, row) => isDeep || row % every === first);
}

/** The dirty states know the worktree by this name. */
const PLACE = "r1";

function wanted(of: Site, run: string, more: { base?: string; branch?: string; reuse?: string[] } = {}) {
  const branch = `signalbox/${run}`;
  return { run, repo: of.repo, branch, base: of.base, artifacts: ["TASK.md"], place: PLACE, ...more };
}

function leaving(of: Site, run = "r1", reuse: string[] = []) {
  const path = join(of.home.worktrees, PLACE);
  return { run, repo: of.repo, path, keep: join(of.root, `kept ${run}`), stays: { reuse } };
}

const gitDirOf = (of: Site) => join(of.repo, ".git/worktrees", PLACE);

/** Clean, at no branch, and nothing of a run in it. */
function isFree(of: Site): void {
  const path = join(of.home.worktrees, PLACE);
  expect(sh(path, of.env, ["status", "--porcelain", "-b", "--ignored"])).toBe("## HEAD (no branch)");
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(of.base);
  expect(sh(of.repo, of.env, ["worktree", "list", "--porcelain"])).toContain(
    `locked signalbox pool ${PLACE}`,
  );
  expect(readdirSync(gitDirOf(of)).sort()).toEqual(
    ["HEAD", "commondir", "gitdir", "index", "locked", "signalbox-pool"].sort(),
  );
  expect(existsSync(join(of.home.root, "git", PLACE))).toBe(false);
  expect(existsSync(join(of.home.root, "tmp")) ? filesBelow(join(of.home.root, "tmp")).size : 0).toBe(0);
}

function isWhole(of: Site, run: string, base = of.base): void {
  const path = join(of.home.worktrees, PLACE);
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe(`## signalbox/${run}`);
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(base);
  expect(sh(of.repo, of.env, ["worktree", "list", "--porcelain"])).toContain(`locked signalbox run ${run}`);
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(2);
}

/** A worktree that a run has left, and a commit that the next one begins from. */
async function freed() {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of, "r1"));
  put(path, { "mine.txt": "r1\n", "a.txt": "r1\n" });
  commit(path, of.env, "work of r1");
  await of.workspaces.release(leaving(of));
  put(of.repo, { "dir/new.txt": "new\n", "b.txt": "changed\n" });
  rmSync(join(of.repo, "dir/c.txt"));
  const base = commit(of.repo, of.env, "main goes on");
  return { of, path, base };
}

test("a worktree waits for the next run, which changes only what differs", async () => {
  const of = site();
  const before = mainCheckout(of);
  const { path } = await of.workspaces.prepare(wanted(of, "r1"));
  put(path, { "a.txt": "r1\n", "mine.txt": "r1\n", ".env": "S=1\n", "build/x": "x\n", "TASK.md": "t\n" });
  const tip = commit(path, of.env, "work");
  put(path, { "b.txt": "dirty\n" });
  const released = await of.workspaces.release(leaving(of, "r1", ["build"]));
  expect(released).toEqual({
    salvage: "refs/signalbox/salvage/r1",
    kept: join(of.root, "kept r1"),
    stays: true,
  });
  expect(sh(path, of.env, ["status", "--porcelain", "-b", "--ignored"])).toBe(
    "## HEAD (no branch)\n!! build/",
  );
  expect(sh(of.repo, of.env, ["rev-parse", "signalbox/r1"])).toBe(tip);
  expect(readFileSync(join(of.root, "kept r1/.env"), "utf8")).toBe("S=1\n");
  expect(readFileSync(join(of.repo, ".git/info/exclude"), "utf8")).not.toContain("signalbox");
  const { ino, mtimeMs } = lstatSync(join(path, "dir/c.txt"));
  const second = await of.workspaces.prepare(wanted(of, "r2", { reuse: ["build"] }));
  expect(second).toEqual({ path, branch: "signalbox/r2", base: of.base });
  isWhole(of, "r2");
  expect(lstatSync(join(path, "dir/c.txt"))).toMatchObject({ ino, mtimeMs });
  expect(readFileSync(join(path, "build/x"), "utf8")).toBe("x\n");
  expect(work(await of.workspaces.digest(path, ["TASK.md"]))).toBe(
    sh(of.repo, of.env, ["rev-parse", `${of.base}^{tree}`]),
  );
  expect(existsSync(of.home.quarantine)).toBe(false);
  // A second word of the first run is about what it gave back, and not about what somebody else has now.
  put(path, { "a.txt": "r2\n" });
  await of.workspaces.release(leaving(of));
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("r2\n");
  expect(mainCheckout(of)).toBe(before);
});

test("names to be reused that git does not ignore are work, and links are nobody's", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of, "r1"));
  put(path, { "deps/x": "x\n" });
  mkdirSync(join(path, "build"));
  symlinkSync(of.root, join(path, "build/out"));
  const left = await of.workspaces.release(leaving(of, "r1", ["deps", "build/out", "../repo", ".git"]));
  expect(left).toMatchObject({ salvage: "refs/signalbox/salvage/r1", stays: true });
  isFree(of);
});

test.for(some(DIRTY, 48, 5))(
  "%s: kept, and the worktree is free; the next one finds nothing of it",
  async ([, make, salvage]) => {
    const of = site();
    const { path } = await of.workspaces.prepare(wanted(of, "r1"));
    make(path, of);
    const before = inventory(path, of);
    const released = await of.workspaces.release(leaving(of));
    expect(released).toMatchObject({ salvage: salvage ? "refs/signalbox/salvage/r1" : "", stays: true });
    isFree(of);
    expect(lost(before, of, join(of.root, "kept r1"))).toEqual([]);
    await of.workspaces.prepare(wanted(of, "r2"));
    isWhole(of, "r2");
  },
);

const RELEASE_POINTS = [
  "workspace.before-salvage",
  "workspace.after-salvage",
  "workspace.before-saved",
  "workspace.after-saved",
  "workspace.before-keep",
  "workspace.after-keep",
  "workspace.before-clear",
  "workspace.before-index",
  "workspace.after-index",
  "workspace.after-clear",
  "workspace.before-park",
  "workspace.before-free",
  "workspace.after-free",
  "workspace.before-exclude",
  "workspace.after-exclude",
];

test.for(some(RELEASE_POINTS, 8, 2))(
  "given back, killed at %s: done afterwards, and one salvage",
  async (failpoint) => {
    const of = site();
    const { path } = await of.workspaces.prepare(wanted(of, "r1"));
    put(path, { "a.txt": "committed\n", "mine.txt": "m\n" });
    commit(path, of.env, "work");
    put(path, { "a.txt": "changed\n", "new.txt": "new\n", ".env": "S=1\n" });
    const tree = work(await of.workspaces.digest(path, ["TASK.md"]));
    const before = inventory(path, of);
    expect(await apart(of, { do: "release", with: leaving(of) }, failpoint)).toMatchObject({
      signal: "SIGKILL",
    });
    rmSync(join(of.home.root, "tmp"), { recursive: true, force: true });
    await of.workspaces.release(leaving(of));
    isFree(of);
    expect(lost(before, of, join(of.root, "kept r1"))).toEqual([]);
    expect(sh(of.repo, of.env, ["rev-parse", "refs/signalbox/salvage/r1^{tree}"])).toBe(tree);
    expect(
      sh(of.repo, of.env, ["rev-list", "--count", "refs/signalbox/salvage/r1", "--not", "signalbox/r1"]),
    ).toBe("1");
  },
);

test.for(some(["workspace.after-clear", "workspace.before-index", "workspace.before-free"], 3))(
  "clean, killed at %s: nothing is salvaged that nobody wrote",
  async (failpoint) => {
    const of = site();
    const { path } = await of.workspaces.prepare(wanted(of, "r1"));
    put(path, { "a.txt": "committed\n" });
    commit(path, of.env, "work");
    await apart(of, { do: "release", with: leaving(of) }, failpoint);
    rmSync(join(of.home.root, "tmp"), { recursive: true, force: true });
    expect(await of.workspaces.release(leaving(of))).toEqual({ salvage: "", kept: "", stays: true });
    isFree(of);
  },
);

const PREPARE_POINTS = [
  "workspace.before-branch",
  "workspace.after-branch",
  "workspace.before-own",
  "workspace.after-own",
  "workspace.before-checkout",
  "workspace.after-checkout",
  "workspace.after-head",
  "workspace.after-ready",
  "workspace.before-exclude",
  "workspace.after-exclude",
];

test.for(some(PREPARE_POINTS, 8, 5))(
  "taken over, killed at %s: the next try completes it",
  async (failpoint) => {
    const { of, base } = await freed();
    const order = { do: "prepare", with: wanted(of, "r2", { base }) };
    expect(await apart(of, order, failpoint)).toMatchObject({ signal: "SIGKILL" });
    await of.workspaces.prepare(wanted(of, "r2", { base }));
    isWhole(of, "r2", base);
    expect(existsSync(of.home.quarantine)).toBe(false);
    expect(sh(of.repo, of.env, ["for-each-ref", "refs/signalbox/salvage"])).toBe("");
  },
);

test.for(some(PREPARE_POINTS.slice(2), 5, 3))(
  "taken over, killed at %s, and then somebody else's",
  async (failpoint) => {
    const { of, base } = await freed();
    await apart(of, { do: "prepare", with: wanted(of, "r2", { base }) }, failpoint);
    expect(await of.workspaces.prepare(wanted(of, "r3"))).toMatchObject({ branch: "signalbox/r3" });
    isWhole(of, "r3");
  },
);

/** What somebody does in a worktree that is free, and where it is found afterwards. */
const ODD: readonly (readonly [string, (path: string, of: Site) => void, string])[] = [
  ["a changed file", (path) => put(path, { "a.txt": "odd\n" }), "quarantine"],
  ["a changed file that the next one changes", (path) => put(path, { "b.txt": "odd\n" }), "quarantine"],
  ["a file in the way of a new one", (path) => put(path, { "dir/new.txt": "odd\n" }), "quarantine"],
  ["a folder in the way of a new one", (path) => put(path, { "dir/new.txt/x": "odd\n" }), "quarantine"],
  ["a file in a folder of its own", (path) => put(path, { "odd/odd.txt": "odd\n" }), "quarantine"],
  ["an ignored file", (path) => put(path, { "x.log": "odd\n" }), "quarantine"],
  [
    "a file in place of a folder",
    (path) => (rmSync(join(path, "dir"), { recursive: true }), put(path, { dir: "odd\n" })),
    "quarantine",
  ],
  [
    "a staged file",
    (path, of) => (put(path, { "s.txt": "odd\n" }), void sh(path, of.env, ["add", "-A"])),
    "salvage",
  ],
  [
    "a commit at no branch",
    (path, of) => (put(path, { "s.txt": "odd\n" }), void commit(path, of.env, "odd")),
    "salvage",
  ],
  [
    "a branch of its own",
    (path, of) => (
      sh(path, of.env, ["switch", "-q", "-c", "odd"]),
      put(path, { "s.txt": "odd\n" }),
      void commit(path, of.env, "odd")
    ),
    "odd",
  ],
  [
    "a changed file marked as unchanged",
    (path, of) => (
      sh(path, of.env, ["update-index", "--assume-unchanged", "b.txt"]),
      put(path, { "b.txt": "odd\n" })
    ),
    "salvage",
  ],
  ["a missing file", (path) => rmSync(join(path, "a.txt")), ""],
  [
    "every file missing",
    (path) =>
      readdirSync(path).forEach((name) => name === ".git" || rmSync(join(path, name), { recursive: true })),
    "",
  ],
  ["a lock left behind", (_, of) => writeFileSync(join(gitDirOf(of), "index.lock"), ""), ""],
  ["no index", (_, of) => rmSync(join(gitDirOf(of), "index")), ""],
  ["no .git file", (path) => rmSync(join(path, ".git")), ""],
  ["no folder", (path) => rmSync(path, { recursive: true }), ""],
  ["no registration", (_, of) => rmSync(gitDirOf(of), { recursive: true }), ""],
  [
    "a link in its place",
    (path, of) => (renameSync(path, join(of.root, "moved")), symlinkSync(join(of.root, "moved"), path)),
    "",
  ],
];

test.for(some(ODD, 8, 3))(
  "%s in a free worktree: the next run has its work, and nothing is lost",
  async ([, make, where]) => {
    const { of, path, base } = await freed();
    make(path, of);
    await of.workspaces.prepare(wanted(of, "r2", { base }));
    isWhole(of, "r2", base);
    expect(whereOdd(of)).toEqual(where === "" ? [] : [where]);
  },
);

function whereOdd(of: Site): readonly string[] {
  const refs = sh(of.repo, of.env, ["for-each-ref", "--format=%(refname)"]).split("\n");
  const { quarantine } = of.home;
  const names = existsSync(quarantine)
    ? readdirSync(quarantine, { recursive: true, encoding: "utf8" }).map((name) => join(quarantine, name))
    : [];
  const isOdd = (file: string) => lstatSync(file).isFile() && readFileSync(file, "utf8") === "odd\n";
  return [
    ...(refs.some((ref) => ref.startsWith("refs/signalbox/salvage/") && holdsOdd(of, ref))
      ? ["salvage"]
      : []),
    ...(refs.includes("refs/heads/odd") && holdsOdd(of, "odd") ? ["odd"] : []),
    ...names.filter(isOdd).map(() => "quarantine"),
  ];
}

/** Whether what is odd is in a commit, or in one that it was made from. */
function holdsOdd(of: Site, ref: string): boolean {
  const commits = sh(of.repo, of.env, ["rev-list", ref]).split("\n");
  return commits.some((oid) => {
    const names = sh(of.repo, of.env, ["ls-tree", "-r", "--name-only", oid]).split("\n");
    return names.some((name) => sh(of.repo, of.env, ["show", `${oid}:${name}`]) === "odd");
  });
}

test("work that nobody has given back is salvaged in the name of whoever did it", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of, "r1"));
  put(path, { "a.txt": "precious\n", ".env": "S=1\n" });
  await of.workspaces.prepare(wanted(of, "r2"));
  isWhole(of, "r2");
  expect(sh(of.repo, of.env, ["show", "refs/signalbox/salvage/r1:a.txt"])).toBe("precious");
  expect(readFileSync(join(of.home.quarantine, "worktree-r1/.env"), "utf8")).toBe("S=1\n");
});

test("many at once, several after another in each place", async () => {
  const of = site();
  const before = mainCheckout(of);
  const places = Array.from({ length: isDeep ? 8 : 3 }, (_, n) => `repo--${n + 1}`);
  await Promise.all(
    places.map(async (place, n) => {
      for (const turn of [1, 2]) {
        const run = `p${n}-${turn}`;
        const { path } = await of.workspaces.prepare({ ...wanted(of, run), place });
        put(path, { "a.txt": `${run}\n` });
        const left = await of.workspaces.release({ ...leaving(of, run), path });
        expect(left).toMatchObject({ salvage: `refs/signalbox/salvage/${run}`, stays: true });
      }
    }),
  );
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(places.length + 1);
  expect(mainCheckout(of)).toBe(before);
});
