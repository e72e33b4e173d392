/** The mirror borrows nothing from the user's repository: whatever happens there, workspaces and handovers stay whole. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { repositoryOf } from "../../src/adapters/git/repository/repository.ts";
import { apart, canMount, commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const wanted = (of: Site, more: { repo?: string; base?: string; run?: string } = {}) => ({
  run: "r1",
  repo: of.repo,
  branch: "work",
  base: of.base,
  artifacts: ["TASK.md"],
  ...more,
});

async function handOver(of: Site, path: string, repo = of.repo) {
  const artifacts = ["TASK.md"];
  const tree = await of.workspaces.digest(path, artifacts);
  const made = await of.workspaces.snapshot({ path, repo, run: "r1", tree, artifacts, message: "handover" });
  return { tree, ...made };
}

type Act = (of: Site) => void;
const prune: Act = ({ repo, env }) => {
  sh(repo, env, ["reflog", "expire", "--expire=now", "--all"]);
  sh(repo, env, ["gc", "-q", "--prune=now"]);
};

test.for<[string, Act]>(
  sampled(3, [
    ["collects garbage", prune],
    ["deletes the run's branch", (of) => (sh(of.repo, of.env, ["branch", "-q", "-D", "work"]), prune(of))],
    [
      "deletes the base branch",
      (of) => {
        sh(of.repo, of.env, ["switch", "-q", "--orphan", "fresh"]);
        commit(of.repo, of.env, "fresh");
        sh(of.repo, of.env, ["branch", "-q", "-D", "main", "work"]);
        prune(of);
      },
    ],
    [
      "rewrites history",
      (of) => {
        put(of.repo, { "a.txt": "rewritten\n" });
        sh(of.repo, of.env, ["commit", "-q", "-a", "--amend", "-m", "rewritten"]);
        sh(of.repo, of.env, ["branch", "-q", "-D", "work"]);
        prune(of);
      },
    ],
    [
      "replaces the repository by another",
      (of) => {
        rmSync(join(of.repo, ".git"), { recursive: true });
        sh(of.repo, of.env, ["init", "-q"]);
        commit(of.repo, of.env, "another");
      },
    ],
  ]),
)("a person %s while a run waits: nothing is lost", async ([, act]) => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  put(path, { "a.txt": "1\n" });
  const own = commit(path, of.env, "the agent's own");
  put(path, { "b.txt": "2\n" });
  const first = await handOver(of, path);
  act(of);
  const mirror = mirrorOf(of.home, of.repo);
  for (const folder of [path, mirror]) sh(folder, of.env, ["fsck", "--strict"]);
  expect(await handOver(of, path)).toMatchObject({ tree: first.tree, commit: first.commit });
  put(path, { "c.txt": "3\n" });
  const second = await handOver(of, path);
  expect(sh(mirror, of.env, ["rev-parse", `${second.commit}^`, `${second.commit}~2`])).toBe(
    `${first.commit}\n${own}`,
  );
  expect([second.notes, sh(of.repo, of.env, ["rev-parse", "work"])]).toEqual([[], second.commit]);
  sh(of.repo, of.env, ["fsck", "--strict"]);
  // Also where the workspace is gone as well.
  rmSync(path, { recursive: true });
  await of.workspaces.prepare(wanted(of));
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe("## work");
  expect(readFileSync(join(path, "c.txt"), "utf8")).toBe("3\n");
  for (const folder of [path, mirror]) sh(folder, of.env, ["fsck", "--strict"]);
});

/** Another repository than the site's own, and where work begins in it. */
type Source = (of: Site) => { readonly repo: string; readonly base: string };
const source = (of: Site, repo: string, rev = "HEAD") => ({
  repo,
  base: sh(repo, of.env, ["rev-parse", rev]),
});

function cloned(of: Site, ...args: readonly string[]): string {
  put(of.repo, { "a.txt": "second\n" });
  commit(of.repo, of.env, "second");
  sh(of.root, of.env, ["clone", "-q", ...args, `file://${of.repo}`, "source"]);
  return join(of.root, "source");
}

