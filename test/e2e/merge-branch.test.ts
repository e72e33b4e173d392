/** Work is merged by a person: what comes of it, what is refused, and that a killed process leaves a way on. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mergeWork, type Merging } from "../../src/adapters/git/merge.ts";
import { mirrorOf } from "../../src/adapters/git/names.ts";
import { UserError } from "../../src/adapters/user-error.ts";
import { apart, canMount, commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { forgetBranch, handOver } from "../support/handover.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

const MESSAGE = "Merge task r1: a change";

type Wish = Partial<Merging>;

/** The last handover of the run, unless another commit is given. */
function merging(of: Site, more: Wish = {}): Merging {
  const work = sh(mirrorOf(of.home, of.repo), of.env, ["rev-parse", "refs/runs/r1/head"]);
  return {
    run: "r1",
    repo: of.repo,
    branch: "task",
    into: "main",
    base: of.base,
    commit: work,
    message: MESSAGE,
    ...more,
  };
}

function ahead(of: Site, files: Readonly<Record<string, string>> = { "b.txt": "elsewhere\n" }): string {
  put(of.repo, files);
  return commit(of.repo, of.env, "elsewhere");
}

const at = (of: Site, ref: string): string => sh(of.repo, of.env, ["rev-parse", ref]);
const status = (of: Site): string => sh(of.repo, of.env, ["status", "--porcelain"]);
const on = (of: Site) => ({ home: of.home, env: of.env });

/** A file that is ignored, and that the agent adds all the same. */
const forced =
  (name: string, of: Site) =>
  (path: string): void => {
    put(path, { [name]: "forced\n" });
    sh(path, of.env, ["add", "-f", name]);
  };

async function refused(work: Promise<unknown>): Promise<UserError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("a fast-forward where that is possible; the checkout of the branch follows", async () => {
  const of = site();
  const { commit: tip } = handOver(of);
  put(of.repo, { "mine.txt": "nobody's business\n" });
  expect(await mergeWork(on(of), merging(of))).toMatchObject({
    how: "ff",
    commit: tip,
    files: 2,
    checkout: of.repo,
  });
  expect(at(of, "main")).toBe(tip);
  expect(readFileSync(join(of.repo, "a.txt"), "utf8")).toBe("changed\n");
  expect(status(of)).toBe("?? mine.txt");
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "already", commit: tip, checkout: "" });
  expect(sh(of.repo, of.env, ["reflog", "-1", "HEAD"])).toContain("signalbox: task r1 merged");
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("a remote that does not have it yet is told", async () => {
  const of = site();
  handOver(of);
  sh(of.repo, of.env, ["update-ref", "refs/remotes/origin/main", of.base]);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff", isUnpushed: true });
});

test("a merge commit otherwise, by the person's name; where nothing is checked out, no file is touched", async () => {
  const of = site();
  const { commit: tip } = handOver(of);
  const old = ahead(of);
  sh(of.repo, of.env, ["switch", "-q", "--detach"]);
  const before = status(of);
  const { how, commit: made, checkout } = await mergeWork(on(of), merging(of));
  expect({ how, checkout }).toEqual({ how: "merge", checkout: "" });
  expect(at(of, "main")).toBe(made);
  expect(sh(of.repo, of.env, ["log", "-1", "--format=%P|%an <%ae>|%cn|%B", "main"]).trimEnd()).toBe(
    `${old} ${tip}|A <a@example.com>|A|${MESSAGE}`,
  );
  expect(sh(of.repo, of.env, ["show", "main:a.txt", "main:b.txt"])).toBe("changed\nelsewhere");
  expect(at(of, "HEAD")).toBe(old);
  expect(status(of)).toBe(before);
});

test("strategies: ff only where it is one, merge always", async () => {
  const one = site();
  handOver(one);
  expect((await mergeWork(on(one), merging(one, { strategy: "merge" }))).how).toBe("merge");
  expect(status(one)).toBe("");
  const two = site();
  handOver(two);
  const old = ahead(two);
  const no = await refused(mergeWork(on(two), merging(two, { strategy: "ff" })));
  expect(no).toMatchObject({ code: "not-fast-forward", exit: 5 });
  expect(at(two, "main")).toBe(old);
});

