/** A branch is merged by us: what comes of it, what is refused, and that whoever is killed over it leaves a way on. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mergeBranch, type Merging } from "../../src/adapters/git/merge.ts";
import { uncommittedIn } from "../../src/adapters/git/uncommitted.ts";
import { UserError } from "../../src/adapters/user-error.ts";
import { apart, commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

const MESSAGE = "Merge task r1: a change";

function merging(of: Site, more: Partial<Merging> = {}): Merging {
  return { run: "r1", repo: of.repo, branch: "task", into: "main", message: MESSAGE, ...more };
}

/** A branch with one commit, made in a worktree of its own. */
function withBranch(
  of: Site,
  files: Readonly<Record<string, string>> = { "a.txt": "changed\n", "new.txt": "new\n" },
): string {
  const path = join(of.root, "work");
  sh(of.repo, of.env, ["worktree", "add", "-q", "-b", "task", path]);
  put(path, files);
  return commit(path, of.env, "work");
}

function ahead(of: Site, files: Readonly<Record<string, string>> = { "b.txt": "elsewhere\n" }): string {
  put(of.repo, files);
  return commit(of.repo, of.env, "elsewhere");
}

const at = (of: Site, ref: string): string => sh(of.repo, of.env, ["rev-parse", ref]);
const status = (of: Site): string => sh(of.repo, of.env, ["status", "--porcelain"]);
const on = (of: Site) => ({ home: of.home, env: of.env });

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
  const tip = withBranch(of);
  put(of.repo, { "mine.txt": "nobody's business\n" });
  expect(await mergeBranch(on(of), merging(of))).toEqual({ how: "ff", commit: tip, checkout: of.repo });
  expect(at(of, "main")).toBe(tip);
  expect(readFileSync(join(of.repo, "a.txt"), "utf8")).toBe("changed\n");
  expect(status(of)).toBe("?? mine.txt");
  expect(await mergeBranch(on(of), merging(of))).toEqual({ how: "already", commit: tip, checkout: "" });
  expect(sh(of.repo, of.env, ["reflog", "-1", "HEAD"])).toContain("signalbox: task r1 merged");
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("a merge commit otherwise, by the person's name; where nothing is checked out, no file is touched", async () => {
  const of = site();
  const tip = withBranch(of);
  const old = ahead(of);
  sh(of.repo, of.env, ["switch", "-q", "--detach"]);
  const before = status(of);
  const { how, commit: made, checkout } = await mergeBranch(on(of), merging(of));
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
  withBranch(one);
  expect((await mergeBranch(on(one), merging(one, { strategy: "merge" }))).how).toBe("merge");
  expect(status(one)).toBe("");
  const two = site();
  withBranch(two);
  const old = ahead(two);
  const no = await refused(mergeBranch(on(two), merging(two, { strategy: "ff" })));
  expect(no).toMatchObject({ code: "not-fast-forward", exit: 5 });
  expect(at(two, "main")).toBe(old);
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
      put(join(of.root, "work"), { "kept.log": "theirs\n" });
      sh(join(of.root, "work"), of.env, ["add", "-f", "kept.log"]);
      sh(join(of.root, "work"), of.env, ["commit", "-q", "-m", "a log"]);
      put(of.repo, { "kept.log": "mine\n" });
    },
  ],
  [
    "ignored files in a folder in the way",
    "checkout-dirty",
    "build/out.o",
    (of) => {
      put(join(of.root, "work"), { build: "a file now\n" });
      sh(join(of.root, "work"), of.env, ["add", "-f", "build"]);
      sh(join(of.root, "work"), of.env, ["commit", "-q", "-m", "build"]);
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
  withBranch(of);
  place(of);
  const before = [at(of, "main"), status(of), readFileSync(join(of.repo, ".git/index")).toString("hex")];
  const no = await refused(mergeBranch(on(of), merging(of)));
  expect({ code: no.code, exit: no.exit, next: no.next !== "" }).toEqual({ code, exit: 5, next: true });
  expect(no.message).toContain(names);
  expect(status(of)).toBe(before[1]);
  expect(at(of, "main")).toBe(before[0]);
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(2);
});

test("a rebase of the branch under way anywhere", async () => {
  const of = site();
  withBranch(of);
  sh(of.repo, of.env, ["branch", "side"]);
  ahead(of, { "b.txt": "one way\n" });
  sh(of.repo, of.env, ["switch", "-q", "side"]);
  ahead(of, { "b.txt": "another\n" });
  sh(of.repo, of.env, ["switch", "-q", "main"]);
  expect(() => sh(of.repo, of.env, ["rebase", "-q", "side"])).toThrow("could not apply");
  const no = await refused(mergeBranch(on(of), merging(of)));
  expect(no).toMatchObject({ code: "checkout-busy", exit: 5 });
});

