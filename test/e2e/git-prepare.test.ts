/** Workspaces come to be: once, whole, whatever happens on the way. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { apart, commit, mainCheckout, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

function wanted(of: Site, more: { run?: string; branch?: string; base?: string; artifacts?: string[] } = {}) {
  const run = more.run ?? "r1";
  return { run, repo: of.repo, branch: `signalbox/${run}`, base: of.base, artifacts: ["TASK.md"], ...more };
}

function isWhole(of: Site, run = "r1"): void {
  const path = join(of.home.worktrees, run);
  expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe(`refs/heads/signalbox/${run}`);
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(of.base);
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  expect(readFileSync(join(path, "dir/c.txt"), "utf8")).toBe("three\n");
  expect(sh(of.repo, of.env, ["worktree", "list", "--porcelain"])).toContain(`locked signalbox run ${run}`);
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(2);
}

test("a worktree outside the repository, on its branch, locked; the second time it is found", async () => {
  const of = site();
  const before = mainCheckout(of);
  const path = join(of.home.worktrees, "r1");
  const first = await of.workspaces.prepare(wanted(of));
  expect(first).toEqual({ path, branch: "signalbox/r1", base: of.base });
  isWhole(of);
  put(path, { "new.txt": "work\n" });
  const head = commit(path, of.env, "work");
  put(path, { "a.txt": "dirty\n" });
  expect(await of.workspaces.prepare(wanted(of))).toEqual(first);
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(head);
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("dirty\n");
  expect(mainCheckout(of)).toBe(before);
});

test("an existing branch is taken as it is, and its work began where it left the base", async () => {
  const of = site();
  const fork = sh(of.repo, of.env, ["rev-parse", "main"]);
  sh(of.repo, of.env, ["switch", "-q", "-c", "feature"]);
  put(of.repo, { "f.txt": "f\n" });
  const tip = commit(of.repo, of.env, "feature");
  sh(of.repo, of.env, ["switch", "-q", "main"]);
  const { path, base } = await of.workspaces.prepare(wanted(of, { branch: "feature" }));
  expect(base).toBe(fork);
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(tip);
});

test.for<[string, Partial<ReturnType<typeof wanted>>, object]>(
  sampled(3, [
    ["checked out in the main working tree", { branch: "main" }, { code: "branch-in-use", exit: 6 }],
    ["beside a branch of which it would be a folder", { branch: "main/x" }, { code: "branch-name", exit: 6 }],
    ["beginning nowhere", { base: "no-such-commit" }, { code: "no-base", exit: 2 }],
    ["beginning at an option", { base: "--all" }, { code: "no-base", exit: 2 }],
    ["with a leading dash", { branch: "-D" }, { code: "branch-name", exit: 2 }],
    ["with a space", { branch: "a b" }, { code: "branch-name", exit: 2 }],
    ["with two dots", { branch: "a..b" }, { code: "branch-name", exit: 2 }],
    ["with a line end", { branch: "a\nb" }, { code: "branch-name", exit: 2 }],
    ["named HEAD", { branch: "HEAD" }, { code: "branch-name", exit: 2 }],
    ["named @", { branch: "@" }, { code: "branch-name", exit: 2 }],
    ["ending in .lock", { branch: "a.lock" }, { code: "branch-name", exit: 2 }],
    ["of nothing", { branch: "" }, { code: "branch-name", exit: 2 }],
  ]),
)("a branch %s is refused", async ([, more, error]) => {
  const of = site();
  await expect(of.workspaces.prepare(wanted(of, more))).rejects.toMatchObject({
    name: "UserError",
    ...error,
  });
  expect(existsSync(join(of.home.worktrees, "r1"))).toBe(false);
  expect(sh(of.repo, of.env, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
});

test.for(
  sampled(
    4,
    ["a;touch PWNED", "a$(touch PWNED)", "it's", 'say"hi"', "größe/日本", "a&b|c>d", "dir/sub/x"].map(
      (name) => name.replaceAll(" ", "${IFS}"),
    ),
  ),
)("a branch named %s is only a name", async (branch) => {
  const of = site("mit Leer zeichen & größe");
  const { path } = await of.workspaces.prepare(wanted(of, { branch }));
  expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe(`refs/heads/${branch}`);
  expect(readdirSync(path).includes("PWNED") || existsSync("PWNED")).toBe(false);
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "keep") });
  expect(existsSync(path)).toBe(false);
});

test.for(sampled(3, ["../x", "a/b", ".hidden", "-x", "a..b", "x.lock", ""]))(
  "a run cannot be named %s",
  async (run) => {
    const of = site();
    await expect(of.workspaces.prepare(wanted(of, { run, branch: "x" }))).rejects.toThrow(
      "cannot be the name of a run",
    );
  },
);

const FAILPOINTS = [
  "workspace.before-branch",
  "workspace.after-branch",
  "workspace.before-worktree",
  "workspace.after-worktree",
  "workspace.before-own",
  "workspace.after-own",
  "workspace.before-checkout",
  "workspace.after-checkout",
  "workspace.after-ready",
  "workspace.before-exclude",
  "workspace.after-exclude",
];

test.for(sampled(4, FAILPOINTS))("killed at %s, the next one completes it", async (name) => {
  const of = site();
  const before = mainCheckout(of);
  expect(await apart(of, { do: "prepare", with: wanted(of) }, name)).toMatchObject({ signal: "SIGKILL" });
  await of.workspaces.prepare(wanted(of));
  isWhole(of);
  expect(mainCheckout(of)).toBe(before);
  expect(readFileSync(join(of.repo, ".git/info/exclude"), "utf8").match(/TASK\.md/g)).toHaveLength(1);
  expect(existsSync(of.home.quarantine)).toBe(false);
});

type Halve = (path: string, gitDir: string, of: Site) => void;
const unready = (gitDir: string) => rmSync(join(gitDir, "signalbox-ready"));

test.for<[string, Halve, string[]]>(
  sampled(5, [
    [
      "half checked out",
      (path, gitDir) => (unready(gitDir), rmSync(join(gitDir, "index")), rmSync(join(path, "a.txt"))),
      [],
    ],
    [
      "half checked out, with a torn file",
      (path, gitDir) => (
        unready(gitDir),
        rmSync(join(gitDir, "index")),
        writeFileSync(join(path, "a.txt"), "o")
      ),
      ["checkout-r1/a.txt"],
    ],
    [
      "half checked out, with a lock left behind",
      (path, gitDir) => (
        unready(gitDir),
        renameSync(join(gitDir, "index"), join(gitDir, "index.lock")),
        rmSync(join(path, "b.txt"))
      ),
      [],
    ],
    ["without its .git file", (path) => unlinkSync(join(path, ".git")), []],
    ["without its folder", (path) => rmSync(path, { recursive: true }), []],
    ["without its registration", (_, gitDir) => rmSync(gitDir, { recursive: true }), ["worktree-r1/a.txt"]],
    [
      "only a pointer to nothing",
      (path, gitDir) => (
        rmSync(gitDir, { recursive: true }),
        readdirSync(path).forEach((name) => name === ".git" || rmSync(join(path, name), { recursive: true }))
      ),
      [],
    ],
    [
      "registered by halves",
      (path, gitDir) => (rmSync(join(gitDir, "gitdir")), rmSync(path, { recursive: true })),
      ["registration-r1/HEAD"],
    ],
    [
      "registered without HEAD",
      (path, gitDir) => (rmSync(join(gitDir, "HEAD")), rmSync(path, { recursive: true })),
      ["registration-r1/index"],
    ],
    [
      "an empty folder",
      (path, gitDir) => (
        rmSync(gitDir, { recursive: true }),
        rmSync(path, { recursive: true }),
        mkdirSync(path)
      ),
      [],
    ],
  ]),
)("%s: completed, and nothing is lost", async ([, halve, quarantined]) => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  halve(path, join(of.repo, ".git/worktrees/r1"), of);
  await of.workspaces.prepare(wanted(of));
  isWhole(of);
  for (const file of quarantined) expect(existsSync(join(of.home.quarantine, file))).toBe(true);
  expect(existsSync(of.home.quarantine)).toBe(quarantined.length > 0);
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("what was staged in a worktree whose folder somebody removed is salvaged", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  put(path, { "staged.txt": "precious\n" });
  sh(path, of.env, ["add", "staged.txt"]);
  rmSync(path, { recursive: true });
  await of.workspaces.prepare(wanted(of));
  isWhole(of);
  expect(sh(of.repo, of.env, ["show", "refs/signalbox/salvage/r1^2:staged.txt"])).toBe("precious");
});

test("artifacts are ignored once, whatever the file said before; tracked ones are left alone", async () => {
  const of = site();
  put(of.repo, { "PLAN.md": "tracked\n" });
  const base = commit(of.repo, of.env, "plan");
  const file = join(of.repo, ".git/info/exclude");
  writeFileSync(file, "mine\r\n*.tmp");
  const artifacts = ["TASK.md", "PLAN.md", "reviews/{slot}.json", "odd [name]*.md"];
  const { path } = await of.workspaces.prepare(wanted(of, { base, artifacts }));
  await of.workspaces.prepare(wanted(of, { base, artifacts }));
  await of.workspaces.prepare(wanted(of, { run: "r2", base, artifacts: ["OTHER.md", "TASK.md"] }));
  expect(readFileSync(file, "utf8")).toMatchInlineSnapshot(`
    "mine
    *.tmp
    # signalbox: artifacts of run r1, not part of the work; taken out when it is over
    .signalbox-*
    /TASK.md
    /odd \\[name\\]\\*.md
    /reviews/*.json
    # signalbox: end of run r1
    # signalbox: artifacts of run r2, not part of the work; taken out when it is over
    .signalbox-*
    /OTHER.md
    /TASK.md
    # signalbox: end of run r2
    "
  `);
  put(path, {
    "TASK.md": "t",
    "reviews/a.json": "{}",
    "odd [name]*.md": "x",
    "odd n.md": "y",
    ".signalbox-new-1": "z",
  });
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe('?? "odd n.md"');
  // When both are over, the list is the user's again, byte for byte.
  for (const run of ["r1", "r2"])
    await of.workspaces.release({
      run,
      repo: of.repo,
      path: join(of.home.worktrees, run),
      keep: join(of.root, `keep-${run}`),
    });
  expect(readFileSync(file, "utf8")).toBe("mine\r\n*.tmp\n");
});

test("a link in place of the list of ignored files is not written through", async () => {
  const of = site();
  const victim = join(of.root, "victim");
  writeFileSync(victim, "untouched\n");
  rmSync(join(of.repo, ".git/info/exclude"));
  symlinkSync(victim, join(of.repo, ".git/info/exclude"));
  await of.workspaces.prepare(wanted(of));
  expect(readFileSync(victim, "utf8")).toBe("untouched\n");
});

test("a dozen at once from several processes, and from one", async () => {
  const of = site();
  const before = mainCheckout(of);
  const runs = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const results = await Promise.all(
    runs.map((run, index) =>
      index % 4 === 0
        ? apart(of, { do: "prepare", with: wanted(of, { run }) })
        : of.workspaces.prepare(wanted(of, { run })),
    ),
  );
  expect(results.flatMap((result) => ("err" in result && result.code !== 0 ? [result.err] : []))).toEqual([]);
  for (const run of runs)
    expect(sh(join(of.home.worktrees, run), of.env, ["status", "--porcelain", "-b"])).toBe(
      `## signalbox/${run}`,
    );
  expect(mainCheckout(of)).toBe(before);
});

test("the same run prepared by several at once is one worktree", async () => {
  const of = site();
  const results = await Promise.all([
    apart(of, { do: "prepare", with: wanted(of) }),
    ...Array.from({ length: 4 }, () => of.workspaces.prepare(wanted(of))),
  ]);
  expect(results[0]).toMatchObject({ code: 0 });
  isWhole(of);
});

test.for(
  sampled(2, [
    ["refs/signalbox/base/r1", "prepare"],
    ["refs/heads/signalbox/r1", "prepare"],
    ["refs/signalbox/snapshots/r1/7", "snapshot"],
    ["refs/signalbox/salvage/r1", "release"],
    ["worktrees/r1/HEAD", "release"],
  ]),
)("the lock of %s, left behind by a killed git, does not stop %s", async ([ref, step]) => {
  const of = site();
  const lock = join(of.repo, ".git", `${ref}.lock`);
  const lay = (): void => {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
  };
  if (step === "prepare") lay();
  const { path } = await of.workspaces.prepare(wanted(of));
  writeFileSync(join(path, "new.txt"), "not committed\n");
  if (step === "snapshot") lay();
  const tree = await of.workspaces.digest(path, ["TASK.md"]);
  await of.workspaces.snapshot({ path, run: "r1", seq: 7, tree, message: "at a gate" });
  if (step === "release") lay();
  await of.workspaces.release({
    run: "r1",
    repo: of.repo,
    path,
    keep: join(of.home.root, "kept"),
    stays: { reuse: [] },
  });
  expect(existsSync(lock)).toBe(false);
});

test("what a killed git left behind does not stop anybody: a lock of our ref, a half-made folder of ours", async () => {
  const of = site();
  const lock = join(of.repo, ".git/refs/signalbox/base/r1.lock");
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, "");
  const { path } = await of.workspaces.prepare(wanted(of));
  expect(existsSync(lock)).toBe(false);
  rmSync(join(of.home.root, "git/r1/HEAD"));
  await of.workspaces.prepare(wanted(of));
  expect(await of.workspaces.digest(path, ["TASK.md"])).toMatch(/^[0-9a-f]{40}/);
});