test("squash: one new commit of the person on the target; merged again, the target already contains it", async () => {
  const of = site();
  handOver(of, { "a.txt": "changed\n" });
  const { commit: work } = handOver(of, { "new.txt": "new\n" });
  const old = ahead(of);
  const { how, commit: made, files } = await mergeWork(on(of), merging(of, { strategy: "squash" }));
  expect({ how, files, main: at(of, "main") }).toEqual({ how: "squash", files: 2, main: made });
  expect(sh(of.repo, of.env, ["log", "-1", "--format=%P|%an <%ae>|%cn", "main"])).toBe(
    `${old}|A <a@example.com>|A`,
  );
  expect(at(of, "main^{tree}")).toBe(sh(of.repo, of.env, ["merge-tree", "--write-tree", old, work]));
  ahead(of, { "dir/c.txt": "later\n" });
  const later = at(of, "main");
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "already", commit: made });
  expect([at(of, "main"), status(of)]).toEqual([later, ""]);
});

test.for<[string, (of: Site) => void]>([
  [
    "the branch is somewhere else",
    (of) => void sh(of.repo, of.env, ["update-ref", "refs/heads/task", of.base]),
  ],
  ["the branch and its objects are gone", (of) => forgetBranch(of)],
  ["a later handover is on the branch", (of) => void handOver(of, { "late.txt": "not reviewed\n" })],
  [
    "the branch is checked out",
    (of) => void sh(of.repo, of.env, ["worktree", "add", "-q", join(of.root, "own"), "task"]),
  ],
])("exactly the handover commit is merged: %s", async ([, happens]) => {
  const of = site();
  const { commit: work } = handOver(of);
  happens(of);
  const branch = (): string => sh(of.repo, of.env, ["for-each-ref", "refs/heads/task"]);
  const before = branch();
  expect(await mergeWork(on(of), merging(of, { commit: work }))).toMatchObject({ how: "ff", commit: work });
  expect([at(of, "main"), branch(), status(of)]).toEqual([work, before, ""]);
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("commits of a person on the branch: shown, never overwritten, left out or reviewed first", async () => {
  const of = site();
  const { commit: work, path } = handOver(of);
  const own = join(of.root, "own");
  sh(of.repo, of.env, ["worktree", "add", "-q", own, "task"]);
  put(own, { "mine.txt": "by hand\n" });
  const mine = commit(own, of.env, "By hand");
  const main = at(of, "main");
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "unreviewed-commits", exit: 5 });
  expect(no.message).toContain(`${mine.slice(0, 7)} A: By hand`);
  expect([at(of, "main"), at(of, "task"), status(of)]).toEqual([main, mine, ""]);
  // The worker is given what it is asked to merge: its clone borrows from the mirror.
  expect(no.next).toContain(`git merge --no-edit ${mine.slice(0, 12)}`);
  sh(path, of.env, ["merge", "-q", mine.slice(0, 12)]);
  const left = site();
  const { commit: reviewed } = handOver(left);
  sh(left.repo, left.env, ["switch", "-q", "task"]);
  put(left.repo, { "mine.txt": "by hand\n" });
  const extra = commit(left.repo, left.env, "By hand");
  expect(await mergeWork(on(left), merging(left, { leave: true }))).toMatchObject({ commit: reviewed });
  expect([at(left, "main"), at(left, "task"), status(left)]).toEqual([reviewed, extra, ""]);
  const { commit: both } = handOver(of, {});
  expect(both).not.toBe(work);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff", commit: both });
  expect(sh(of.repo, of.env, ["show", "main:mine.txt"])).toBe("by hand");
});

test.for<[string, (of: Site) => void]>([
  ["an empty commit", (of) => void handOver(of, {}, { work: (path) => commit(path, of.env, "nothing") })],
  [
    "changes that were taken back",
    (of) => {
      handOver(of, { "a.txt": "changed\n" });
      handOver(of, { "a.txt": "one\n" });
    },
  ],
  [
    "only brought up to date, with an empty commit on top",
    (of) => {
      handOver(of, {}, { work: (path) => commit(path, of.env, "nothing") });
      const main = ahead(of);
      const pull = (path: string): void => {
        sh(path, of.env, ["pull", "-q", "--no-edit", "--no-rebase", of.repo, main]);
        commit(path, of.env, "nothing");
      };
      handOver(of, {}, { work: pull });
    },
  ],
])("work that changes nothing is not merged: %s", async ([, happens]) => {
  const of = site();
  happens(of);
  const before = at(of, "main");
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "nothing-to-merge", exit: 5 });
  expect(no.message).not.toMatch(/\bmerged\b/);
  expect([at(of, "main"), status(of)]).toEqual([before, ""]);
});

