/**
 * An agent owns its workspace, and the `.git` in it: whatever it writes there, the engine runs none of it, waits for none of it,
 * hands over exactly the content of the work tree, and changes nothing in the user's repository but the run's branch.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { filesBelow } from "../support/inventory.ts";
import { BRANCH, COMMANDS, FORGED, isMarked, pipe, type Forge } from "../support/forged.ts";
import { commit, mainCheckout, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const ARTIFACTS = ["TASK.md"];
/** The user's repository, but for the run's branch. */
function users(of: Site): readonly string[] {
  const refs = sh(of.repo, of.env, ["for-each-ref", "--format=%(objectname) %(refname)"]).split("\n");
  const origin = sh(join(of.root, "origin"), of.env, ["for-each-ref"]);
  const files = readdirSync(join(of.repo, ".git")).toSorted();
  return [
    ...refs.filter((line) => !line.endsWith(` ${BRANCH}`)),
    origin,
    files.join(" "),
    readFileSync(join(of.repo, ".git/config"), "utf8"),
    mainCheckout(of),
  ];
}

/** Names and contents, but for the artifact and git's own folder. */
function content(path: string): ReadonlyMap<string, string> {
  return filesBelow(path, (name) => name === ".git" || name === "TASK.md");
}

function treeContent(of: Site, tree: string): ReadonlyMap<string, string> {
  const listed = sh(mirrorOf(of.home, of.repo), of.env, ["ls-tree", "-r", tree]).split("\n");
  return new Map(listed.map((line) => [line.split("\t")[1] ?? "", line.split(/[ \t]/)[2] ?? ""]));
}

async function prepared() {
  const of = site();
  const origin = join(of.root, "origin");
  sh(of.root, of.env, ["clone", "-q", "--bare", of.repo, origin]);
  sh(of.repo, of.env, ["remote", "add", "origin", origin]);
  sh(of.repo, of.env, ["fetch", "-q", "origin"]);
  const wanted = { run: "r1", repo: of.repo, branch: "signalbox/r1", base: of.base, artifacts: ARTIFACTS };
  const { path } = await of.workspaces.prepare(wanted);
  const handOver = async (): Promise<{ tree: string; commit: string; notes: readonly string[] }> => {
    const tree = await of.workspaces.digest(path, ARTIFACTS);
    const moment = { path, repo: of.repo, run: "r1", tree, artifacts: ARTIFACTS, message: "gate" };
    return { tree, ...(await of.workspaces.snapshot(moment)) };
  };
  return { of, path, handOver };
}

const ROWS = [
  ...sampled(2, COMMANDS).map(([name, forge]) => [name, forge, true] as const),
  ...sampled(6, FORGED).map(([name, forge]) => [name, forge, false] as const),
];

test.for(ROWS)(
  "%s: the content counts, and nothing else",
  { timeout: 60_000 },
  async ([, forge, isRunByGit]) => {
    const { of, path, handOver } = await prepared();
    put(path, { "a.txt": "before\n" });
    const own = commit(path, of.env, "the agent's first");
    expect(await handOver()).toMatchObject({ commit: own });
    put(path, { "TASK.md": "an artifact\n", "b.txt": "after\n", "new/file": "new\n" });
    forge(path, of);
    rmSync(join(of.root, "mark"), { force: true });
    const before = users(of);
    const made = await handOver();
    await of.workspaces.usable(path);
    expect(await handOver()).toEqual(made);
    expect(isMarked(of)).toBe(false);
    expect(made.notes).toEqual([]);
    expect(treeContent(of, made.tree)).toEqual(content(path));
    expect(sh(of.repo, of.env, ["rev-parse", BRANCH, `${BRANCH}^{tree}`])).toBe(
      `${made.commit}\n${made.tree}`,
    );
    sh(of.repo, of.env, ["merge-base", "--is-ancestor", own, BRANCH]);
    expect(sh(of.repo, of.env, ["log", "--format=%s", BRANCH])).not.toMatch(/secret|orphan|unrelated/);
    for (const repository of [of.repo, mirrorOf(of.home, of.repo)])
      sh(repository, of.env, ["fsck", "--strict"]);
    expect(users(of)).toEqual(before);
    // Plain git runs it, where it is a command.
    if (isRunByGit) spawnSync("git", ["add", "-A"], { cwd: path, env: of.env, timeout: 20_000 });
    expect(isMarked(of)).toBe(isRunByGit);
    rmSync(join(of.root, "mark"), { force: true });
    await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "keep") });
    expect([isMarked(of), existsSync(path)]).toEqual([false, false]);
    expect(users(of)).toEqual(before);
  },
);

