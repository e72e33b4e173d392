/** Workspaces are released, and not a byte is lost: every dirty state, once, twice, and after a crash at every place. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { COMPILED } from "../support/compiled.ts";
import { DIRTY } from "../support/dirty.ts";
import { filesBelow, inventory, lost } from "../support/inventory.ts";
import { apart, commit, mainCheckout, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";

afterAll(removeSites);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const LEFT = "refs/runs/r1/left";

async function prepared(of = site()) {
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "signalbox/r1",
    base: of.base,
    artifacts: ["TASK.md"],
  });
  const keep = join(of.root, "kept files");
  return { of, path, keep, leaving: { run: "r1", repo: of.repo, path, keep } };
}

function inMirror(of: Site, args: readonly string[]): string {
  const gitDir = mirrorOf(of.home, of.repo);
  return sh(gitDir, { ...of.env, GIT_DIR: gitDir }, args);
}

/** Nothing of the run is where it worked, and nothing in the user's repository has changed but its branch. */
function isGone(of: Site, path: string): void {
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(of.home.root, "git")) ? filesBelow(join(of.home.root, "git")).size : 0).toBe(0);
  expect(existsSync(join(of.home.root, "tmp")) ? filesBelow(join(of.home.root, "tmp")).size : 0).toBe(0);
  expect(inMirror(of, ["fsck", "--strict", "--no-dangling"])).toBe("");
}

/** Everything in the user's repository that is not ours: only the run's branch is. */
function repository(of: Site): string {
  const file = (name: string): string => {
    const path = join(of.repo, ".git", name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const refs = sh(of.repo, of.env, ["for-each-ref"]).split("\n");
  return JSON.stringify([
    mainCheckout(of),
    refs.filter((line) => !line.endsWith("refs/heads/signalbox/r1")),
    file("config"),
    file("info/exclude"),
    sh(of.repo, of.env, ["worktree", "list"]),
    [...filesBelow(of.repo, (name) => name === ".git")],
  ]);
}

/** The states that differ most from one another; all of them when there is time. */
const SAMPLE = DIRTY.filter((_, row) => isDeep || row % 12 === 0 || row > DIRTY.length - 2);

test.for(SAMPLE)(
  "%s: digested without a trace, released, and released again",
  async ([, make, salvage, kept]) => {
    const { of, path, keep, leaving } = await prepared();
    make(path, of);
    const before = inventory(path, of);
    const main = repository(of);
    const trace = filesBelow(join(path, ".git"));
    const digest = () => of.workspaces.digest(path, []);
    expect(await digest()).toBe(await digest());
    expect(filesBelow(join(path, ".git"))).toEqual(trace);
    const released = await of.workspaces.release(leaving);
    expect(released).toEqual({ salvage: salvage ? LEFT : "", kept: kept ? keep : "" });
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(await of.workspaces.release(leaving)).toEqual(released);
    expect(repository(of)).toBe(main);
  },
);

const FAILPOINTS = [
  "workspace.before-left",
  "workspace.after-left",
  "workspace.before-keep",
  "workspace.after-keep",
  "workspace.before-compact-git",
  "workspace.before-compact",
  "workspace.after-compact",
  "workspace.before-forget",
];

const CRASHES = DIRTY.flatMap(([name, make], row) =>
  FAILPOINTS.map((failpoint, column) => [name, failpoint, make, row * 5 + column] as const),
);

test.for(CRASHES.filter(([, , , lot]) => isDeep || lot % 101 === 0))(
  "%s, killed at %s: released afterwards",
  async ([, failpoint, make]) => {
    const { of, path, keep, leaving } = await prepared();
    make(path, of);
    const before = inventory(path, of);
    const main = repository(of);
    const first = await apart(of, { do: "release", with: leaving }, failpoint);
    expect(first).toMatchObject(first.signal === null ? { code: 0 } : { signal: "SIGKILL" });
    rmSync(join(of.home.root, "tmp"), { recursive: true, force: true });
    await of.workspaces.release(leaving);
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(repository(of)).toBe(main);
  },
);

test.for(FAILPOINTS.filter((name, lot) => name.startsWith("workspace.") && (isDeep || lot % 4 === 0)))(
  "everything at once, killed at %s: one commit that is the work as it was",
  async (failpoint) => {
    const { of, path, keep, leaving } = await prepared();
    put(path, { "a.txt": "changed\n", "new.txt": "new\n", ".env": "S=1\n", "build/x": "x\n" });
    const tree = await of.workspaces.digest(path, []);
    const before = inventory(path, of);
    expect(await apart(of, { do: "release", with: leaving }, failpoint)).toMatchObject({ signal: "SIGKILL" });
    expect(await of.workspaces.release(leaving)).toEqual({ salvage: LEFT, kept: keep });
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
    expect(inMirror(of, ["rev-parse", `${LEFT}^{tree}`])).toBe(tree);
    expect(inMirror(of, ["rev-list", "--count", LEFT])).toBe("2");
    expect([...filesBelow(keep).keys()].sort()).toEqual([
      "workspace.json",
      "workspace/.env",
      "workspace/build/x",
    ]);
  },
);

test("what is written between a crash and the next try is saved as well", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "changed\n", "new.txt": "new\n" });
  const first = inventory(path, of);
  await apart(of, { do: "release", with: leaving }, "workspace.after-left");
  put(path, { "a.txt": "late\n", "late.txt": "late too\n" });
  const second = inventory(path, of);
  await of.workspaces.release(leaving);
  isGone(of, path);
  expect([...lost(first, of, keep), ...lost(second, of, keep)]).toEqual([]);
  expect(inMirror(of, ["show", `${LEFT}:a.txt`])).toBe("late");
});