test("merged by other means: the commit that brought it is named, and nothing is added", async () => {
  const of = site();
  handOver(of);
  ahead(of);
  sh(of.repo, of.env, ["merge", "-q", "--squash", "task"]);
  sh(of.repo, of.env, ["commit", "-q", "-m", "All of it"]);
  const brought = at(of, "main");
  ahead(of, { "dir/c.txt": "later\n" });
  const before = at(of, "main");
  const { how, commit: by, said } = await mergeWork(on(of), merging(of));
  expect({ how, by, said }).toEqual({
    how: "already",
    by: brought,
    said: `${brought.slice(0, 7)} "All of it"`,
  });
  expect(at(of, "main")).toBe(before);
});

test.for<[string, (git: (...args: string[]) => string) => void]>([
  ["fast-forward", (git) => void git("merge", "-q", "--ff-only", "task")],
  ["merge commit", (git) => void git("merge", "-q", "--no-ff", "--no-edit", "task")],
])(
  "a merge that was reverted (%s) is not the work: refused, with the commit to revert",
  async ([how, merge]) => {
    const of = site();
    const { commit: work } = handOver(of);
    const git = (...args: string[]): string => sh(of.repo, of.env, args);
    merge(git);
    git("revert", "--no-edit", ...(how === "merge commit" ? ["-m", "1"] : []), "HEAD");
    const revert = at(of, "main");
    ahead(of, { "dir/c.txt": "later\n" });
    const before = at(of, "main");
    const no = await refused(mergeWork(on(of), merging(of)));
    expect(no).toMatchObject({ code: "merge-reverted", exit: 5 });
    expect(no.message).toContain(`taken out again by ${revert.slice(0, 7)} "Revert`);
    expect(no.next).toContain(`git -C '${of.repo}' revert ${revert.slice(0, 7)}`);
    expect([at(of, "main"), status(of)]).toEqual([before, ""]);
    git("revert", "--no-edit", revert);
    expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "already" });
    expect(git("merge-base", work, "main")).toBe(work);
  },
);

test("history that was replaced since: said so, with what to type, and found by content afterwards", async () => {
  const of = site();
  const { commit: work } = handOver(of);
  sh(of.repo, of.env, ["checkout", "-q", "--orphan", "again"]);
  commit(of.repo, of.env, "everything anew");
  sh(of.repo, of.env, ["branch", "-q", "-M", "again", "main"]);
  const before = at(of, "main");
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "unrelated-history", exit: 5 });
  expect(no.message).toBe(
    "main and the work of r1 have no commit in common: the history of main was replaced since the run began. Nothing was changed.",
  );
  expect(at(of, "main")).toBe(before);
  const range = `${of.base.slice(0, 12)}..${work.slice(0, 12)}`;
  expect(no.next).toContain(`cherry-pick ${range}, then: signalbox task merge r1`);
  sh(of.repo, of.env, ["cherry-pick", range]);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "already", commit: at(of, "main") });
});

const canSign = spawnSync("ssh-keygen", ["-?"]).error === undefined;

test.runIf(canSign).for<["merge" | "squash", boolean]>([
  ["merge", true],
  ["squash", true],
  ["merge", false],
])(
  "%s: the new commit is signed like the user's (the key exists: %s), by the configured author",
  async ([strategy, hasKey]) => {
    const of = site();
    const key = join(of.root, "key");
    if (hasKey) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const signing = `[commit]\ngpgsign = true\n[gpg]\nformat = ssh\n[user]\nsigningkey = ${key}.pub\n`;
    handOver(of);
    ahead(of);
    appendFileSync(join(of.root, "user/.gitconfig"), signing);
    const author = { name: "Bot", email: "bot@example.org" };
    const { notes } = await mergeWork(on(of), merging(of, { strategy, author }));
    const text = sh(of.repo, of.env, ["cat-file", "commit", "main"]);
    expect(text).toContain("\nauthor Bot <bot@example.org> ");
    expect(text.includes("\ngpgsig -----BEGIN SSH SIGNATURE-----\n")).toBe(hasKey);
    expect(notes).toEqual(hasKey ? [] : [expect.stringMatching(/^the commit is not signed: /)]);
  },
);