test.for<[string, Source]>(
  sampled(5, [
    ["a shallow one", (of) => source(of, cloned(of, "--depth=1"))],
    [
      "one with alternates that go away",
      (of) => {
        const repo = join(of.root, "source");
        sh(of.root, of.env, ["clone", "-q", "--shared", of.repo, repo]);
        return source(of, repo);
      },
    ],
    [
      "one where HEAD is a commit that no branch has",
      (of) => {
        sh(of.repo, of.env, ["switch", "-q", "--detach"]);
        put(of.repo, { "a.txt": "detached\n" });
        commit(of.repo, of.env, "detached");
        return source(of, of.repo);
      },
    ],
    [
      "a linked worktree where HEAD is a commit that no branch has",
      (of) => {
        const tree = join(of.root, "linked");
        sh(of.repo, of.env, ["worktree", "add", "-q", "--detach", tree]);
        put(tree, { "a.txt": "in the linked one\n" });
        return { repo: of.repo, base: commit(tree, of.env, "linked") };
      },
    ],
    [
      "one where a branch became a folder of branches",
      (of) => {
        sh(of.repo, of.env, ["branch", "-q", "-m", "topic", "topic2"]);
        sh(of.repo, of.env, ["branch", "-q", "topic/sub"]);
        return source(of, of.repo);
      },
    ],
    [
      "one with annotated and odd tags",
      (of) => {
        sh(of.repo, of.env, ["tag", "-a", "-m", "x", "v1"]);
        sh(of.repo, of.env, ["tag", "tree", "HEAD^{tree}"]);
        return source(of, of.repo);
      },
    ],
    [
      "one of a person with settings of their own",
      (of) => {
        const settings =
          "[clone]\ndefaultRemoteName = up\n[protocol]\nversion = 0\n[transfer]\nfsckObjects = true\n";
        const more =
          "[init]\ndefaultRefFormat = reftable\ntemplateDir = /nowhere\n[fetch]\nall = true\nprune = true\n";
        appendFileSync(join(of.root, "user/.gitconfig"), settings + more);
        sh(of.repo, of.env, ["switch", "-q", "--detach"]);
        return { repo: of.repo, base: commit(of.repo, of.env, "detached") };
      },
    ],
  ]),
)("from %s", async ([, make]) => {
  const of = site();
  sh(of.repo, of.env, ["branch", "topic"]);
  // There is a mirror already: what is new is fetched.
  await of.workspaces.prepare(wanted(of, { run: "r0" }));
  sh(of.repo, of.env, ["branch", "-q", "-D", "work"]);
  const { repo, base } = make(of);
  const { path } = await of.workspaces.prepare(wanted(of, { repo, base }));
  expect(sh(path, of.env, ["rev-parse", "HEAD"])).toBe(base);
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe("## work");
  put(path, { "b.txt": "work\n" });
  const own = commit(path, of.env, "the agent's own");
  put(path, { "b.txt": "more\n" });
  const { commit: made, notes } = await handOver(of, path, repo);
  expect([notes, sh(repo, of.env, ["rev-parse", "work", "work^", "work~2"])]).toEqual([
    [],
    `${made}\n${own}\n${base}`,
  ]);
  const at = join(of.root, "judge");
  const tree = sh(repo, of.env, ["rev-parse", "work^{tree}"]);
  await of.workspaces.judge({ run: "r1", repo: of.repo, path, tree, at, artifacts: [] });
  expect(sh(at, of.env, ["log", "--format=%H"])).toContain(`${made}\n${own}\n${base}`);
  if (repo !== of.repo) rmSync(of.repo, { recursive: true });
  for (const folder of [path, mirrorOf(of.home, repo)]) sh(folder, of.env, ["fsck", "--strict"]);
  expect(existsSync(join(mirrorOf(of.home, repo), "objects/info/alternates"))).toBe(false);
});

test("a partial clone is refused in one sentence", async () => {
  const of = site();
  sh(of.repo, of.env, ["config", "uploadpack.allowFilter", "true"]);
  const { repo, base } = source(of, cloned(of, "--filter=blob:none", "--no-checkout"));
  await expect(of.workspaces.prepare(wanted(of, { repo, base }))).rejects.toMatchObject({
    name: "UserError",
    code: "partial-clone",
    message: `${repo} is a partial clone: objects that agents need are missing in it.`,
  });
  expect(existsSync(mirrorOf(of.home, repo))).toBe(false);
  // What it says helps.
  sh(repo, of.env, ["fetch", "-q", "--refetch", "--no-filter"]);
  expect(await of.workspaces.prepare(wanted(of, { repo, base }))).toMatchObject({ base });
});

test("a repository with a branch that names nothing is refused in one sentence", async () => {
  const of = site();
  await of.workspaces.prepare(wanted(of, { run: "r0" }));
  const oid = "1".repeat(40);
  put(of.repo, { ".git/refs/heads/broken": `${oid}\n` });
  await expect(of.workspaces.prepare({ ...wanted(of), branch: "other" })).rejects.toMatchObject({
    name: "UserError",
    code: "no-mirror",
    // Two processes of git report it, in any order.
    message: expect.stringMatching(
      `^The engine's copy of .+ cannot be brought up to date: .*not our ref ${oid}`,
    ) as string,
    next: `git -C '${of.repo}' fsck`,
  });
});

test("a repository that was moved is refused, and the work stays", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  put(path, { "a.txt": "1\n" });
  renameSync(of.repo, join(of.root, "moved"));
  await expect(of.workspaces.prepare(wanted(of, { run: "r2" }))).rejects.toMatchObject({
    code: "no-repository",
  });
  const { commit: made, notes } = await handOver(of, path);
  expect(notes.join()).toMatch(/There is no git repository at .+ any more/);
  renameSync(join(of.root, "moved"), of.repo);
  expect(await handOver(of, path)).toMatchObject({ commit: made, notes: [] });
  expect(sh(of.repo, of.env, ["rev-parse", "work"])).toBe(made);
});

