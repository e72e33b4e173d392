/** Workspaces come to be: once, whole, whatever happens on the way. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { apart, commit, mainCheckout, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

function wanted(of: Site, more: { run?: string; branch?: string; base?: string; artifacts?: string[] } = {}) {
  const run = more.run ?? "r1";
  return { run, repo: of.repo, branch: `signalbox/${run}`, base: of.base, artifacts: ["TASK.md"], ...more };
}

/** A private clone on its branch, and nothing of ours in the user's repository but that branch. */
function isWhole(of: Site, run = "r1"): void {
  const path = join(of.home.workspaces, run);
  expect(sh(path, of.env, ["symbolic-ref", "HEAD"])).toBe(`refs/heads/signalbox/${run}`);
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(of.base);
  expect(sh(path, of.env, ["rev-parse", "--absolute-git-dir"])).toBe(join(path, ".git"));
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  expect(readFileSync(join(path, "dir/c.txt"), "utf8")).toBe("three\n");
  sh(path, of.env, ["fsck", "--strict"]);
  expect(refs(of)).toBe(`refs/heads/main refs/heads/signalbox/${run}`);
  expect(readdirSync(join(of.repo, ".git"))).not.toContain("worktrees");
  expect(readdirSync(of.home.workspaces)).toEqual([run]);
}

function refs({ repo, env }: Site): string {
  return sh(repo, env, ["for-each-ref", "--format=%(refname)"]).replaceAll("\n", " ");
}