test("nothing that the repository configures runs: hooks, filters, drivers", async () => {
  const of = site();
  put(of.repo, { ".gitattributes": "*.txt merge=evil filter=evil\n" });
  commit(of.repo, of.env, "attributes");
  withBranch(of);
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
  await mergeBranch(on(of), merging(of));
  expect(existsSync(trace)).toBe(false);
});

test("what is not committed in a workspace is told, and what git does not know is not", async () => {
  const of = site();
  const path = (await of.workspaces.prepare({ ...merging(of), base: of.base, artifacts: ["TASK.md"] })).path;
  put(path, { "loose.txt": "?\n" });
  expect(await uncommittedIn(on(of), { run: "r1", path, branch: "task" })).toEqual([]);
  put(path, { "a.txt": "changed\n", "added.txt": "new\n" });
  sh(path, of.env, ["add", "added.txt"]);
  expect(await uncommittedIn(on(of), { run: "r1", path, branch: "task" })).toEqual(["a.txt", "added.txt"]);
  sh(path, of.env, ["stash", "-q"]);
  sh(path, of.env, ["switch", "-q", "-c", "another"]);
  expect(await refused(uncommittedIn(on(of), { run: "r1", path, branch: "task" }))).toMatchObject({
    code: "other-branch",
    exit: 5,
  });
});

test.for<[string, (path: string, of: Site) => void]>(
  sampled(1, [
    [
      "a commit more",
      (path, of) => (put(path, { "sneaked.txt": "in\n" }), void commit(path, of.env, "more")),
    ],
    [
      "another branch in its place",
      (_, of) => void sh(of.repo, of.env, ["update-ref", "refs/heads/task", at(of, "main")]),
    ],
  ]),
)("what was looked at is merged, or nothing: %s", async ([, change]) => {
  const of = site();
  const artifacts = ["TASK.md"];
  const { path } = await of.workspaces.prepare({ ...merging(of), base: of.base, artifacts });
  put(path, { "a.txt": "looked at\n", "TASK.md": "committed by mistake\n" });
  sh(path, of.env, ["add", "-f", "TASK.md"]);
  const tip = commit(path, of.env, "work");
  const looked = { tree: await of.workspaces.digest(path, artifacts), artifacts };
  const old = at(of, "main");
  change(path, of);
  const no = await refused(mergeBranch(on(of), merging(of, { looked })));
  expect(no).toMatchObject({ code: "conflict", exit: 6 });
  expect([at(of, "main"), status(of)]).toEqual([old, ""]);
  sh(of.repo, of.env, ["update-ref", "refs/heads/task", tip]);
  expect(await mergeBranch(on(of), merging(of, { looked }))).toMatchObject({ how: "ff", commit: tip });
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
  withBranch(of);
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
  withBranch(of, {
    "a.txt": "changed\nand longer\n",
    "b.txt": "changed\n",
    "dir/c.txt": "changed\n",
    "new.txt": "new\n",
  });
  await apart(of, { do: "merge", with: merging(of) }, "merge.after-note");
  put(of.repo, { "a.txt": "changed\nand", "b.txt": "changed\n", "new.txt": "ne" });
  writeFileSync(join(of.repo, ".git/index.lock"), "");
  put(of.repo, { "dir/c.txt": "a person was here\n" });
  const no = await refused(mergeBranch(on(of), merging(of)));
  expect(no).toMatchObject({ code: "checkout-dirty", exit: 5 });
  expect(no.message).toContain("dir/c.txt");
  expect(status(of)).toBe(" M dir/c.txt");
  put(of.repo, { "dir/c.txt": "three\n" });
  await mergeBranch(on(of), merging(of));
  expect(status(of)).toBe("");
  expect(readFileSync(join(of.repo, "a.txt"), "utf8")).toBe("changed\nand longer\n");
});

test("killed before the ref, and the person went on: theirs stays", async () => {
  const of = site();
  withBranch(of);
  await apart(of, { do: "merge", with: merging(of) }, "merge.after-files");
  expect(status(of)).toBe("M  a.txt\nA  new.txt");
  sh(of.repo, of.env, ["reset", "-q", "--hard"]);
  const mine = ahead(of);
  expect((await mergeBranch(on(of), merging(of))).how).toBe("merge");
  expect(sh(of.repo, of.env, ["log", "-1", "--format=%P", "main"]).split(" ")[0]).toBe(mine);
  expect(status(of)).toBe("");
});
