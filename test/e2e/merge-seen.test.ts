/** A branch was merged by other means, or was not: what is seen, and what it costs to look. */
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { areBranchesNews, lookedFile } from "../../src/adapters/git/looked.ts";
import { gitMerges } from "../../src/adapters/git/merged.ts";
import type { BranchOf } from "../../src/engine/ports/merges.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

const branchOf = (of: Site): BranchOf => ({
  run: "r1",
  repo: of.repo,
  branch: "task",
  base: of.base,
  defaultBranch: "main",
});

type Made = Site & {
  readonly work: string;
  readonly git: (...args: string[]) => string;
  readonly there: (...args: string[]) => string;
};

/** A worktree on a branch of its own, as a run has one. */
function made(): Made {
  const of = site();
  const work = join(of.root, "work");
  sh(of.repo, of.env, ["worktree", "add", "-q", "-b", "task", work]);
  return {
    ...of,
    work,
    git: (...args) => sh(of.repo, of.env, args),
    there: (...args) => sh(work, of.env, args),
  };
}

function change(of: Made, name = "a.txt", text = "changed\n"): void {
  put(of.work, { [name]: text });
  commit(of.work, of.env, `changes ${name}`);
}

function elsewhere(of: Made, name = "b.txt", text = "elsewhere\n"): void {
  put(of.repo, { [name]: text });
  commit(of.repo, of.env, `elsewhere ${name}`);
}

const seen = async (of: Made): Promise<string | undefined> => (await gitMerges(of).merged(branchOf(of)))?.tip;

type Story = readonly [what: string, isMerged: boolean, happens: (of: Made) => void];

const STORIES: readonly Story[] = [
  ["nothing was done", false, () => undefined],
  ["work that nobody has merged", false, (of) => change(of)],
  [
    "work that nobody has merged, while others have",
    false,
    (of) => {
      change(of);
      elsewhere(of);
    },
  ],
  [
    "a fast-forward",
    true,
    (of) => {
      change(of);
      of.git("merge", "-q", "--ff-only", "task");
    },
  ],
  [
    "a merge commit, and others after it",
    true,
    (of) => {
      change(of);
      elsewhere(of);
      of.git("merge", "-q", "--no-edit", "task");
      elsewhere(of, "c.txt");
    },
  ],
  [
    "a squash",
    true,
    (of) => {
      change(of);
      change(of, "new.txt");
      elsewhere(of);
      of.git("merge", "-q", "--squash", "task");
      of.git("commit", "-q", "-m", "all of it");
    },
  ],
  [
    "a squash, and others after it",
    true,
    (of) => {
      change(of);
      of.git("merge", "-q", "--squash", "task");
      of.git("commit", "-q", "-m", "all of it");
      elsewhere(of);
    },
  ],
  [
    "picked one by one",
    true,
    (of) => {
      change(of);
      change(of, "new.txt");
      elsewhere(of);
      of.git("cherry-pick", "main..task");
    },
  ],
  [
    "only half of it was picked",
    false,
    (of) => {
      change(of);
      change(of, "new.txt");
      elsewhere(of);
      of.git("cherry-pick", "task~1");
    },
  ],
  [
    "as another fetched it",
    true,
    (of) => {
      change(of);
      of.git("update-ref", "refs/remotes/origin/main", "task");
    },
  ],
  [
    "as we fetched it",
    true,
    (of) => {
      change(of);
      of.git("update-ref", "refs/signalbox/upstream/main", "task");
    },
  ],
  [
    "refs are packed",
    true,
    (of) => {
      change(of);
      of.git("merge", "-q", "task");
      of.git("pack-refs", "--all");
    },
  ],
  [
    "the branch was only brought up to date",
    false,
    (of) => {
      elsewhere(of);
      of.there("merge", "-q", "main");
    },
  ],
  [
    "the branch was rebased before anything was done",
    false,
    (of) => {
      elsewhere(of);
      of.there("rebase", "-q", "main");
    },
  ],
  [
    "work was thrown away for what others have done",
    false,
    (of) => {
      change(of);
      elsewhere(of);
      of.there("reset", "-q", "--hard", "main");
    },
  ],
  [
    "an empty commit on what others have done",
    false,
    (of) => {
      elsewhere(of);
      of.there("merge", "-q", "main");
      of.there("commit", "-q", "--allow-empty", "-m", "nothing");
    },
  ],
  [
    "rebased, and then merged",
    true,
    (of) => {
      change(of);
      elsewhere(of);
      of.there("rebase", "-q", "main");
      of.git("merge", "-q", "--ff-only", "task");
    },
  ],
  [
    "renamed, and then merged",
    true,
    (of) => {
      of.there("branch", "-m", "task", "other");
      change(of);
      of.there("branch", "-m", "other", "task");
      of.git("merge", "-q", "--ff-only", "task");
    },
  ],
  [
    "work that changes nothing in the end",
    false,
    (of) => {
      change(of);
      change(of, "a.txt", "one\n");
      elsewhere(of);
    },
  ],
];