test.runIf(canMount)(
  "a repository on a read-only disk: refused with the reason, or handed over without the branch",
  async () => {
    const of = site();
    const mount = `mount --bind '${of.repo}' '${of.repo}' && mount -o remount,bind,ro '${of.repo}'`;
    const refused = await apart(of, { do: "prepare", with: wanted(of), mount });
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`${of.repo}/.git is not writable, so the branch work cannot be created.`),
    ]);
    const { path } = await of.workspaces.prepare(wanted(of));
    put(path, { "a.txt": "1\n" });
    const tree = await of.workspaces.digest(path, ["TASK.md"]);
    const moment = { path, repo: of.repo, run: "r1", tree, artifacts: ["TASK.md"], message: "handover" };
    const { code, out } = await apart(of, { do: "snapshot", with: moment, mount });
    const { commit: made, notes } = JSON.parse(out) as { commit: string; notes: string[] };
    const why = `${of.repo}/.git is not writable`;
    expect([code, notes]).toEqual([
      0,
      [`the branch work is not updated: ${why}; the work is kept: signalbox salvage show r1`],
    ]);
    expect(sh(of.repo, of.env, ["rev-parse", "work"])).toBe(of.base);
    expect(await of.workspaces.snapshot(moment)).toEqual({ commit: made, notes: [] });
  },
);

test.runIf(canMount)("a state home on another disk than the repository", async () => {
  const of = site();
  put(of.root, { "state/x": "" });
  const mount = `mount -t tmpfs none '${of.home.root}'`;
  const { code, err } = await apart(of, { do: "prepare", with: wanted(of), mount });
  expect([code, err]).toEqual([0, ""]);
  expect(sh(of.repo, of.env, ["rev-parse", "work"])).toBe(of.base);
});

test.runIf(canMount)(
  "a full disk during a handover: it says so, and it works when there is room again",
  async () => {
    const of = site();
    const { path } = await of.workspaces.prepare(wanted(of));
    put(path, { "a.txt": "1\n", large: Buffer.alloc(300_000, 7) });
    const tree = await of.workspaces.digest(path, ["TASK.md"]);
    const moment = { path, repo: of.repo, run: "r1", tree, artifacts: ["TASK.md"], message: "handover" };
    const { mirrors } = of.home;
    const mount = `cp -a '${mirrors}' '${of.root}/copy' && mount -t tmpfs -o size=1m none '${mirrors}' && cp -a '${of.root}/copy/.' '${mirrors}' && cat /dev/zero >'${mirrors}/fill' 2>/dev/null || true`;
    const full = await apart(of, { do: "snapshot", with: moment, mount });
    expect([full.code, full.err]).toEqual([1, expect.stringContaining("no room is left on the disk of")]);
    const { commit: made, notes } = await of.workspaces.snapshot(moment);
    expect([notes, sh(of.repo, of.env, ["rev-parse", "work"])]).toEqual([[], made]);
  },
);

test("16 workspaces at once, from several processes and from one", { timeout: 120_000 }, async () => {
  const of = site();
  const runs = Array.from({ length: 16 }, (_, index) => `p${index}`);
  const each = (run: string) => ({ ...wanted(of), run, branch: run });
  const results = await Promise.all(
    runs.map((run, index) =>
      index % 4 === 0 ? apart(of, { do: "prepare", with: each(run) }) : of.workspaces.prepare(each(run)),
    ),
  );
  expect(results.flatMap((result) => ("err" in result && result.code !== 0 ? [result.err] : []))).toEqual([]);
  for (const run of runs)
    expect(sh(join(of.home.workspaces, run), of.env, ["status", "--porcelain", "-b"])).toBe(`## ${run}`);
});

test("a linked worktree leads to the main one", async () => {
  const of = site();
  const tree = join(of.root, "linked");
  sh(of.repo, of.env, ["worktree", "add", "-q", "-b", "side", tree]);
  expect(await repositoryOf(tree, of.env)).toEqual({ path: of.repo, branch: "side", head: of.base });
  // A branch that is checked out there is the person's.
  await expect(of.workspaces.prepare({ ...wanted(of), branch: "side" })).rejects.toMatchObject({
    code: "branch-in-use",
    message: expect.stringContaining(tree) as string,
  });
});

test("the user's git is not slowed down, and finds nothing of ours but the branch", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare(wanted(of));
  for (const text of ["1", "2", "3"]) {
    put(path, { "a.txt": `${text}\n` });
    if (text === "2") commit(path, of.env, "the agent's own");
    await handOver(of, path);
  }
  expect(sh(of.repo, of.env, ["for-each-ref", "--format=%(refname)"])).toBe(
    "refs/heads/main\nrefs/heads/work",
  );
  expect(sh(of.repo, of.env, ["worktree", "list"]).split("\n")).toHaveLength(1);
  expect(sh(of.repo, of.env, ["count-objects", "-v"])).toContain("packs: 0");
  const found = spawnSync("grep", ["-rIl", "signalbox", join(of.repo, ".git")], { encoding: "utf8" });
  expect(
    found.stdout.split("\n").filter((file) => file !== "" && !file.includes("/logs/refs/heads/work")),
  ).toEqual([]);
});