test("what is written to the place of a workspace that was moved away already is kept", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "new.txt": "new\n", ".env": "S\n" });
  const before = inventory(path, of);
  await apart(of, { do: "release", with: leaving }, "workspace.after-keep");
  put(path, { "late.txt": "late\n", "late.log": "log\n" });
  const late = inventory(path, of);
  await of.workspaces.release(leaving);
  isGone(of, path);
  expect([...lost(before, of, keep), ...lost(late, of, keep)]).toEqual([]);
});

test("a run that is prepared and released again keeps what it left the first time", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "first.txt": "first\n", ".env": "1\n" });
  const first = inventory(path, of);
  await of.workspaces.release(leaving);
  await prepared(of);
  put(path, { "second.txt": "second\n", ".env": "2\n" });
  const second = inventory(path, of);
  await of.workspaces.release(leaving);
  isGone(of, path);
  expect([...lost(first, of, keep), ...lost(second, of, keep)]).toEqual([]);
  expect(inMirror(of, ["show", `${LEFT}:second.txt`])).toBe("second");
  expect([...filesBelow(keep).keys()].sort()).toEqual([
    "workspace.json",
    "workspace/.env",
    "workspace~1.json",
    "workspace~1/.env",
  ]);
  // The third time nothing is left, and nothing that was left before is taken for it.
  await prepared(of);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  expect([...lost(first, of, keep), ...lost(second, of, keep)]).toEqual([]);
});

test("work that was handed over leaves nothing, also where agents committed it", async () => {
  const { of, path, leaving } = await prepared();
  put(path, { "mine.txt": "mine\n" });
  commit(path, of.env, "an agent's commit");
  put(path, { "a.txt": "changed\n", "new.txt": "new\n" });
  const tree = await of.workspaces.digest(path, []);
  const of1 = { path, repo: of.repo, run: "r1", tree, artifacts: [], message: "Work" };
  const { commit: head } = await of.workspaces.snapshot(of1);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
  isGone(of, path);
  expect(inMirror(of, ["rev-parse", "refs/runs/r1/head"])).toBe(head);
  expect(sh(of.repo, of.env, ["rev-parse", "signalbox/r1"])).toBe(head);
});