test.for(sampled(9, STORIES))("%s: merged is %s", async ([, isMerged, happens]) => {
  const of = made();
  happens(of);
  expect(await seen(of)).toBe(isMerged ? of.git("rev-parse", "task") : undefined);
});

test("without git's own log: what was seen ahead of the default branch, and is in it later, was merged", async () => {
  const of = made();
  of.git("config", "core.logAllRefUpdates", "false");
  rmSync(join(of.repo, ".git/logs"), { recursive: true });
  change(of);
  expect(await seen(of)).toBeUndefined();
  of.git("merge", "-q", "--ff-only", "task");
  expect(await seen(of)).toBe(of.git("rev-parse", "task"));
});

test("no news until something moves, also for the next one who looks", async () => {
  const of = made();
  change(of);
  const merges = gitMerges(of);
  const all = [branchOf(of)];
  expect(merges.news(all)).toEqual(all);
  expect(await merges.merged(branchOf(of))).toBeUndefined();
  expect(merges.news(all)).toEqual([]);
  expect(gitMerges(of).news(all)).toEqual([]);
  elsewhere(of);
  expect(gitMerges(of).news(all)).toEqual(all);
  await merges.merged(branchOf(of));
  change(of, "new.txt");
  expect(merges.news(all)).toEqual(all);
  // What was remembered is damaged: one look too many.
  writeFileSync(lookedFile(of.home), "{");
  expect(gitMerges(of).news(all)).toEqual(all);
});

test("a command that only looks notices that the default branch may have moved", async () => {
  const of = made();
  change(of);
  const pool = [{ name: "repo--1", repo: of.repo, n: 1, run: "r1", isRetired: false }];
  const row = { run: "r1", repo: of.repo, path: "/w", branch: "task", base: "1", salvage: "", kept: "" };
  const store = {
    pools: () => pool,
    projectAt: () => undefined,
    workspace: () => ({ ...row, status: "bound" as const }),
    isHalted: () => false,
  };
  expect(areBranchesNews({ ...store, pools: () => [] }, of.home)).toBe(false);
  // At these the supervisor does not look, either: it would be started for nothing, by every command.
  expect(areBranchesNews({ ...store, workspace: () => undefined }, of.home)).toBe(false);
  expect(areBranchesNews({ ...store, isHalted: () => true }, of.home)).toBe(false);
  expect(areBranchesNews(store, of.home)).toBe(true);
  const long = new Date(Date.now() - 60_000);
  utimesSync(join(of.repo, ".git/refs/heads/main"), long, long);
  const merges = gitMerges(of);
  merges.news([branchOf(of)]);
  await merges.merged(branchOf(of));
  // The time at which the file itself was last changed counts, too: nobody can set that back.
  const { ctimeMs } = statSync(join(of.repo, ".git/refs/heads/main"));
  await expect.poll(() => (merges.news([branchOf(of)]), Date.now() - ctimeMs)).toBeGreaterThan(60);
  expect(areBranchesNews(store, of.home)).toBe(false);
  of.git("merge", "-q", "--ff-only", "task");
  expect(areBranchesNews(store, of.home)).toBe(true);
});

test.for<readonly [string, (of: Made) => void]>(
  sampled(2, [
    ["the repository is gone", (of) => rmSync(of.repo, { recursive: true })],
    [
      "the branch is gone",
      (of) => void (of.there("switch", "-q", "--detach"), of.git("branch", "-D", "task")),
    ],
    [
      "the default branch is gone",
      (of) => void (of.git("switch", "-q", "--detach"), of.git("branch", "-D", "main")),
    ],
    ["objects are gone", (of) => rmSync(join(of.repo, ".git/objects"), { recursive: true })],
  ]),
)("%s: it is not merged, and nothing throws", async ([, happens]) => {
  const of = made();
  change(of);
  elsewhere(of);
  happens(of);
  expect(await seen(of)).toBeUndefined();
  expect(gitMerges(of).news([branchOf(of)])).toEqual([]);
});
