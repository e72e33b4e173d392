/** Handovers: the content of the work tree as a commit in the mirror, and the run's branch in the user's repository that follows it. */
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { handoverOf } from "../../src/adapters/git/snapshot/handover.ts";
import {
  apart,
  canSign,
  commit,
  mainCheckout,
  put,
  removeSites,
  sh,
  signCommits,
  site,
  type Site,
} from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const ARTIFACTS = ["TASK.md"];

async function prepared() {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "work", base: of.base, artifacts: ARTIFACTS };
  const { path } = await of.workspaces.prepare(wanted);
  const moment = async () => ({
    path,
    repo: of.repo,
    run: "r1",
    tree: await of.workspaces.digest(path, ARTIFACTS),
    artifacts: ARTIFACTS,
    message: "handover",
  });
  const handOver = async () => of.workspaces.snapshot(await moment());
  return { of, path, moment, handOver, wanted };
}

/** Subjects of the branch in the user's repository, from the newest to the base. */
function log({ repo, env, base }: Site, branch = "work"): string {
  return sh(repo, env, ["log", "--format=%s", `${base}..${branch}`]).replaceAll("\n", " ");
}

type Step = (path: string, of: Site) => void;
const edit =
  (text: string, name = "a.txt"): Step =>
  (path) =>
    put(path, { [name]: `${text}\n` });
const own =
  (message: string, ...args: readonly string[]): Step =>
  (path, { env }) => (
    sh(path, env, ["add", "-A"]),
    void sh(path, env, ["commit", "-q", "--allow-empty", ...args, "-m", message])
  );
const HAND_OVER = "hand over";

test.for<[string, readonly (Step | typeof HAND_OVER)[], string]>([
  ["an agent that never commits", [edit("1"), HAND_OVER, edit("2"), HAND_OVER], "handover handover"],
  ["nothing changed", [HAND_OVER, HAND_OVER], ""],
  ["the same content twice", [edit("1"), HAND_OVER, HAND_OVER], "handover"],
  [
    "an agent that commits everything",
    [edit("1"), own("one"), HAND_OVER, edit("2"), own("two"), HAND_OVER],
    "two one",
  ],
  ["a commit and a change after it", [edit("1"), own("one"), edit("2"), HAND_OVER], "handover one"],
  ["committed after the handover", [edit("1"), HAND_OVER, own("one"), HAND_OVER], "handover"],
  [
    "committed after the handover, and changed",
    [edit("1"), HAND_OVER, own("one"), edit("2"), HAND_OVER],
    "handover one",
  ],
  [
    "amended",
    [edit("1"), own("one"), edit("2"), HAND_OVER, edit("3"), own("amended", "--amend"), HAND_OVER],
    "amended",
  ],
  [
    "taken back with its commit",
    [
      edit("1"),
      own("one"),
      HAND_OVER,
      (path, { env }) => void sh(path, env, ["reset", "-q", "--hard", "HEAD~"]),
      HAND_OVER,
    ],
    "handover one",
  ],
  [
    "an earlier content again",
    [edit("1"), HAND_OVER, edit("2"), HAND_OVER, edit("1"), HAND_OVER],
    "handover handover handover",
  ],
  [
    "another branch of the agent's",
    [(path, { env }) => void sh(path, env, ["switch", "-q", "-c", "mine"]), edit("1"), own("one"), HAND_OVER],
    "one",
  ],
  [
    "a merge of the agent's",
    [
      (path, { env }) => void sh(path, env, ["switch", "-q", "-c", "side"]),
      edit("side", "side.txt"),
      own("side"),
      (path, { env }) => void sh(path, env, ["switch", "-q", "work"]),
      edit("1"),
      own("one"),
      (path, { env }) => void sh(path, env, ["merge", "-q", "--no-edit", "-m", "merged", "side"]),
      HAND_OVER,
    ],
    "merged one side",
  ],
  [
    "a merge of the agent's that ends in the content handed over",
    [
      edit("1"),
      HAND_OVER,
      own("one"),
      (path, { env }) => void sh(path, env, ["switch", "-q", "-c", "side", "HEAD~"]),
      edit("side", "side.txt"),
      own("side"),
      (path, { env }) => void sh(path, env, ["switch", "-q", "work"]),
      (path, { env }) =>
        void sh(path, env, ["merge", "-q", "--strategy=ours", "--no-edit", "-m", "merged", "side"]),
      HAND_OVER,
    ],
    "merged one side",
  ],
])("%s", async ([, steps, expected]) => {
  const { of, path, handOver } = await prepared();
  const before = mainCheckout(of);
  const seen: unknown[] = [];
  for (const step of steps) {
    if (step !== HAND_OVER) {
      step(path, of);
      continue;
    }
    const { commit: made, notes } = await handOver();
    const tree = await of.workspaces.digest(path, ARTIFACTS);
    // Verdicts refer to it: each handover stays in the mirror.
    const kept = sh(mirrorOf(of.home, of.repo), of.env, ["rev-parse", `refs/runs/r1/work/${tree}`]);
    const branch = sh(of.repo, of.env, ["rev-parse", "work", "work^{tree}"]);
    seen.push(kept === made && branch === `${made}\n${tree}` ? notes : [kept, made, branch]);
  }
  expect(seen.flat()).toEqual([]);
  expect(log(of).split(" ").toSorted()).toEqual(expected.split(" ").toSorted());
  expect(mainCheckout(of)).toBe(before);
  for (const repository of [of.repo, mirrorOf(of.home, of.repo), path])
    sh(repository, of.env, ["fsck", "--strict"]);
});