test("a link to the user's checkout in the place of the workspace is not followed", async () => {
  const { of, path } = await prepared();
  renameSync(path, join(of.root, "aside"));
  symlinkSync(of.repo, path);
  put(of.repo, { ".git/index.lock": "" });
  const before = users(of);
  await expect(of.workspaces.digest(path, ARTIFACTS)).rejects.toThrow("is gone");
  await expect(of.workspaces.usable(path)).rejects.toThrow("is gone");
  expect(existsSync(join(of.repo, ".git/index.lock"))).toBe(true);
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "keep") });
  expect([existsSync(path), users(of)]).toEqual([false, before]);
});

test.for(
  sampled<[string, string, Forge]>(2, [
    ["a pipe in the place of a file", "a.txt", (path) => pipe(join(path, "a.txt"))],
    ["a pipe as .gitignore", "dir/.gitignore", (path) => pipe(join(path, "dir/.gitignore"))],
    [
      "a pipe as .gitattributes in a new folder",
      "new/.gitattributes",
      (path) => (put(path, { "new/x": "x\n" }), pipe(join(path, "new/.gitattributes"))),
    ],
    [
      "a pipe as HEAD of a nested repository",
      "nested/.git/HEAD",
      (path, of) => (
        mkdirSync(join(path, "nested")),
        sh(join(path, "nested"), of.env, ["init", "-q"]),
        pipe(join(path, "nested/.git/HEAD"))
      ),
    ],
  ]),
)("%s is refused by its name, and git is not waited for", { timeout: 60_000 }, async ([, file, forge]) => {
  const { of, path, handOver } = await prepared();
  forge(path, of);
  const sentence = `${file} in ${path} is a pipe`;
  await expect(of.workspaces.digest(path, ARTIFACTS)).rejects.toMatchObject({
    name: "UserError",
    code: "special-file",
    message: expect.stringContaining(sentence) as string,
  });
  rmSync(file.startsWith("nested") ? join(path, "nested") : join(path, file), { recursive: true });
  expect(await handOver()).toMatchObject({ notes: [] });
  forge(path, of);
  put(path, { "late.txt": "late\n" });
  const keep = join(of.root, "keep");
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep });
  expect(readFileSync(join(keep, "workspace/late.txt"), "utf8")).toBe("late\n");
});

test.for(
  sampled<[string, Forge]>(2, [
    ["a pipe as its .git", (path) => pipe(join(path, "sub/.git"))],
    ["a pipe as its HEAD", (path) => pipe(join(path, "sub/.git/HEAD"))],
    ["a pipe as its branch", (path) => pipe(join(path, "sub/.git/refs/heads/main"))],
    ["a pipe as its commondir", (path) => pipe(join(path, "sub/.git/commondir"))],
  ]),
)("a submodule with %s is not waited for", async ([, forge]) => {
  const { of, path } = await prepared();
  put(path, { "sub/x": "x\n" });
  sh(join(path, "sub"), of.env, ["init", "-q"]);
  commit(join(path, "sub"), of.env, "inside");
  sh(path, of.env, ["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
  sh(path, of.env, ["commit", "-q", "-m", "a submodule"]);
  const before = await of.workspaces.digest(path, ARTIFACTS);
  forge(path, of);
  expect(await of.workspaces.digest(path, ARTIFACTS)).toBe(before);
});
