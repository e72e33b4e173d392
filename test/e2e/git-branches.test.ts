/** Branches of workspaces: renamed while somebody works, begun from what was fetched; and files that workspaces get a copy of. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitBranches } from "../../src/adapters/git/branch-port.ts";
import { apart, commit, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

async function prepared() {
  const of = site();
  const wanted = {
    run: "r1",
    repo: of.repo,
    branch: "old",
    base: of.base,
    artifacts: ["TASK.md"],
    place: "p--1",
  };
  const { path } = await of.workspaces.prepare(wanted);
  put(path, { "a.txt": "work\n" });
  const tip = commit(path, of.env, "work");
  put(path, { "b.txt": "dirty\n" });
  const renaming = { run: "r1", repo: of.repo, path, from: "old", to: "new/name" };
  return { of, path, tip, renaming, digest: () => of.workspaces.digest(path, ["TASK.md"]) };
}

function branches(of: Site): string {
  return sh(of.repo, of.env, ["for-each-ref", "--format=%(refname:short)", "refs/heads"]).replaceAll(
    "\n",
    " ",
  );
}

const POINTS = [
  "",
  "workspace.before-rename",
  "workspace.before-rename-head",
  "workspace.before-rename-record",
  "workspace.before-rename-drop",
  "workspace.after-rename",
];

test.for(POINTS.filter((_, row) => isDeep || row % 3 === 0))(
  "a branch is renamed, killed at '%s': the work stays what it was",
  async (failpoint) => {
    const { of, path, tip, renaming, digest } = await prepared();
    const before = await digest();
    const ended = await apart(of, { do: "rename", with: renaming }, failpoint);
    expect(ended).toMatchObject(failpoint === "" ? { code: 0 } : { signal: "SIGKILL" });
    expect(await digest()).toBe(before);
    expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(tip);
    await gitBranches(of).rename(renaming);
    expect(await digest()).toBe(before);
    expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe("refs/heads/new/name");
    expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(tip);
    expect(branches(of)).toBe("main new/name");
    expect(sh(of.repo, of.env, ["rev-parse", "refs/signalbox/base/r1"])).toBe(of.base);
    const keep = join(of.root, "keep");
    const left = await of.workspaces.release({ run: "r1", repo: of.repo, path, keep, stays: { reuse: [] } });
    expect(left).toMatchObject({ salvage: "refs/signalbox/salvage/r1", stays: true });
  },
);

test("what is committed to the old name while it is renamed is the new one's", async () => {
  const { of, path, renaming } = await prepared();
  await apart(of, { do: "rename", with: renaming }, "workspace.before-rename-head");
  const later = commit(path, of.env, "meanwhile");
  await gitBranches(of).rename(renaming);
  expect(sh(path, of.env, ["rev-parse", "new/name"])).toBe(later);
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe("## new/name");
  expect(branches(of)).toBe("main new/name");
});

test("who asks for another name while the workspace is there is given the one that it has", async () => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  const wanted = { run: "r1", repo: of.repo, branch: "other", base: of.base, artifacts: ["TASK.md"] };
  expect(await of.workspaces.prepare({ ...wanted, place: "p--1" })).toMatchObject({ path, branch: "old" });
  expect(branches(of)).toBe("main old");
  expect(await digest()).toBe(before);
});

test("somebody who has renamed it already, or switched to another one, only has it written down", async () => {
  const { of, path, renaming } = await prepared();
  sh(path, of.env, ["switch", "-q", "-c", "new/name"]);
  await gitBranches(of).rename(renaming);
  expect(branches(of)).toBe("main new/name old");
  const record = JSON.parse(readFileSync(join(of.home.root, "git/p--1/workspace.json"), "utf8")) as object;
  expect(record).toMatchObject({ branch: "refs/heads/new/name" });
});

test.for<[string, object]>(
  sampled(2, [
    ["main", { code: "branch-in-use", exit: 6 }],
    ["taken", { code: "branch-name", exit: 6 }],
    ["taken/below", { code: "branch-name", exit: 6 }],
    ["a..b", { code: "branch-name", exit: 2 }],
    ["-x", { code: "branch-name", exit: 2 }],
  ]),
)("the name %s is refused, and nothing changes", async ([to, error]) => {
  const { of, path, renaming } = await prepared();
  sh(of.repo, of.env, ["branch", "taken"]);
  await expect(gitBranches(of).rename({ ...renaming, to })).rejects.toMatchObject({
    name: "UserError",
    ...error,
  });
  expect(branches(of)).toBe("main old taken");
  expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe("refs/heads/old");
});

/** A repository that this one is a clone of, which has gone on since. */
function withOrigin() {
  const of = site();
  const origin = join(of.root, "origin");
  sh(of.root, of.env, ["clone", "-q", of.repo, origin]);
  put(origin, { "there.txt": "there\n" });
  const there = commit(origin, of.env, "there");
  const project = { repo: of.repo, defaultBranch: "", remote: origin };
  return { of, origin, there, project, base: () => gitBranches(of).baseOf(project) };
}