test("a private clone outside the repository, on its branch; the second time it is found", async () => {
  const of = site();
  const before = mainCheckout(of);
  const path = join(of.home.workspaces, "r1");
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
    ["with the path of a ref", { branch: "refs/heads/x" }, { code: "branch-name", exit: 2 }],
    ["that git takes for another branch", { branch: "heads/main" }, { code: "branch-name", exit: 2 }],
    ["that git takes for a tag", { branch: "tags/v1" }, { code: "branch-name", exit: 2 }],
    ["that git takes for a remote branch", { branch: "remotes/x" }, { code: "branch-name", exit: 2 }],
    ["of nothing", { branch: "" }, { code: "branch-name", exit: 2 }],
    ["with the name of a tag", { branch: "v1" }, { code: "branch-name", exit: 6 }],
  ]),
)("a branch %s is refused", async ([, more, error]) => {
  const of = site();
  sh(of.repo, of.env, ["tag", "v1"]);
  await expect(of.workspaces.prepare(wanted(of, more))).rejects.toMatchObject({
    name: "UserError",
    ...error,
  });
  expect(existsSync(join(of.home.workspaces, "r1"))).toBe(false);
  expect(sh(of.repo, of.env, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main\nrefs/tags/v1");
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
  expect(sh(of.repo, of.env, ["rev-parse", `refs/heads/${branch}`])).toBe(of.base);
  put(path, { "a.txt": "changed\n" });
  const { commit: head } = await handOver(of, path);
  expect(sh(of.repo, of.env, ["rev-parse", `refs/heads/${branch}`])).toBe(head);
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
  "mirror.before-clone",
  "mirror.after-clone",
  "workspace.before-branch",
  "workspace.after-branch",
  "workspace.before-own",
  "workspace.after-own",
  "workspace.before-clone",
  "workspace.before-place",
  "workspace.after-place",
];

test.for(sampled(4, FAILPOINTS))("killed at %s, the next one completes it", async (name) => {
  const of = site();
  const before = mainCheckout(of);
  const exclude = readFileSync(join(of.repo, ".git/info/exclude"), "utf8");
  expect(await apart(of, { do: "prepare", with: wanted(of) }, name)).toMatchObject({ signal: "SIGKILL" });
  await of.workspaces.prepare(wanted(of));
  isWhole(of);
  expect(mainCheckout(of)).toBe(before);
  expect(readFileSync(join(of.repo, ".git/info/exclude"), "utf8")).toBe(exclude);
  expect(existsSync(of.home.quarantine)).toBe(false);
});

test.for<[string, (path: string, of: Site) => void, string]>(
  sampled(3, [
    ["without its folder", (path) => rmSync(path, { recursive: true }), ""],
    ["without its .git", (path) => rmSync(join(path, ".git"), { recursive: true }), "set aside"],
    [
      "with a .git that names another repository",
      (path, of) => (
        rmSync(join(path, ".git"), { recursive: true }),
        writeFileSync(join(path, ".git"), `gitdir: ${of.repo}/.git\n`)
      ),
      "set aside",
    ],
    [
      "with a link to another repository as its .git",
      (path, of) => (
        rmSync(join(path, ".git"), { recursive: true }),
        symlinkSync(join(of.repo, ".git"), join(path, ".git"))
      ),
      "set aside",
    ],
    [
      "with a link in its place",
      (path, of) => (rmSync(path, { recursive: true }), symlinkSync(of.repo, path)),
      "",
    ],
    ["with a file in its place", (path) => (rmSync(path, { recursive: true }), writeFileSync(path, "x")), ""],
    ["as an empty folder", (path) => (rmSync(path, { recursive: true }), mkdirSync(path)), ""],
  ]),
)("%s it is made again from the last handover, and nothing is lost", async ([, harm, kept]) => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  put(path, { "work.txt": "handed over\n" });
  const { commit: head } = await handOver(of, path);
  put(path, { "a.txt": "not handed over\n" });
  harm(path, of);
  const before = mainCheckout(of);
  expect(await of.workspaces.prepare(wanted(of))).toMatchObject({ path, base: of.base });
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(head);
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe("## signalbox/r1");
  expect(readFileSync(join(path, "work.txt"), "utf8")).toBe("handed over\n");
  const aside = kept === "" ? path : join(of.home.quarantine, "workspace-r1");
  expect(readFileSync(join(aside, "a.txt"), "utf8")).toBe(kept === "" ? "one\n" : "not handed over\n");
  expect(mainCheckout(of)).toBe(before);
});

test("artifacts are ignored in the clone only, whatever the user's rules say; tracked ones are left alone", async () => {
  const of = site();
  put(of.repo, { "PLAN.md": "tracked\n" });
  const base = commit(of.repo, of.env, "plan");
  const file = join(of.repo, ".git/info/exclude");
  writeFileSync(file, "mine\r\n*.tmp");
  const artifacts = ["TASK.md", "PLAN.md", "reviews/{slot}.json", "odd [name]*.md"];
  const { path } = await of.workspaces.prepare(wanted(of, { base, artifacts }));
  expect(readFileSync(join(path, ".git/info/exclude"), "utf8")).toMatchInlineSnapshot(`
    "mine
    *.tmp
    # signalbox: end of rules
    .signalbox-new-[0-9]*
    .signalbox-old-[0-9]*
    .signalbox-late-[0-9]*
    .signalbox-kept-[0-9]*
    /PLAN.md
    /TASK.md
    /odd \\[name\\]\\*.md
    /reviews/*.json
    "
  `);
  put(path, {
    "TASK.md": "t",
    "PLAN.md": "changed\n",
    "reviews/a.json": "{}",
    "odd [name]*.md": "x",
    "odd n.md": "y",
    "x.tmp": "ignored by the user",
    ".signalbox-new-1": "z",
  });
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe(' M PLAN.md\n?? "odd n.md"');
  expect(readFileSync(file, "utf8")).toBe("mine\r\n*.tmp");
});

test("the same run prepared by several at once is one clone", async () => {
  const of = site();
  const results = await Promise.all([
    apart(of, { do: "prepare", with: wanted(of) }),
    ...Array.from({ length: 4 }, () => of.workspaces.prepare(wanted(of))),
  ]);
  expect(results[0]).toMatchObject({ code: 0 });
  isWhole(of);
});

async function handOver(of: Site, path: string): Promise<{ readonly commit: string }> {
  const artifacts = ["TASK.md"];
  const tree = await of.workspaces.digest(path, artifacts);
  return of.workspaces.snapshot({ path, repo: of.repo, run: "r1", tree, artifacts, message: "at a gate" });
}

test.for(
  sampled(3, [
    ["mirror", "refs/heads/main", "prepare"],
    ["mirror", "packed-refs", "prepare"],
    ["mirror", "refs/runs/r1/base", "prepare"],
    ["mirror", "refs/runs/r1/head", "snapshot"],
    ["mirror", "refs/runs/r1/published", "snapshot"],
  ] as const),
)("in the %s the lock of %s, left behind by a killed git, does not stop %s", async ([, ref, step]) => {
  const of = site();
  // There is a mirror already, and the user's branches have changed since.
  sh(of.repo, of.env, ["branch", "old"]);
  await of.workspaces.prepare(wanted(of, { run: "r0" }));
  put(of.repo, { "later.txt": "later\n" });
  commit(of.repo, of.env, "later");
  sh(of.repo, of.env, ["branch", "-D", "-q", "old"]);
  const lock = join(mirrorOf(of.home, of.repo), `${ref}.lock`);
  const lay = (): void => {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
  };
  if (step === "prepare") lay();
  const { path } = await of.workspaces.prepare(wanted(of));
  writeFileSync(join(path, "new.txt"), "not committed\n");
  if (step === "snapshot") lay();
  expect(await handOver(of, path)).toMatchObject({ notes: [] });
  expect(existsSync(lock)).toBe(false);
});

test("a lock that a killed git of ours left in the user's repository is removed, an older one is not", async () => {
  const of = site();
  const lock = join(of.repo, ".git/refs/heads/signalbox/r1.lock");
  await apart(of, { do: "prepare", with: wanted(of) }, "refs.after-notice");
  put(of.repo, { ".git/refs/heads/signalbox/r1.lock": "" });
  utimesSync(lock, 1, 1);
  await expect(of.workspaces.prepare(wanted(of))).rejects.toMatchObject({ code: "repository-locked" });
  const now = Date.now() / 1000;
  utimesSync(lock, now, now);
  await of.workspaces.prepare(wanted(of));
  expect(existsSync(lock)).toBe(false);
  isWhole(of);
});

test("it is removed, too, after a second process was killed over it", async () => {
  const of = site();
  const lock = join(of.repo, ".git/refs/heads/signalbox/r1.lock");
  await apart(of, { do: "prepare", with: wanted(of) }, "refs.after-notice");
  put(of.repo, { ".git/refs/heads/signalbox/r1.lock": "" });
  // The clocks of files are coarse: the second notice is to be younger than the lock.
  await sleep(20);
  await apart(of, { do: "prepare", with: wanted(of) }, "refs.after-notice");
  await of.workspaces.prepare(wanted(of));
  expect(existsSync(lock)).toBe(false);
  isWhole(of);
});

test("it is removed, too, where only git was killed, and the notice goes with it", async () => {
  const of = site();
  const dying = `case "$*" in *refs/heads/signalbox/r1*) mkdir -p "${of.repo}/.git/refs/heads/signalbox"; : >"${of.repo}/.git/refs/heads/signalbox/r1.lock"; kill -9 $$;; esac`;
  put(of.root, { "bin/git": `#!/bin/sh\n${dying}\nPATH=\${PATH#*:} exec git "$@"\n` });
  chmodSync(join(of.root, "bin/git"), 0o755);
  const env = { ...of.env, PATH: join(of.root, "bin") + delimiter + (of.env["PATH"] ?? "") };
  await expect(gitWorkspaces({ home: of.home, env }).prepare(wanted(of))).rejects.toThrow("SIGKILL");
  await of.workspaces.prepare(wanted(of));
  isWhole(of);
  // What was settled proves nothing about a later lock of the same ref.
  expect(readdirSync(of.home.locks).filter((name) => name.includes(".refs."))).toEqual([]);
});

test("any other lock in the user's repository is never removed: no branch is made, or it is not updated, and both say why", async () => {
  const of = site();
  const lock = join(of.repo, ".git/refs/heads/signalbox/r1.lock");
  put(of.repo, { ".git/refs/heads/signalbox/r1.lock": "" });
  const why = `Git's lock file ${lock} exists; no git process is known to be at work there.`;
  await expect(of.workspaces.prepare(wanted(of))).rejects.toMatchObject({
    code: "repository-locked",
    message: `${why} Nothing was changed.`,
  });
  rmSync(lock);
  const { path } = await of.workspaces.prepare(wanted(of));
  put(of.repo, { ".git/refs/heads/signalbox/r1.lock": "" });
  writeFileSync(join(path, "new.txt"), "not committed\n");
  const { notes } = await of.workspaces.snapshot({
    path,
    repo: of.repo,
    run: "r1",
    tree: await of.workspaces.digest(path, []),
    artifacts: [],
    message: "at a gate",
  });
  expect(notes).toEqual([expect.stringContaining(why)]);
  expect(notes).toEqual([expect.stringContaining("the work is kept: signalbox salvage show r1")]);
  expect(existsSync(lock)).toBe(true);
  // Once the lock is gone, the branch gets the work at the latest when the run is over.
  rmSync(lock);
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "kept"), artifacts: [] });
  expect(sh(of.repo, of.env, ["show", "signalbox/r1:new.txt"])).toBe("not committed");
});

test("a half-made folder of ours is made again", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  const [own = ""] = readdirSync(join(of.home.root, "git"));
  rmSync(join(of.home.root, "git", own, "HEAD"));
  await expect(of.workspaces.digest(path, ["TASK.md"])).rejects.toMatchObject({ code: "no-workspace" });
  await of.workspaces.prepare(wanted(of));
  expect(await of.workspaces.digest(path, ["TASK.md"])).toMatch(/^[0-9a-f]{40}$/);
});

test("a branch that is in the way of the name of the run's branch is named, with what to type", async () => {
  const of = site();
  sh(of.repo, of.env, ["branch", "signalbox"]);
  const blocked = wanted(of, { branch: "signalbox/r1" });
  await expect(of.workspaces.prepare(blocked)).rejects.toMatchObject({
    code: "branch-name",
    message: "Git cannot have a branch signalbox/r1 while there is a branch signalbox.",
    next: `git -C '${of.repo}' branch -m signalbox NEW-NAME`,
  });
  sh(of.repo, of.env, ["branch", "-m", "signalbox", "mine"]);
  expect((await of.workspaces.prepare(blocked)).branch).toBe("signalbox/r1");
});