test("a conflict is told before anything is touched, and the worker gets the commit to merge", async () => {
  const of = site();
  const { path } = handOver(of);
  const main = ahead(of, { "a.txt": "otherwise\n" });
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no.message).toBe("Merge conflict in a.txt. Nothing was changed.");
  expect(no.next).toContain(`git merge --no-edit ${main.slice(0, 12)}`);
  expect(() => sh(path, of.env, ["merge", main.slice(0, 12)])).toThrow("Command failed");
  put(path, { "a.txt": "both\n" });
  handOver(of, {});
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff" });
  expect(sh(of.repo, of.env, ["show", "main:a.txt"])).toBe("both");
});

test("what arrived is compared with what was reviewed: what the user's git shows instead is no delivery", async () => {
  const of = site();
  const { commit: work } = handOver(of);
  // The user's git is told to take another commit for this one.
  const other = sh(of.repo, of.env, ["commit-tree", "-p", of.base, "-m", "other", `${of.base}^{tree}`]);
  sh(of.repo, of.env, ["replace", work, other]);
  sh(of.repo, of.env, ["switch", "-q", "--detach"]);
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "not-delivered", exit: 1 });
  expect(no.message).toContain("a.txt, new.txt");
  expect(no.message).toContain("r1 is not done");
});

type Obstacle = readonly [what: string, code: string, names: string, put: (of: Site) => void];

const OBSTACLES: readonly Obstacle[] = [
  ["a conflict", "merge-conflict", "a.txt", (of) => void ahead(of, { "a.txt": "otherwise\n" })],
  ["a file with changes", "checkout-dirty", "b.txt", (of) => put(of.repo, { "b.txt": "mine\n" })],
  ["the very file", "checkout-dirty", "a.txt", (of) => put(of.repo, { "a.txt": "mine\n" })],
  ["a file that is gone", "checkout-dirty", "b.txt", (of) => sh(of.repo, of.env, ["rm", "-q", "b.txt"])],
  [
    "something staged",
    "checkout-dirty",
    "dir/c.txt",
    (of) => {
      put(of.repo, { "dir/c.txt": "mine\n" });
      sh(of.repo, of.env, ["add", "-A"]);
    },
  ],
  [
    "changes that git was told not to see",
    "checkout-dirty",
    "a.txt",
    (of) => {
      sh(of.repo, of.env, ["update-index", "--assume-unchanged", "a.txt"]);
      put(of.repo, { "a.txt": "mine\n" });
    },
  ],
  [
    "an untracked file in the way",
    "checkout-dirty",
    "new.txt",
    (of) => put(of.repo, { "new.txt": "mine\n" }),
  ],
  [
    "an ignored file in the way",
    "checkout-dirty",
    "kept.log",
    (of) => {
      handOver(of, { "kept.log": "theirs\n" }, { work: forced("kept.log", of) });
      put(of.repo, { "kept.log": "mine\n" });
    },
  ],
  [
    "ignored files in a folder in the way",
    "checkout-dirty",
    "build/out.o",
    (of) => {
      handOver(of, { build: "a file now\n" }, { work: forced("build", of) });
      put(of.repo, { "build/out.o": "mine\n" });
    },
  ],
  [
    "a merge under way",
    "checkout-busy",
    "merge",
    (of) => {
      sh(of.repo, of.env, ["branch", "side"]);
      ahead(of);
      put(of.repo, {});
      sh(of.repo, of.env, ["switch", "-q", "side"]);
      ahead(of, { "dir/c.txt": "side\n" });
      sh(of.repo, of.env, ["switch", "-q", "main"]);
      sh(of.repo, of.env, ["merge", "-q", "--no-commit", "--no-ff", "side"]);
    },
  ],
];