test("work begins from the newest of here and there; a configuration of the repository is not asked", async () => {
  const { of, origin, there, base } = withOrigin();
  const trap = join(of.root, "trap");
  writeFileSync(
    join(of.repo, ".git/config"),
    `${readFileSync(join(of.repo, ".git/config"), "utf8")}[core]\n\tsshCommand = touch ${trap}\n[remote "origin"]\n\turl = ${of.root}/elsewhere\n\tuploadpack = touch ${trap};\n[url "${of.root}/elsewhere"]\n\tinsteadOf = ${origin}\n[credential]\n\thelper = "!touch ${trap}"\n`,
  );
  expect(await base()).toEqual({ base: there, notes: [] });
  expect(sh(of.repo, of.env, ["rev-parse", "refs/signalbox/upstream/main"])).toBe(there);
  expect(existsSync(trap)).toBe(false);
  expect(branches(of)).toBe("main");
});

test("who is ahead of it begins from here, and who is apart from it is told", async () => {
  const { of, there, base } = withOrigin();
  put(of.repo, { "here.txt": "here\n" });
  const here = commit(of.repo, of.env, "here");
  const apartFromIt = await base();
  expect(apartFromIt.base).toBe(here);
  expect(apartFromIt.notes.join()).toContain("begins from the one here");
  sh(of.repo, of.env, ["merge", "-q", "-m", "both", there]);
  expect((await base()).base).toBe(sh(of.repo, of.env, ["rev-parse", "main"]));
});

test("what cannot be reached is told, and what is known is used", async () => {
  const { of, project } = withOrigin();
  const remote = "https://user:secret@localhost:1/x.git";
  const { base, notes } = await gitBranches(of).baseOf({ ...project, remote });
  expect(base).toBe(of.base);
  expect(notes.join()).toMatch(
    /^main could not be fetched from https:\/\/localhost:1\/x\.git, and the last known state/,
  );
  expect(notes.join()).not.toContain("secret");
});

test.for(["ext::sh -c 'touch TRAP'", "--upload-pack=touch TRAP", "-u"])(
  "an address that would run something is none: %s",
  async (address) => {
    const { of, project } = withOrigin();
    const trap = join(of.root, "trap");
    const remote = address.replace("TRAP", trap);
    const { base, notes } = await gitBranches(of).baseOf({ ...project, remote });
    expect(base).toBe(of.base);
    expect(notes).toHaveLength(1);
    expect(existsSync(trap)).toBe(false);
  },
);

test("a workspace gets copies of the ignored files that are named, and of nothing else", async () => {
  const of = site();
  put(of.repo, {
    ".worktreeinclude":
      "# files for everybody\n.env\nbuild/cache/*\n!build/cache/no\na.txt\nloose.txt\nlink.log\n",
    ".env": "SECRET=1\n",
    "build/cache/yes": "yes\n",
    "build/cache/no": "no\n",
    "build/other": "other\n",
    "loose.txt": "not ignored\n",
    "dir/.env": "below\n",
  });
  symlinkSync("/etc/passwd", join(of.repo, "link.log"));
  const { path, notes = [] } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "r1",
    base: of.base,
    artifacts: [],
  });
  const isThere = (name: string) => existsSync(join(path, name));
  expect(readFileSync(join(path, ".env"), "utf8")).toBe("SECRET=1\n");
  expect(readFileSync(join(path, "dir/.env"), "utf8")).toBe("below\n");
  expect([isThere("build/cache/yes"), isThere("build/cache/no"), isThere("build/other")]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isThere("loose.txt"), isThere("link.log")]).toEqual([false, false]);
  expect(notes.join()).toContain("link.log");
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("one\n");
});

test("a copy has the mode of its file, and goes over nothing and through no link", async () => {
  const of = site();
  const outside = join(of.root, "outside");
  mkdirSync(outside);
  put(of.repo, { ".worktreeinclude": "*.log\n", "run.log": "x\n", "build/x.log": "x\n" });
  writeFileSync(join(of.repo, "exec.log"), "x\n", { mode: 0o750 });
  symlinkSync(outside, join(of.repo, "linked"));
  put(outside, { "far.log": "far\n" });
  const wanted = { repo: of.repo, base: of.base, artifacts: [], place: "p--1", reuse: ["run.log"] };
  const { path } = await of.workspaces.prepare({ ...wanted, run: "r1", branch: "r1" });
  expect(lstatSync(join(path, "exec.log")).mode & 0o777).toBe(0o750);
  expect(existsSync(join(path, "linked"))).toBe(false);
  writeFileSync(join(path, "run.log"), "its own\n");
  const keep = join(of.root, "keep");
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep, stays: { reuse: ["run.log"] } });
  await of.workspaces.prepare({ ...wanted, run: "r2", branch: "r2" });
  expect(readFileSync(join(path, "run.log"), "utf8")).toBe("its own\n");
});