test("artifacts that the branch has, and that were taken out of the workspace, are not work that was left", async () => {
  const of = site();
  put(of.repo, { "PLAN.md": "# Plan\n" });
  const base = commit(of.repo, of.env, "with a plan");
  const { path, leaving } = await prepared({ ...of, base });
  rmSync(join(path, "PLAN.md"));
  expect(await of.workspaces.release({ ...leaving, artifacts: ["PLAN.md"] })).toEqual({
    salvage: "",
    kept: "",
  });
});

test("a dirty main checkout is left exactly as it is", async () => {
  const { of, path, leaving } = await prepared();
  put(of.repo, { "a.txt": "mine\n", "mine.txt": "mine\n", ".env": "MINE\n" });
  sh(of.repo, of.env, ["add", "a.txt"]);
  put(of.repo, { "a.txt": "mine again\n" });
  const main = repository(of);
  put(path, { "a.txt": "agent\n" });
  await of.workspaces.release(leaving);
  expect(repository(of)).toBe(main);
});

const WITHOUT: readonly (readonly [how: string, lose: (of: Site) => void])[] = [
  ["is gone", (of) => rmSync(of.repo, { recursive: true })],
  ["was moved", (of) => renameSync(of.repo, join(of.root, "moved"))],
  ["is no repository any more", (of) => rmSync(join(of.repo, ".git"), { recursive: true })],
  [
    "has a configuration that git cannot read",
    (of) => writeFileSync(join(of.repo, ".git/config"), "[broken"),
  ],
];

test.for(WITHOUT)("released where the user's repository %s", async ([, lose]) => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "changed\n", ".env": "S\n" });
  const before = inventory(path, of);
  lose(of);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: LEFT, kept: keep });
  isGone(of, path);
  expect(lost(before, of, keep)).toEqual([]);
});

const PLACES: readonly (readonly [what: string, put: (path: string) => void])[] = [
  ["a file", (path) => writeFileSync(path, "a file\n")],
  ["a link", (path) => symlinkSync("/nowhere", path)],
];

test.for(PLACES)("%s in the place of the workspace is kept as it is", async ([, place]) => {
  const { of, path, keep, leaving } = await prepared();
  rmSync(path, { recursive: true });
  place(path);
  const before = lstatSync(path).ino;
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  expect(lstatSync(join(keep, "workspace")).ino).toBe(before);
  isGone(of, path);
});

test("a workspace that was deleted: what was handed over stays", async () => {
  const { of, path, leaving } = await prepared();
  put(path, { "new.txt": "new\n" });
  const tree = await of.workspaces.digest(path, []);
  await of.workspaces.snapshot({ path, repo: of.repo, run: "r1", tree, artifacts: [], message: "Work" });
  rmSync(path, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
  isGone(of, path);
  expect(inMirror(of, ["show", "refs/runs/r1/head:new.txt"])).toBe("new");
});

test("without its mirror or its bench a workspace is kept whole", async () => {
  for (const folder of ["mirrors", "git"]) {
    const { of, path, keep, leaving } = await prepared();
    put(path, { "a.txt": "changed\n", ".env": "S\n" });
    const before = filesBelow(path);
    rmSync(join(of.home.root, folder), { recursive: true });
    expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
    expect(filesBelow(join(keep, "workspace"))).toEqual(before);
    expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  }
});

test("a workspace that its owner cannot write to is moved all the same", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { ".env": "S\n" });
  chmodSync(path, 0o500);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  expect(readFileSync(join(keep, "workspace/.env"), "utf8")).toBe("S\n");
  isGone(of, path);
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
  expect(await of.workspaces.release(leaving)).toMatchObject({ kept: keep });
  isGone(of, path);
  renameSync(join(keep, "workspace/src", half, "low"), join(of.root, "low"));
  expect(readFileSync(join(of.root, "low", half, "deep"), "utf8")).toBe("deep\n");
});

const OTHER_DISK = "/var/tmp";
const isOtherDisk = statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