test.for(sampled(5, OBSTACLES))("%s: nothing is touched", async ([, code, names, place]) => {
  const of = site();
  handOver(of);
  place(of);
  const before = [at(of, "main"), status(of), readFileSync(join(of.repo, ".git/index")).toString("hex")];
  const no = await refused(mergeWork(on(of), merging(of)));
  expect({ code: no.code, exit: no.exit, next: no.next !== "" }).toEqual({ code, exit: 5, next: true });
  expect(no.message).toContain(names);
  expect(status(of)).toBe(before[1]);
  expect(at(of, "main")).toBe(before[0]);
});

test("a live git of the user holds a lock: refused with its file and process, and the user's git goes on", async () => {
  const of = site();
  handOver(of);
  const mine = sh(of.repo, of.env, ["commit-tree", "-p", "main", "-m", "mine", "main^{tree}"]);
  const lock = join(of.repo, ".git/refs/heads/main.lock");
  const user = spawn("git", ["update-ref", "--stdin"], {
    cwd: of.repo,
    env: of.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  user.stdin.write(`start\nupdate refs/heads/main ${mine}\nprepare\n`);
  await expect.poll(() => existsSync(lock)).toBe(true);
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "repository-locked", exit: 6 });
  expect(no.message).toContain(
    `${lock} exists; git process ${user.pid} is at work there (git update-ref --stdin)`,
  );
  expect([at(of, "main"), status(of), existsSync(lock)]).toEqual([of.base, "", true]);
  user.stdin.end("commit\n");
  await once(user, "close");
  expect([user.exitCode, at(of, "main")]).toEqual([0, mine]);
  expect((await mergeWork(on(of), merging(of))).how).toBe("merge");
});

test.for(["index.lock", "HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"])(
  "%s without a process: refused with what to type, or not needed; never removed",
  async (name) => {
    const of = site();
    handOver(of);
    const lock = join(of.repo, ".git", name);
    writeFileSync(lock, "");
    const tried = mergeWork(on(of), merging(of));
    if (name !== "packed-refs.lock") {
      const no = await refused(tried);
      expect(no).toMatchObject({ code: "repository-locked", exit: 6 });
      expect(no.next).toBe(`rm '${lock}' if no git is at work there, then the same command again`);
      expect([at(of, "main"), readFileSync(join(of.repo, "a.txt"), "utf8")]).toEqual([of.base, "one\n"]);
    } else await tried;
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    await mergeWork(on(of), merging(of));
    expect(status(of)).toBe("");
  },
);

test.runIf(canMount)(
  "a repository on a read-only disk: one sentence, also after a handover that it has not got",
  async () => {
    const of = site();
    handOver(of);
    forgetBranch(of);
    const mount = `mount --bind '${of.repo}' '${of.repo}'; mount -o remount,ro,bind '${of.repo}'`;
    const { code, err } = await apart(of, { do: "merge", with: merging(of), mount });
    expect(code).not.toBe(0);
    expect(err).toContain(
      `${of.repo}/.git is not writable, so the work of r1 cannot be merged. Nothing was changed.`,
    );
    expect([at(of, "main"), status(of)]).toEqual([of.base, ""]);
    expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff" });
  },
);

test.for([true, false])(
  "no branch to merge into (fetched before: %s): says what to type",
  async (isFetched) => {
    const of = site();
    handOver(of);
    if (isFetched) sh(of.repo, of.env, ["update-ref", "refs/remotes/origin/main", of.base]);
    sh(of.repo, of.env, ["branch", "-q", "-m", "main", "other"]);
    const no = await refused(mergeWork(on(of), merging(of)));
    expect(no).toMatchObject({
      code: "no-branch",
      message: `${of.repo} has no branch main to merge into. Nothing was changed.`,
      next: isFetched
        ? `git -C '${of.repo}' branch main origin/main`
        : "signalbox project update --default-branch NAME",
    });
  },
);

test("a rebase of the branch under way anywhere", async () => {
  const of = site();
  handOver(of);
  sh(of.repo, of.env, ["branch", "side"]);
  ahead(of, { "b.txt": "one way\n" });
  sh(of.repo, of.env, ["switch", "-q", "side"]);
  ahead(of, { "b.txt": "another\n" });
  sh(of.repo, of.env, ["switch", "-q", "main"]);
  expect(() => sh(of.repo, of.env, ["rebase", "-q", "side"])).toThrow("could not apply");
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "checkout-busy", exit: 5 });
});

