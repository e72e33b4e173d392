/** A merge that cannot be made is refused: what is said, what to type, and that nothing was changed. */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { apart, canMount, commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { forgetBranch, handOver } from "../support/handover.ts";
import { ahead, at, merging, on, refused, status } from "../support/merging.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

/** A file that is ignored, and that the agent adds all the same. */
const forced =
  (name: string, of: Site) =>
  (path: string): void => {
    put(path, { [name]: "forced\n" });
    sh(path, of.env, ["add", "-f", name]);
  };

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

test.for<[string, (of: Site) => void]>([
  ["the branch of the task has its commits", () => {}],
  ["the branch is deleted, and git has pruned them", (of) => forgetBranch(of)],
])("history that was replaced since, and %s: what it shows can be typed", async ([, forget]) => {
  const of = site();
  handOver(of);
  sh(of.repo, of.env, ["checkout", "-q", "--orphan", "again"]);
  commit(of.repo, of.env, "everything anew");
  sh(of.repo, of.env, ["branch", "-q", "-M", "again", "main"]);
  forget(of);
  const before = at(of, "main");
  const no = await refused(mergeWork(on(of), merging(of)));
  expect(no).toMatchObject({ code: "unrelated-history", exit: 5 });
  expect(no.message).toBe(
    "main and the work of r1 have no commit in common: the history of main was replaced since the run began. Nothing was changed.",
  );
  expect(at(of, "main")).toBe(before);
  const [typed = "", then] = no.next.split(", then: ");
  expect(then).toBe("signalbox accept r1");
  execFileSync("sh", ["-c", typed], { cwd: of.root, env: of.env, stdio: "pipe" });
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "already", commit: at(of, "main") });
});

test.runIf(canMount)("a full disk stops git in the middle of the checkout: it is as before", async () => {
  const of = site();
  handOver(of, { "a.txt": "changed\n", "big.bin": randomBytes(6 * 2 ** 20), "z.txt": "z\n" });
  const copy = join(of.root, "copy");
  renameSync(of.repo, copy);
  mkdirSync(of.repo);
  // Room for the objects, and for half of the file.
  const mount = `mount -t tmpfs -o size=10m none '${of.repo}' && cp -a '${copy}/.' '${of.repo}'
"$0" --disable-warning=ExperimentalWarning "$1"; cd '${of.repo}'; git rev-parse main; git status --porcelain; cat a.txt; exit 0`;
  const { out, err } = await apart(of, { do: "merge", with: merging(of), mount });
  expect(err).toContain(
    `main is checked out in ${of.repo}, and git cannot update it: no room is left on its disk. Nothing was changed.`,
  );
  expect(out.trim()).toBe(`${of.base}\none`);
  expect(readdirSync(join(of.home.root, "merging"))).toEqual([]);
});

test("a target that moves in the last moment: a conflict, and nothing is changed", async () => {
  const of = site();
  handOver(of);
  const git = (...args: string[]): string => sh(of.repo, of.env, args);
  const other = git("commit-tree", "main^{tree}", "-p", "main", "-m", "elsewhere");
  const real = execFileSync("sh", ["-c", "command -v git"], { env: of.env, encoding: "utf8" }).trim();
  const move = `[ -e ${of.root}/moved ] || { touch ${of.root}/moved; ${real} update-ref refs/heads/main ${other}; }`;
  const script = `#!/bin/sh\ncase "$*" in *"update-ref -m signalbox: task"*) ${move} ;; esac\nexec ${real} "$@"\n`;
  mkdirSync(join(of.root, "bin"));
  writeFileSync(join(of.root, "bin/git"), script, { mode: 0o755 });
  const env = { ...of.env, PATH: `${of.root}/bin:${of.env["PATH"] ?? ""}` };
  const no = await refused(mergeWork({ home: of.home, env }, merging(of)));
  expect(no).toMatchObject({ code: "target-moved", exit: 6, next: "signalbox accept r1" });
  expect([at(of, "main"), status(of)]).toEqual([other, ""]);
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "merge", files: 2 });
});

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

test.for(sampled(3, OBSTACLES))("%s: nothing is touched", async ([, code, names, place]) => {
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

test.for(["index.lock", "HEAD.lock", "refs/heads/main.lock"])(
  "%s without a process: refused with what to type, and never removed",
  async (name) => {
    const of = site();
    handOver(of);
    const lock = join(of.repo, ".git", name);
    writeFileSync(lock, "");
    const no = await refused(mergeWork(on(of), merging(of)));
    expect(no).toMatchObject({ code: "repository-locked", exit: 6 });
    expect(no.next).toBe(`rm '${lock}' if no git is at work there, then the same command again`);
    expect([at(of, "main"), readFileSync(join(of.repo, "a.txt"), "utf8")]).toEqual([of.base, "one\n"]);
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