test.runIf(isOtherDisk).for(["", "workspace.after-copy"])(
  "files are kept on another disk, killed at %j: copied whole before they are removed",
  async (failpoint) => {
    const { of, path, leaving } = await prepared();
    const keep = mkdtempSync(join(OTHER_DISK, "signalbox-kept-"));
    onTestFinished(() => rmSync(keep, { recursive: true }));
    put(path, { "a.txt": "changed\n", ".env": "S\n" });
    writeFileSync(
      Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff]), Buffer.from(".log")]),
      "b\n",
    );
    const before = inventory(path, of);
    const { signal } = await apart(of, { do: "release", with: { ...leaving, keep } }, failpoint);
    expect(signal).toBe(failpoint === "" ? null : "SIGKILL");
    expect(await of.workspaces.release({ ...leaving, keep })).toEqual({ salvage: LEFT, kept: keep });
    isGone(of, path);
    expect(lost(before, of, keep)).toEqual([]);
  },
);

/** A file system of our own, which goes with the process that made it. Not everybody may have one. */
const ALONE = ["--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...ALONE, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
const DRIVER = join(import.meta.dirname, "../support/git-driver.ts");

test.runIf(canMount)(
  "a full disk: nothing is touched, and the release succeeds when there is room",
  async () => {
    const { of, path, leaving } = await prepared();
    const large = Buffer.concat([Buffer.from("changed\n"), randomBytes(300_000)]);
    put(path, { "a.txt": large, ".env": "S\n" });
    const keep = join(of.home.root, "runs/r1/kept");
    const order = JSON.stringify({
      do: "release",
      with: { ...leaving, keep },
      home: of.home.root,
      env: of.env,
    });
    put(of.root, { "order.json": order });
    const script = [
      `cd ${of.root} && cp -a state whole && mount -t tmpfs -o size=4m none state && cp -a whole/. state/`,
      // Room for a small file, and not for the large one.
      "cat /dev/zero >state/fill 2>/dev/null; truncate -s -131072 state/fill",
      `release() { '${process.execPath}' --disable-warning=ExperimentalWarning '${DRIVER}' <order.json; }`,
      'release >/dev/null 2>&1; echo "code $?"',
      "diff -r whole/workspaces state/workspaces && echo untouched",
      "rm state/fill; release; echo",
      `git --git-dir='${mirrorOf(of.home, of.repo)}' show ${LEFT}:a.txt | head -n 1`,
      "cat state/runs/r1/kept/workspace/.env; ls state/workspaces",
    ];
    const { stdout } = spawnSync("unshare", [...ALONE, "sh", "-c", script.join("\n")], {
      env: { ...of.env, ...COMPILED },
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual([
      "code 1",
      "untouched",
      JSON.stringify({ salvage: LEFT, kept: keep }),
      "changed",
      "S",
    ]);
  },
);

test("staged content that only a look at the work has brought into the mirror is kept with the index", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "seen\n" });
  await of.workspaces.digest(path, []);
  sh(path, of.env, ["add", "a.txt"]);
  expect(readdirSync(join(path, ".git/objects")).sort()).toEqual(["info", "pack"]);
  put(path, { "a.txt": "later\n" });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: LEFT, kept: keep });
  const env = { ...of.env, GIT_DIR: join(keep, "workspace/.git") };
  expect(sh(keep, env, ["show", ":a.txt"])).toBe("seen");
});

test("a released file that changes before it is looked at stays", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "a.txt": "changed\n" });
  await apart(of, { do: "release", with: leaving }, "workspace.before-compact");
  // Through a handle that a process still had: the folder has another name by now.
  put(join(keep, "workspace"), { "a.txt": "even later\n" });
  chmodSync(join(keep, "workspace/b.txt"), 0o755);
  await of.workspaces.release(leaving);
  expect(readFileSync(join(keep, "workspace/a.txt"), "utf8")).toBe("even later\n");
  expect(lstatSync(join(keep, "workspace/b.txt")).mode & 0o777).toBe(0o755);
  expect([...filesBelow(keep).keys()].sort()).toEqual([
    "workspace.json",
    "workspace/a.txt",
    "workspace/b.txt",
  ]);
});