const FAILPOINTS = [
  "import.before-objects",
  "import.after-objects",
  "handover.before-ref",
  "handover.after-ref",
  "publish.before-ref",
  "publish.after-ref",
];

test.for(sampled(3, FAILPOINTS))("killed at %s and done again: there is one commit", async (failpoint) => {
  const { of, path, moment, handOver } = await prepared();
  put(path, { "a.txt": "1\n" });
  // The first is before anything was digested, so that the commit is imported by the handover.
  const of1 = { ...(await moment()) };
  commit(path, of.env, "one");
  put(path, { "a.txt": "2\n" });
  const tree = sh(path, of.env, ["write-tree"]);
  expect(await apart(of, { do: "snapshot", with: { ...of1, tree } }, failpoint)).toMatchObject({
    signal: "SIGKILL",
  });
  const { commit: made, notes } = await handOver();
  expect([sh(of.repo, of.env, ["rev-parse", "work"]), notes, log(of)]).toEqual([made, [], "handover one"]);
  for (const repository of [of.repo, mirrorOf(of.home, of.repo)])
    sh(repository, of.env, ["fsck", "--strict"]);
});

test.for<[string, Step, RegExp | "", string]>([
  [
    "has it checked out",
    (_, { repo, env }) => void sh(repo, env, ["switch", "-q", "work"]),
    /checked out in .*repo; the work is kept/,
    "1",
  ],
  [
    "has it checked out in another worktree",
    (_, { repo, env, root }) => void sh(repo, env, ["worktree", "add", "-q", join(root, "tree"), "work"]),
    /checked out in .*tree; the work is kept/,
    "1",
  ],
  [
    "has committed to it",
    (_, { repo, env }) => {
      const tree = sh(repo, env, ["rev-parse", "work^{tree}"]);
      const theirs = sh(repo, env, ["commit-tree", "-p", "work", "-m", "theirs", tree]);
      sh(repo, env, ["update-ref", "refs/heads/work", theirs]);
    },
    /it has commits that the run did not make \([0-9a-f]{12}\); the work is kept/,
    "1",
  ],
  ["has deleted it", (_, { repo, env }) => void sh(repo, env, ["branch", "-q", "-D", "work"]), "", "2"],
  ["has packed it", (_, { repo, env }) => void sh(repo, env, ["pack-refs", "--all"]), "", "2"],
  [
    "has broken the configuration",
    (_, { repo }) => put(repo, { ".git/config": "[core\n" }),
    /bad config line/,
    "",
  ],
  [
    "has moved the repository",
    (_, { repo, root }) => renameSync(repo, join(root, "moved")),
    /There is no git repository at .*repo any more; the work is kept/,
    "",
  ],
])("a person %s: the handover is made, and the branch is theirs", async ([, act, note, published]) => {
  const { of, path, handOver } = await prepared();
  put(path, { "a.txt": "1\n" });
  await handOver();
  act(path, of);
  const user = () => (published === "" ? "" : sh(of.repo, of.env, ["show", "work:a.txt"]));
  put(path, { "a.txt": "2\n" });
  const { commit: made, notes } = await handOver();
  expect(notes.join()).toMatch(note === "" ? /^$/ : note);
  expect(user()).toBe(published);
  expect(sh(mirrorOf(of.home, of.repo), of.env, ["show", `${made}:a.txt`])).toBe("2");
  // What was asked for twice is the same.
  expect(await handOver()).toEqual({ commit: made, notes });
});

const repack: Step = (_, { home, repo, env }) => {
  for (const folder of [mirrorOf(home, repo), repo]) sh(folder, env, ["repack", "-q", "-a", "-d"]);
};
const many: Step = (path) =>
  put(path, Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`many/${n}.txt`, `${n}\n`])));

