/** Work was merged by other means, or was not: what is seen, and what it costs to look. */
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { areBranchesNews, lookedFile } from "../../src/adapters/git/delivery/last-look.ts";
import { gitMerges } from "../../src/adapters/git/delivery/merged-elsewhere.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import type { WorkOf } from "../../src/engine/ports/merges.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { handOver, type HandedOver } from "../support/handover.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

type Made = Site & {
  readonly work: HandedOver;
  readonly remote: string;
  readonly git: (...args: string[]) => string;
};

/** Work that was handed over, and a remote with the default branch as it was. */
function made(files?: Readonly<Record<string, string>>): Made {
  const of = site();
  const remote = join(of.root, "remote.git");
  sh(of.root, of.env, ["clone", "-q", "--bare", of.repo, remote]);
  const git = (...args: string[]): string => sh(of.repo, of.env, args);
  return { ...of, work: handOver(of, files), remote, git };
}

const workOf = (of: Made, more: Partial<WorkOf> = {}): WorkOf => ({
  run: "r1",
  repo: of.repo,
  tree: of.work.tree,
  base: of.base,
  entry: 1,
  defaultBranch: "main",
  ...more,
});

function elsewhere(of: Made, name = "b.txt", text = "elsewhere\n"): void {
  put(of.repo, { [name]: text });
  commit(of.repo, of.env, `elsewhere ${name}`);
}

function squash(of: Made): void {
  of.git("merge", "-q", "--squash", "task");
  of.git("commit", "-q", "-m", "all of it");
}

/** The remote has it, as if somebody had merged it there. */
function push(of: Made): void {
  of.git("push", "-q", of.remote, `${of.work.commit}:refs/heads/main`);
}

type Seen = "nothing" | "seen";
type Story = readonly [what: string, seen: Seen, ref: string, happens: (of: Made) => void];

const MAIN = "refs/heads/main";
const ORIGIN = "refs/remotes/origin/main";

const STORIES: readonly Story[] = [
  ["nobody has merged it", "nothing", "", () => undefined],
  ["others have done something else", "nothing", "", (of) => elsewhere(of)],
  ["a fast-forward", "seen", MAIN, (of) => of.git("merge", "-q", "--ff-only", "task")],
  [
    "a merge commit, and others after it",
    "seen",
    MAIN,
    (of) => {
      elsewhere(of);
      of.git("merge", "-q", "--no-edit", "task");
      elsewhere(of, "c.txt");
    },
  ],
  [
    "a squash, and others before and after it",
    "seen",
    MAIN,
    (of) => {
      elsewhere(of);
      squash(of);
      elsewhere(of, "c.txt");
    },
  ],
  [
    "picked one by one",
    "seen",
    MAIN,
    (of) => {
      elsewhere(of);
      of.git("cherry-pick", "main..task");
    },
  ],
  [
    "only half of it was picked",
    "nothing",
    "",
    (of) => {
      elsewhere(of);
      of.git("cherry-pick", "task~1");
    },
  ],
  [
    "refs are packed",
    "seen",
    MAIN,
    (of) => {
      of.git("merge", "-q", "task");
      of.git("pack-refs", "--all");
    },
  ],
  [
    "the branch is gone since the merge",
    "seen",
    MAIN,
    (of) => {
      of.git("merge", "-q", "task");
      of.git("branch", "-q", "-D", "task");
    },
  ],
  [
    "something else is staged in the checkout",
    "seen",
    MAIN,
    (of) => {
      of.git("merge", "-q", "task");
      put(of.repo, { "mine.txt": "mine\n" });
      of.git("add", "mine.txt");
    },
  ],
  [
    "a remote branch that the remote has moved away from",
    "seen",
    ORIGIN,
    (of) => {
      push(of);
      of.git("fetch", "-q", of.remote, `main:${ORIGIN}`);
      of.git("push", "-q", "--force", of.remote, `${of.base}:refs/heads/main`);
    },
  ],
  [
    "merged on the remote, and fetched by the user",
    "seen",
    ORIGIN,
    (of) => {
      push(of);
      of.git("fetch", "-q", of.remote, `main:${ORIGIN}`);
    },
  ],
  [
    "merged on the remote, and fetched by the engine",
    "seen",
    "refs/upstream/main",
    (of) => {
      push(of);
      sh(mirrorOf(of.home, of.repo), of.env, ["fetch", "-q", of.remote, "main:refs/upstream/main"]);
    },
  ],
];

/** The history has the work, whatever became of its content. */
const REVERTED: readonly Story[] = [
  [
    "merged, and the merge was reverted",
    "nothing",
    "",
    (of) => {
      of.git("merge", "-q", "--no-ff", "--no-edit", "task");
      of.git("revert", "-m", "1", "--no-edit", "HEAD");
    },
  ],
  [
    "merged, reverted, and the revert was reverted",
    "seen",
    MAIN,
    (of) => {
      of.git("merge", "-q", "--no-ff", "--no-edit", "task");
      of.git("revert", "-m", "1", "--no-edit", "HEAD");
      of.git("revert", "--no-edit", "HEAD");
    },
  ],
];

/** What an agent can write without a merge looks the same. */
const FORGED: readonly Story[] = [
  [
    "the ref was written, and the checkout has not followed",
    "seen",
    MAIN,
    (of) => of.git("update-ref", MAIN, "task"),
  ],
  [
    "the ref was written, and nothing is checked out",
    "seen",
    MAIN,
    (of) => {
      of.git("switch", "-q", "--detach");
      of.git("update-ref", MAIN, "task");
    },
  ],
  ["a remote branch was written by hand", "seen", ORIGIN, (of) => of.git("update-ref", ORIGIN, "task")],
];

