/** A person's own checkout that a run works in: looked at, snapshotted, and not a byte of it touched. */
import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitBranches } from "../../src/adapters/git/repository/branch-port.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { DIRTY } from "../support/dirty.ts";
import { filesBelow } from "../support/inventory.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

const ARTIFACTS = ["changes/x/proposal.md", "changes/x/specs/{slot}.md"];

/** Files, index, HEAD, refs, objects, configuration: everything. */
function everything({ repo }: Site): Record<string, string> {
  const stamps = [...filesBelow(repo)].map(([name, content]) => {
    const { mtimeMs, mode, ino } = lstatSync(Buffer.from(`${repo}/${name}`, "latin1"));
    // The mirror has hard links to objects, and git renews the times of those that it would write again.
    return [name, `${content} ${name.startsWith(".git/objects/") ? "" : mtimeMs} ${mode} ${ino}`] as const;
  });
  return Object.fromEntries(stamps);
}

/** These are about worktrees of ours, or about kinds of files. */
const NOT_HERE =
  /\.git|submodule|nested|bytes|name|lock|without an index|another repository|pipe|mode|link|folder/;

test.for(
  sampled(
    10,
    DIRTY.filter(([name]) => !NOT_HERE.test(name)),
  ),
)("%s: not a byte is touched", async ([, make]) => {
  const of = site();
  sh(of.repo, of.env, ["switch", "-q", "-c", "signalbox/r1"]);
  make(of.repo, of);
  put(of.repo, { "x.log": "ignored\n", "changes/x/proposal.md": "# A change\n", "loose.txt": "loose\n" });
  const before = everything(of);
  const branches = gitBranches(of);
  await branches.checkout(of.repo, []);
  const tree = await of.workspaces.digest(of.repo, ARTIFACTS);
  const handover = { path: of.repo, repo: of.repo, run: "r1", tree, artifacts: ARTIFACTS, message: "gate" };
  const { commit: made, notes } = await of.workspaces.snapshot(handover);
  expect(notes).toEqual([]);
  expect(await of.workspaces.digest(of.repo, ARTIFACTS)).toBe(tree);
  await expect(
    of.workspaces.release({ run: "r1", repo: of.repo, path: of.repo, keep: join(of.root, "kept") }),
  ).rejects.toThrow("nothing in it is removed");
  expect(everything(of)).toEqual(before);
  const mirror = mirrorOf(of.home, of.repo);
  expect(sh(mirror, of.env, ["rev-parse", `${made}^{tree}`])).toBe(tree);
  const kept = sh(mirror, of.env, ["ls-tree", "-r", "--name-only", tree]).split("\n");
  expect(kept).toContain("loose.txt");
  expect(kept.filter((name) => /\.log$|^changes/.test(name) && name !== "forced.log")).toEqual(
    kept.includes("x.log") ? ["x.log"] : [],
  );
});

type Change = (of: Site) => void;

test.for<[string, Change, "same" | "other"]>(
  sampled(4, [
    ["committing the work", (of) => void commit(of.repo, of.env, "mine"), "same"],
    ["staging it", (of) => void sh(of.repo, of.env, ["add", "-A"]), "same"],
    [
      "another branch with the same files",
      (of) => void sh(of.repo, of.env, ["switch", "-q", "-c", "other"]),
      "same",
    ],
    ["no branch at all", (of) => void sh(of.repo, of.env, ["switch", "-q", "--detach"]), "same"],
    ["refs in one file", (of) => void sh(of.repo, of.env, ["pack-refs", "--all"]), "same"],
    ["a branch without a commit", (of) => put(of.repo, { ".git/HEAD": "ref: refs/heads/new\n" }), "same"],
    ["a commit that is not there", (of) => put(of.repo, { ".git/HEAD": `${"1".repeat(40)}\n` }), "same"],
    ["a HEAD that says nothing", (of) => put(of.repo, { ".git/HEAD": "ref: refs/../x\n" }), "same"],
    ["an artifact", (of) => put(of.repo, { "changes/x/specs/auth.md": "# Auth\n" }), "same"],
    ["an artifact of another run", (of) => put(of.repo, { "changes/y/proposal.md": "# Other\n" }), "other"],
    ["a file", (of) => put(of.repo, { "a.txt": "more\n" }), "other"],
    ["a new file", (of) => put(of.repo, { "z.txt": "z\n" }), "other"],
    ["a file less", (of) => rmSync(join(of.repo, "b.txt")), "other"],
    ["what git ignores", (of) => put(of.repo, { "new.log": "x\n" }), "same"],
    ["what the person has git ignore here", (of) => put(of.repo, { "scratch/x": "x\n" }), "same"],
    [
      "what somebody has git ignore since",
      (of) => put(of.repo, { ".git/info/exclude": "scratch/\nhidden.txt\n", "hidden.txt": "x\n" }),
      "other",
    ],
  ]),
)("%s: the work is the %s", async ([, change, expected]) => {
  const of = site();
  put(of.repo, { "a.txt": "changed\n", "new.txt": "new\n", ".git/info/exclude": "scratch/\n" });
  await gitBranches(of).checkout(of.repo, []);
  const before = await of.workspaces.digest(of.repo, ARTIFACTS);
  change(of);
  const after = await of.workspaces.digest(of.repo, ARTIFACTS);
  expect(after === before ? "same" : "other").toBe(expected);
  expect(after).toMatch(/^[0-9a-f]{40}$/);
});