// Objects that are files of their own take another way than those in packs, few another than many.
test.for<[string, readonly (Step | typeof HAND_OVER)[]]>([
  [
    "files in new and old folders",
    [edit("1"), HAND_OVER, edit("2", "dir/x/y.txt"), edit("3", "dir/c.txt"), HAND_OVER],
  ],
  [
    "what was handed over is in packs by then",
    [edit("1"), HAND_OVER, repack, edit("2", "dir/c.txt"), HAND_OVER],
  ],
  ["a large file", [edit("1"), HAND_OVER, edit("large".repeat(1_000_000)), HAND_OVER]],
  [
    "sizes around the steps of a pack's numbers",
    [edit("1"), HAND_OVER, ...[13, 14, 15, 2046, 2047].map((n) => edit("x".repeat(n), `${n}`)), HAND_OVER],
  ],
  ["many files", [edit("1"), HAND_OVER, many, HAND_OVER]],
  [
    "a file in the place of a folder",
    [
      edit("1"),
      HAND_OVER,
      (path) => rmSync(join(path, "dir"), { recursive: true }),
      edit("2", "dir"),
      HAND_OVER,
    ],
  ],
  ["the content of before", [edit("1"), HAND_OVER, edit("2"), HAND_OVER, edit("1"), HAND_OVER]],
])("the user's repository gets a handover whole: %s", async ([, steps]) => {
  const { of, path, handOver, moment } = await prepared();
  const notes: string[] = [];
  for (const step of steps)
    if (step === HAND_OVER) notes.push(...(await handOver()).notes);
    else step(path, of);
  expect(notes).toEqual([]);
  expect(sh(of.repo, of.env, ["rev-parse", "work^{tree}"])).toBe((await moment()).tree);
  for (const folder of [of.repo, mirrorOf(of.home, of.repo)])
    expect(sh(folder, of.env, ["fsck", "--strict", "--full", "--no-dangling"])).toBe("");
});

test("the author and the message are as they were given", async () => {
  const { of, path, moment } = await prepared();
  put(path, { "a.txt": "1\n" });
  const author = { name: "Ada", email: "ada@example.org" };
  await of.workspaces.snapshot({ ...(await moment()), message: "-x --all\n\nSignalbox-Run: r1", author });
  expect(sh(of.repo, of.env, ["show", "-s", "--format=%an <%ae> %cn|%B", "work"])).toBe(
    "Ada <ada@example.org> Ada|-x --all\n\nSignalbox-Run: r1",
  );
});

test("an artifact stays as the base has it, whatever an agent committed", async () => {
  const of = site();
  put(of.repo, { "TASK.md": "the user's\n" });
  const base = commit(of.repo, of.env, "an artifact");
  const artifacts = [...ARTIFACTS, "PLAN.md"];
  const wanted = { run: "r1", repo: of.repo, branch: "work", base, artifacts };
  const { path } = await of.workspaces.prepare(wanted);
  put(path, { "TASK.md": "changed\n", "PLAN.md": "new\n" });
  sh(path, of.env, ["add", "-f", "TASK.md", "PLAN.md"]);
  sh(path, of.env, ["commit", "-q", "-m", "artifacts"]);
  put(path, { "TASK.md": "changed since\n", "a.txt": "1\n" });
  const tree = await of.workspaces.digest(path, artifacts);
  const moment = { path, repo: of.repo, run: "r1", tree, artifacts, message: "handover" };
  const { commit: made } = await of.workspaces.snapshot(moment);
  expect(sh(of.repo, of.env, ["diff", "--name-only", "main", "work"])).toBe("a.txt");
  expect(log(of)).toBe("handover artifacts an artifact");
  // What is delivered is compared with the work, which has no artifacts.
  expect(await handoverOf(of, moment)).toBe(made);
});

test("stale locks of a killed git are moved away, and what was interrupted is named", async () => {
  const { of, path } = await prepared();
  put(path, {
    ".git/index.lock": "",
    ".git/refs/heads/work.lock": "",
    ".git/refs/heads/deep/er.lock": "",
    ".git/modules/deps/lib/index.lock": "",
    ".git/MERGE_HEAD": `${of.base}\n`,
  });
  expect(await of.workspaces.usable(path)).toEqual([
    "A git process was killed here; its stale lock files were moved away: 4.",
    "A git merge was interrupted in this workspace: finish it or undo it (git merge --abort) first.",
  ]);
  rmSync(join(path, ".git/MERGE_HEAD"));
  expect(await of.workspaces.usable(path)).toEqual([]);
  expect(sh(path, of.env, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main\nrefs/heads/work");
  commit(path, of.env, "works again");
});

const SIGNED = /^gpgsig -----BEGIN SSH SIGNATURE-----$/m;

test.runIf(canSign).for<[string, "user" | "repository" | "folder", boolean, RegExp, RegExp]>([
  ["signs a handover where the user signs commits", "user", true, SIGNED, /^$/],
  ["signs a handover where the user signs commits of this repository", "repository", true, SIGNED, /^$/],
  ["signs a handover where the user signs commits in this folder", "folder", true, SIGNED, /^$/],
  [
    "hands over without a signature where the key is gone, and says so",
    "user",
    false,
    /^author /m,
    /^the commit is not signed: /,
  ],
])("%s", async ([, where, hasKey, text, note]) => {
  const of = site();
  signCommits(of, where, hasKey);
  const place = { run: "r1", repo: of.repo, branch: "signed" };
  const { path } = await of.workspaces.prepare({ ...place, base: of.base, artifacts: [] });
  put(path, { "new.txt": "new\n" });
  const tree = await of.workspaces.digest(path, []);
  const made = await of.workspaces.snapshot({ ...place, path, tree, artifacts: [], message: "New" });
  expect(sh(of.repo, of.env, ["cat-file", "commit", made.commit])).toMatch(text);
  expect(made.notes.join("\n")).toMatch(note);
});