async function landingAfter(of: Made, happens: (of: Made) => void): Promise<readonly [Seen, string]> {
  happens(of);
  const found = await gitMerges(of).landing(workOf(of));
  return found === undefined ? ["nothing", ""] : ["seen", found.ref];
}

test.for([...FORGED, ...REVERTED, ...sampled(5, STORIES)])("%s: %s", async ([, seen, ref, happens]) => {
  const of = made();
  handOver(of, { "more.txt": "more\n" });
  const work = handOver(of, {});
  expect(await landingAfter({ ...of, work }, happens)).toEqual([seen, ref]);
});

test("the commit that brought it, and who made it", async () => {
  const of = made();
  elsewhere(of);
  squash(of);
  const brought = of.git("rev-parse", "main");
  elsewhere(of, "c.txt");
  expect(await gitMerges(of).landing(workOf(of))).toEqual({
    ref: MAIN,
    commit: brought,
    by: "A",
  });
});

test.for<readonly [string, (of: Made) => HandedOver]>([
  ["nothing was done", (of) => handOver(of, {}, { run: "r2", branch: "two" })],
  [
    "what was done was taken back",
    (of) => {
      handOver(of, { "a.txt": "changed\n" }, { run: "r2", branch: "two" });
      return handOver(of, { "a.txt": "one\n" }, { run: "r2", branch: "two" });
    },
  ],
])("%s: that is nowhere merged", async ([, works]) => {
  const of = made();
  const work = works(of);
  const two = { ...of, work };
  const found = async (): Promise<unknown> => gitMerges(of).landing(workOf(two, { run: "r2" }));
  expect(await found()).toBeUndefined();
  elsewhere(of);
  expect(await found()).toBeUndefined();
});

test("work that was not handed over is not looked for", async () => {
  const of = made();
  of.git("merge", "-q", "task");
  const other = workOf(of, { tree: "1".repeat(40) });
  expect(gitMerges(of).news([other])).toEqual([]);
  expect(await gitMerges(of).landing(other)).toBeUndefined();
});

test("looking leaves nothing in the user's repository", async () => {
  const of = made();
  elsewhere(of);
  const objects = (): string => of.git("count-objects", "-v");
  const before = objects();
  await gitMerges(of).landing(workOf(of));
  expect(objects()).toBe(before);
});

test("no news until something moves, also for the next one who looks", async () => {
  const of = made();
  const merges = gitMerges(of);
  const all = [workOf(of)];
  expect(merges.news(all)).toEqual(all);
  expect(await merges.landing(workOf(of))).toBeUndefined();
  // Killed here, the next one looks again.
  expect(gitMerges(of).news(all)).toEqual(all);
  merges.remember(workOf(of));
  expect(merges.news(all)).toEqual([]);
  expect(gitMerges(of).news(all)).toEqual([]);
  elsewhere(of);
  expect(gitMerges(of).news(all)).toEqual(all);
  await merges.landing(workOf(of));
  merges.remember(workOf(of));
  const moved = [workOf(of, { entry: 2 })];
  expect(merges.news(moved)).toEqual(moved);
  const work = handOver(of, { "new.txt": "newer\n" });
  expect(merges.news([workOf({ ...of, work })])).toHaveLength(1);
  // The memory is damaged: one look too many.
  writeFileSync(lookedFile(of.home), "{");
  expect(gitMerges(of).news(all)).toEqual(all);
});

test("a command that only looks notices that the default branch may have moved", async () => {
  const of = made();
  const row = { run: "r1", repo: of.repo, path: "/w", branch: "task", base: "1", salvage: "", kept: "" };
  const store = {
    workspaces: () => Promise.resolve([{ ...row, status: "bound" as const }]),
    projectAt: () => Promise.resolve(undefined),
    marks: () => Promise.resolve({ seq: 1, halted: false, attention: "" }),
  };
  expect(await areBranchesNews({ ...store, workspaces: () => Promise.resolve([]) }, of.home)).toBe(false);
  // At a halted run the supervisor does not look, either: it would be started for nothing, by every command.
  expect(
    await areBranchesNews(
      { ...store, marks: () => Promise.resolve({ seq: 1, halted: true, attention: "" }) },
      of.home,
    ),
  ).toBe(false);
  expect(await areBranchesNews(store, of.home)).toBe(true);
  const long = new Date(Date.now() - 60_000);
  utimesSync(join(of.repo, ".git/refs/heads/main"), long, long);
  const merges = gitMerges(of);
  merges.news([workOf(of)]);
  await merges.landing(workOf(of));
  merges.remember(workOf(of));
  // The time at which the file itself was last changed counts, too: nobody can set that back.
  const { ctimeMs } = statSync(join(of.repo, ".git/refs/heads/main"));
  await expect.poll(() => (merges.news([workOf(of)]), Date.now() - ctimeMs)).toBeGreaterThan(60);
  expect(await areBranchesNews(store, of.home)).toBe(false);
  of.git("merge", "-q", "--ff-only", "task");
  expect(await areBranchesNews(store, of.home)).toBe(true);
});

test.for<readonly [string, (of: Made) => void]>(
  sampled(2, [
    ["the repository is gone", (of) => rmSync(of.repo, { recursive: true })],
    [
      "the default branch is gone",
      (of) => void (of.git("switch", "-q", "--detach"), of.git("branch", "-D", "main")),
    ],
    ["objects are gone", (of) => rmSync(join(of.repo, ".git/objects"), { recursive: true })],
    ["the mirror is gone", (of) => rmSync(mirrorOf(of.home, of.repo), { recursive: true })],
  ]),
)("%s: it is not merged, and nothing throws", async ([, happens]) => {
  const of = made();
  elsewhere(of);
  happens(of);
  expect(await gitMerges(of).landing(workOf(of))).toBeUndefined();
});