test("nothing that the repository configures runs: hooks, filters, drivers", async () => {
  const of = site();
  put(of.repo, { ".gitattributes": "*.txt merge=evil filter=evil\n" });
  commit(of.repo, of.env, "attributes");
  handOver(of);
  ahead(of);
  const trace = join(of.root, "evil");
  const script = `sh -c 'echo ran >>${trace}; cat'`;
  for (const key of ["filter.evil.clean", "filter.evil.smudge", "merge.evil.driver"])
    sh(of.repo, of.env, ["config", key, script]);
  for (const hook of [
    "reference-transaction",
    "post-checkout",
    "post-merge",
    "pre-merge-commit",
    "post-index-change",
  ])
    writeFileSync(join(of.repo, ".git/hooks", hook), `#!/bin/sh\necho ${hook} >>${trace}\n`, { mode: 0o755 });
  await mergeWork(on(of), merging(of));
  expect(existsSync(trace)).toBe(false);
});

const PLACES = [
  "before-note",
  "after-note",
  "before-files",
  "after-files",
  "before-ref",
  "after-ref",
  "before-forget",
  "after-forget",
];

const SOME =
  process.env["SIGNALBOX_DEEP"] === undefined ? ["after-note", "after-files", "after-ref"] : PLACES;

test.for(sampled(2, SOME))("killed at %s, a second call finishes", async (place) => {
  const of = site();
  handOver(of);
  ahead(of);
  put(of.repo, { "mine.txt": "mine\n" });
  const killed = await apart(of, { do: "merge", with: merging(of) }, `merge.${place}`);
  expect(killed.signal).toBe("SIGKILL");
  const again = await apart(of, { do: "merge", with: merging(of) });
  expect(again.err).toBe("");
  expect(JSON.parse(again.out)).toMatchObject({ commit: at(of, "main") });
  expect(sh(of.repo, of.env, ["show", "main:a.txt", "main:b.txt"])).toBe("changed\nelsewhere");
  expect(status(of)).toBe("?? mine.txt");
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

/** As if the machine had lost power in the middle of git's writing: some files are new, one is half, the index is old. */
test("killed in the middle of the files, a second call finishes; what a person wrote since stays", async () => {
  const of = site();
  handOver(of, {
    "a.txt": "changed\nand longer\n",
    "b.txt": "changed\n",
    "dir/c.txt": "changed\n",
    "new.txt": "new\n",
  });
  await apart(of, { do: "merge", with: merging(of) }, "merge.after-note");
  put(of.repo, { "a.txt": "changed\nand", "b.txt": "changed\n", "new.txt": "ne" });
  // A lock in the user's repository is the user's to remove.
  const lock = join(of.repo, ".git/index.lock");
  writeFileSync(lock, "");
  expect(await refused(mergeWork(on(of), merging(of)))).toMatchObject({ code: "repository-locked" });
  rmSync(lock);
  put(of.repo, { "dir/c.txt": "a person was here\n" });
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "checkout-dirty", exit: 5 });
  expect(no.message).toContain("dir/c.txt");
  expect(status(of)).toBe(" M dir/c.txt");
  put(of.repo, { "dir/c.txt": "three\n" });
  await mergeWork(on(of), merging(of));
  expect(status(of)).toBe("");
  expect(readFileSync(join(of.repo, "a.txt"), "utf8")).toBe("changed\nand longer\n");
});

test("killed before the ref, and the person went on: theirs stays", async () => {
  const of = site();
  handOver(of);
  await apart(of, { do: "merge", with: merging(of) }, "merge.after-files");
  expect(status(of)).toBe("M  a.txt\nA  new.txt");
  sh(of.repo, of.env, ["reset", "-q", "--hard"]);
  const mine = ahead(of);
  expect((await mergeWork(on(of), merging(of))).how).toBe("merge");
  expect(sh(of.repo, of.env, ["log", "-1", "--format=%P", "main"]).split(" ")[0]).toBe(mine);
  expect(status(of)).toBe("");
});
