/** Work is merged by a person: what comes of it, and that a killed process leaves a way on. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import {
  apart,
  canSign,
  commit,
  put,
  removeSites,
  sh,
  signCommits,
  site,
  type Site,
} from "../support/git.ts";
import { forgetBranch, handOver } from "../support/handover.ts";
import { ahead, at, merging, MESSAGE, on, refused, status } from "../support/merging.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

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

test.for<[string, (of: Site) => void]>([
  ["elsewhere", () => undefined],
  [
    "in that of another, as a submodule's",
    ({ repo, env }) => sh(repo, env, ["config", "core.worktree", repo]),
  ],
])("the checkout follows where the git directory is %s", async ([, change]) => {
  const of = site();
  const gitDir = join(of.root, "super/.git/modules/lib");
  mkdirSync(join(gitDir, ".."), { recursive: true });
  sh(of.repo, of.env, ["init", "-q", "--separate-git-dir", gitDir]);
  change(of);
  const { commit: tip } = handOver(of);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ commit: tip, checkout: of.repo });
  expect([at(of, "main"), status(of)]).toEqual([tip, ""]);
  // A branch that is checked out there is the person's.
  sh(of.repo, of.env, ["switch", "-q", "task"]);
  const wanted = { run: "r2", repo: of.repo, branch: "task", base: of.base, artifacts: [] };
  await expect(of.workspaces.prepare(wanted)).rejects.toMatchObject({
    code: "branch-in-use",
    message: expect.stringContaining(`is checked out in ${of.repo},`) as string,
  });
});

test("a remote that does not have it yet is told", async () => {
  const of = site();
  handOver(of);
  sh(of.repo, of.env, ["update-ref", "refs/remotes/origin/main", of.base]);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff", isUnpushed: true });
});

test.for(["utf16", "latin1"])("a commit is named in UTF-8 where git prints %s", async (encoding) => {
  const of = site();
  sh(of.repo, of.env, ["config", "--global", "i18n.logOutputEncoding", encoding]);
  handOver(of);
  ahead(of);
  const { commit: made, said } = await mergeWork(on(of), merging(of, { message: "Grüße" }));
  expect(said).toBe(`${made.slice(0, 7)} "Grüße"`);
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

test.runIf(canSign).for<["merge" | "squash", "user" | "repository" | "folder", boolean]>([
  ["merge", "user", true],
  ["merge", "repository", true],
  ["squash", "folder", true],
  ["merge", "user", false],
])(
  "%s: the new commit is signed like the user's (settings of the %s, the key exists: %s), by the configured author",
  async ([strategy, where, hasKey]) => {
    const of = site();
    handOver(of);
    ahead(of);
    signCommits(of, where, hasKey);
    const author = { name: "Bot", email: "bot@example.org" };
    const { notes } = await mergeWork(on(of), merging(of, { strategy, author }));
    const text = sh(of.repo, of.env, ["cat-file", "commit", "main"]);
    expect(text).toContain("\nauthor Bot <bot@example.org> ");
    expect(text.includes("\ngpgsig -----BEGIN SSH SIGNATURE-----\n")).toBe(hasKey);
    expect(notes.map((note) => note.split(":", 1)[0])).toEqual(hasKey ? [] : ["the commit is not signed"]);
  },
);