test("two checkouts of one name are looked at apart, and which artifacts are left out is each run's own", async () => {
  const of = site();
  const other = join(of.root, "elsewhere", basename(of.repo));
  execFileSync("git", ["clone", "-q", of.repo, other], { env: of.env });
  put(of.repo, { "changes/x/proposal.md": "x\n", "changes/y/proposal.md": "y\n" });
  put(other, { "other.txt": "x\n" });
  const branches = gitBranches(of);
  const seen = async (): Promise<string[]> => [
    await of.workspaces.digest(of.repo, ["changes/x/proposal.md"]),
    await of.workspaces.digest(of.repo, ["changes/y/proposal.md"]),
    await of.workspaces.digest(other, []),
  ];
  await branches.checkout(of.repo, []);
  await branches.checkout(other, []);
  const first = await seen();
  expect(new Set(first).size).toBe(3);
  expect(await seen()).toEqual(first);
  expect(readFileSync(join(of.repo, ".git/info/exclude"), "utf8")).not.toContain("changes");
});

test("files of the run that has the place are no part of the work for the runs of its tasks either, until another has it", async () => {
  const of = site();
  const branches = gitBranches(of);
  await branches.checkout(of.repo, ["changes/x/STATE.yaml", "changes/{run}/work/{run}.json"]);
  const task = ["changes/x/work/r2.json"];
  const before = await of.workspaces.digest(of.repo, task);
  put(of.repo, {
    "changes/x/STATE.yaml": "a: 1\n",
    "changes/x/work/r2.json": "{}",
    "changes/x/work/r3.json": "{}",
  });
  expect(await of.workspaces.digest(of.repo, task)).toBe(before);
  commit(of.repo, of.env, "all of it");
  expect(await of.workspaces.digest(of.repo, task)).toBe(before);
  await branches.checkout(of.repo, []);
  expect(await of.workspaces.digest(of.repo, task)).not.toBe(before);
});

test("the branch is the present one; a bare repository, or none, is refused", async () => {
  const of = site();
  const branches = gitBranches(of);
  expect(branches.branchAt(of.repo)).toBe("main");
  sh(of.repo, of.env, ["switch", "-q", "-c", "feature/x"]);
  expect([branches.branchAt(of.repo), await branches.checkout(of.repo, [])]).toEqual([
    "feature/x",
    { base: of.base },
  ]);
  sh(of.repo, of.env, ["switch", "-q", "--detach"]);
  expect(branches.branchAt(of.repo)).toBe("");
  const bare = join(of.root, "bare.git");
  execFileSync("git", ["clone", "-q", "--bare", of.repo, bare], { env: of.env });
  for (const path of [bare, of.root, join(of.root, "nowhere")])
    await expect(branches.checkout(path, [])).rejects.toMatchObject({ code: "no-checkout" });
  sh(of.repo, of.env, ["config", "core.bare", "true"]);
  await expect(branches.checkout(of.repo, [])).rejects.toMatchObject({ code: "no-checkout" });
});
