/** Branches of workspaces: renamed while somebody works, begun from what was fetched; and files that workspaces get a copy of. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitBranches } from "../../src/adapters/git/repository/branch-port.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { apart, commit, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

async function prepared() {
  const of = site();
  const wanted = {
    run: "r1",
    repo: of.repo,
    branch: "old",
    base: of.base,
    artifacts: ["TASK.md"],
  };
  const { path } = await of.workspaces.prepare(wanted);
  put(path, { "a.txt": "work\n" });
  commit(path, of.env, "work");
  put(path, { "b.txt": "dirty\n" });
  const digest = () => of.workspaces.digest(path, ["TASK.md"]);
  const handOver = async () => {
    const moment = { path, repo: of.repo, run: "r1", artifacts: ["TASK.md"], message: "gate" };
    return of.workspaces.snapshot({ ...moment, tree: await digest() });
  };
  const { commit: tip } = await handOver();
  const renaming = { run: "r1", repo: of.repo, path, from: "old", to: "new/name" };
  return { of, path, tip, renaming, digest, handOver };
}

function branches(of: Site): string {
  return sh(of.repo, of.env, ["for-each-ref", "--format=%(refname:short)", "refs/heads"]).replaceAll(
    "\n",
    " ",
  );
}

const POINTS = ["", "workspace.before-rename", "workspace.before-rename-refs", "workspace.after-rename"];

test.for(sampled(2, POINTS))(
  "a branch is renamed, killed at '%s': the work stays what it was",
  async (failpoint) => {
    const { of, path, tip, renaming, digest, handOver } = await prepared();
    const before = await digest();
    const ended = await apart(of, { do: "rename", with: renaming }, failpoint);
    expect(ended).toMatchObject(failpoint === "" ? { code: 0 } : { signal: "SIGKILL" });
    await gitBranches(of).rename(renaming);
    expect(await digest()).toBe(before);
    expect(branches(of)).toBe("main new/name");
    expect(sh(of.repo, of.env, ["rev-parse", "new/name"])).toBe(tip);
    // The agent's own clone is left alone; later work goes to the new name.
    expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe("refs/heads/old");
    put(path, { "c.txt": "more\n" });
    const { commit: next, notes } = await handOver();
    expect([sh(of.repo, of.env, ["rev-parse", "new/name"]), notes]).toEqual([next, []]);
    expect(branches(of)).toBe("main new/name");
  },
);

test("who asks for another name while the workspace is there is given the one that it has", async () => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  const wanted = { run: "r1", repo: of.repo, branch: "other", base: of.base, artifacts: ["TASK.md"] };
  expect(await of.workspaces.prepare(wanted)).toMatchObject({ path, branch: "old" });
  expect(branches(of)).toBe("main old");
  expect(await digest()).toBe(before);
});

type Act = (of: Site) => void;

test.for<[string, Act, string]>([
  [
    "has renamed it already",
    (of) => void sh(of.repo, of.env, ["branch", "-m", "old", "new/name"]),
    "main new/name",
  ],
  ["has removed it", (of) => void sh(of.repo, of.env, ["branch", "-q", "-D", "old"]), "main new/name"],
  ["works on it", (of) => void sh(of.repo, of.env, ["switch", "-q", "old"]), "main new/name old"],
  [
    "has committed to it",
    (of) => (
      sh(of.repo, of.env, ["switch", "-q", "old"]),
      sh(of.repo, of.env, ["commit", "-q", "--allow-empty", "-m", "mine"]),
      void sh(of.repo, of.env, ["switch", "-q", "main"])
    ),
    "main new/name old",
  ],
])("a branch is renamed where a person %s: nothing of theirs is taken away", async ([, act, expected]) => {
  const { of, path, tip, renaming, handOver } = await prepared();
  act(of);
  const theirs = sh(of.repo, of.env, ["rev-parse", "HEAD"]);
  await gitBranches(of).rename(renaming);
  expect(branches(of)).toBe(expected);
  expect(sh(of.repo, of.env, ["rev-parse", "new/name", "HEAD"])).toBe(`${tip}\n${theirs}`);
  put(path, { "c.txt": "more\n" });
  const { commit: next } = await handOver();
  expect(sh(of.repo, of.env, ["rev-parse", "new/name"])).toBe(next);
});

test.for<[string, object]>(
  sampled(2, [
    ["main", { code: "branch-in-use", exit: 6 }],
    ["taken", { code: "branch-name", exit: 6 }],
    ["taken/below", { code: "branch-name", exit: 6 }],
    ["a..b", { code: "branch-name", exit: 2 }],
    ["-x", { code: "branch-name", exit: 2 }],
    ["heads/main", { code: "branch-name", exit: 2 }],
    ["v1", { code: "branch-name", exit: 6 }],
  ]),
)("the name %s is refused, and nothing changes", async ([to, error]) => {
  const { of, path, renaming } = await prepared();
  sh(of.repo, of.env, ["branch", "taken"]);
  sh(of.repo, of.env, ["tag", "v1"]);
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
  expect(sh(mirrorOf(of.home, of.repo), of.env, ["rev-parse", "refs/upstream/main"])).toBe(there);
  expect(existsSync(trap)).toBe(false);
  expect(sh(of.repo, of.env, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
  // The user's repository gets it with the branch of the run that begins there.
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "r1",
    base: there,
    artifacts: [],
  });
  expect([readFileSync(join(path, "there.txt"), "utf8"), existsSync(trap)]).toEqual(["there\n", false]);
  expect(sh(of.repo, of.env, ["show", "r1:there.txt"])).toBe("there");
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("who is ahead of it begins from here, and who is apart from it is told", async () => {
  const { of, project, base } = withOrigin();
  put(of.repo, { "here.txt": "here\n" });
  const here = commit(of.repo, of.env, "here");
  const apartFromIt = await base();
  expect(apartFromIt.base).toBe(here);
  expect(apartFromIt.notes.join()).toContain("begins from the one here");
  sh(of.repo, of.env, ["pull", "-q", "--no-rebase", "--no-edit", project.remote, "main"]);
  expect((await base()).base).toBe(sh(of.repo, of.env, ["rev-parse", "main"]));
});

test("a damaged note of the last fetch is written again", async () => {
  const { of, there, base } = withOrigin();
  await base();
  const note = join(mirrorOf(of.home, of.repo), "signalbox-fetched.json");
  writeFileSync(note, '{"at":');
  expect(await base()).toEqual({ base: there, notes: [] });
  expect(readFileSync(note, "utf8")).toContain('"notes":[]');
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
  const wanted = { repo: of.repo, base: of.base, artifacts: [], run: "r1", branch: "r1" };
  const { path } = await of.workspaces.prepare(wanted);
  expect(lstatSync(join(path, "exec.log")).mode & 0o777).toBe(0o750);
  expect(existsSync(join(path, "linked"))).toBe(false);
  writeFileSync(join(path, "run.log"), "its own\n");
  await of.workspaces.prepare(wanted);
  expect(readFileSync(join(path, "run.log"), "utf8")).toBe("its own\n");
});
