/** Submodules in a workspace: those that the user has initialised are there, and nothing else is fetched. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";

afterAll(removeSites, 60_000);

/** A library, with another one inside of it. */
function withSubmodules(of: Site): void {
  for (const name of ["inner", "library"]) {
    mkdirSync(join(of.root, name));
    sh(join(of.root, name), of.env, ["init", "-q"]);
    put(join(of.root, name), { [`${name}.txt`]: `${name}\n` });
    commit(join(of.root, name), of.env, name);
  }
  sh(join(of.root, "library"), of.env, ["submodule", "--quiet", "add", join(of.root, "inner"), "in/ner"]);
  commit(join(of.root, "library"), of.env, "with another");
  sh(of.repo, of.env, [
    "submodule",
    "--quiet",
    "add",
    "--name",
    "a lib",
    join(of.root, "library"),
    "deps/lib",
  ]);
  sh(of.repo, of.env, ["submodule", "--quiet", "update", "--init", "--recursive"]);
  commit(of.repo, of.env, "with submodules");
}

async function prepare(of: Site) {
  const wanted = { run: "r1", repo: of.repo, branch: "work", base: "HEAD", artifacts: [] };
  const { path, notes = [] } = await of.workspaces.prepare(wanted);
  const handOver = async () => {
    const tree = await of.workspaces.digest(path, []);
    const moment = { path, repo: of.repo, run: "r1", tree, artifacts: [], message: "handover" };
    return { tree, ...(await of.workspaces.snapshot(moment)) };
  };
  return { path, notes, handOver };
}

const text = (path: string, name: string): string => readFileSync(join(path, name), "utf8");

test("they are checked out, nested ones too, and borrow nothing from the user's repository", async () => {
  const of = site();
  withSubmodules(of);
  const { path, notes, handOver } = await prepare(of);
  expect(notes).toEqual([]);
  expect([text(path, "deps/lib/library.txt"), text(path, "deps/lib/in/ner/inner.txt")]).toEqual([
    "library\n",
    "inner\n",
  ]);
  const tree = sh(of.repo, of.env, ["rev-parse", "HEAD^{tree}"]);
  expect([await of.workspaces.digest(path, []), sh(path, of.env, ["status", "--porcelain"])]).toEqual([
    tree,
    "",
  ]);
  const status = () =>
    sh(path, of.env, ["submodule", "status", "--recursive"]).replaceAll(/[0-9a-f]{40}/g, "OID");
  expect(status()).toBe(" OID deps/lib (heads/main)\n OID deps/lib/in/ner (heads/main)");
  // The user's copies may go, and the agent's git goes on.
  rmSync(join(of.repo, ".git/modules"), { recursive: true });
  for (const name of ["inner", "library"]) rmSync(join(of.root, name), { recursive: true });
  sh(path, of.env, ["submodule", "--quiet", "update", "--recursive"]);
  for (const folder of ["", "deps/lib", "deps/lib/in/ner"])
    sh(join(path, folder), of.env, ["fsck", "--strict"]);
  // A judge has them as well.
  put(path, { "a.txt": "work\n" });
  const made = await handOver();
  const at = join(of.root, "judge");
  await of.workspaces.judge({ run: "r1", repo: of.repo, path, tree: made.tree, at, artifacts: [] });
  expect([text(at, "a.txt"), text(at, "deps/lib/in/ner/inner.txt")]).toEqual(["work\n", "inner\n"]);
  expect(sh(at, of.env, ["status", "--porcelain"])).toBe("");
  sh(mirrorOf(of.home, of.repo), of.env, ["fsck", "--strict"]);
});

/** What an agent does in a submodule, and what the refusal says; empty where the work can be delivered. */
test.for<[string, (path: string, of: Site) => void, string]>([
  ["nothing", () => undefined, ""],
  ["a commit", (path, { env }) => void commitIn(path, env), "which REPO does not have"],
  [
    "a commit that the user fetched",
    (path, { env, repo }) => {
      commitIn(path, env);
      sh(join(repo, "deps/lib"), env, ["fetch", "-q", join(path, "deps/lib"), "HEAD:refs/heads/fetched"]);
    },
    "",
  ],
  [
    "a changed file",
    (path) => put(path, { "deps/lib/library.txt": "changed\n" }),
    "submodule deps/lib are changed and in none of its commits: library.txt",
  ],
  [
    "a new file",
    (path) => put(path, { "deps/lib/new.txt": "new\n" }),
    "submodule deps/lib are changed and in none of its commits: new.txt",
  ],
  [
    "a file in a nested one",
    (path) => put(path, { "deps/lib/in/ner/inner.txt": "changed\n" }),
    "submodule deps/lib/in/ner are changed and in none of its commits: inner.txt",
  ],
  [
    "files where it was removed",
    (path) => {
      rmSync(join(path, "deps/lib"), { recursive: true });
      put(path, { "deps/lib/new.txt": "new\n" });
    },
    "submodule deps/lib are changed and in none of its commits: new.txt",
  ],
])(
  "the work can be delivered after %s in a submodule, or the reason says why not",
  async ([, act, reason]) => {
    const of = site();
    withSubmodules(of);
    const { path, handOver } = await prepare(of);
    act(path, of);
    const tree = await of.workspaces.digest(path, []);
    const judge = async (): Promise<readonly string[]> => {
      await of.workspaces.requireDeliverable({ path, repo: of.repo, run: "r1", tree });
      const made = await handOver();
      const at = join(of.root, "judge");
      return of.workspaces.judge({ run: "r1", repo: of.repo, path, tree: made.tree, at, artifacts: [] });
    };
    const refusal = {
      name: "UserError",
      code: "submodule-changed",
      message: expect.stringContaining(reason.replace("REPO", of.repo)) as string,
    };
    const outcome = await judge().catch((error: unknown) => error);
    expect(outcome).toMatchObject(reason === "" ? [] : refusal);
  },
);

function commitIn(path: string, env: Site["env"]): string {
  put(path, { "deps/lib/library.txt": "changed\n" });
  return commit(join(path, "deps/lib"), env, "inside");
}

test("a commit inside of one is not lost when the workspace is released, and a judge that lacks it is told", async () => {
  const of = site();
  withSubmodules(of);
  const { path, handOver } = await prepare(of);
  const inside = commitIn(path, of.env);
  const { tree } = await handOver();
  const at = join(of.root, "judge");
  const notes = await of.workspaces.judge({ run: "r1", repo: of.repo, path, tree, at, artifacts: [] });
  expect(notes).toEqual([
    "in the checkout of a judge, the submodule deps/lib is not initialised: its folder is empty",
  ]);
  const keep = join(of.root, "keep");
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep });
  expect(sh(join(keep, "workspace/.git/modules/a lib"), of.env, ["cat-file", "-t", inside])).toBe("commit");
});

test("one that the user has not initialised stays empty, and is named", async () => {
  const of = site();
  withSubmodules(of);
  rmSync(join(of.repo, ".git/modules"), { recursive: true });
  const { path, notes, handOver } = await prepare(of);
  expect(notes).toEqual(["the submodule deps/lib is not initialised: its folder is empty"]);
  expect(readdirSync(join(path, "deps/lib"))).toEqual([]);
  put(path, { "a.txt": "work\n" });
  await handOver();
  expect(sh(of.repo, of.env, ["diff", "--name-only", "main", "work"])).toBe("a.txt");
});

test("a name that leads elsewhere is not one", async () => {
  const of = site();
  withSubmodules(of);
  const modules = text(of.repo, ".gitmodules").replace("a lib", "../../evil");
  put(of.repo, { ".gitmodules": modules });
  sh(of.repo, of.env, ["commit", "-q", "-a", "-m", "evil"]);
  const { path, notes } = await prepare(of);
  expect([notes, readdirSync(join(path, "deps/lib")), existsSync(join(path, "../../evil"))]).toEqual([
    [],
    [],
    false,
  ]);
});

test("a commit of one that came later is fetched from the user's copy", async () => {
  const of = site();
  withSubmodules(of);
  await prepare(of);
  const own = join(of.repo, "deps/lib");
  put(own, { "library.txt": "later\n" });
  commit(own, of.env, "later");
  commit(of.repo, of.env, "a later submodule");
  const wanted = { run: "r2", repo: of.repo, branch: "work2", base: "HEAD", artifacts: [] };
  const { path, notes } = await of.workspaces.prepare(wanted);
  expect([notes, text(path, "deps/lib/library.txt")]).toEqual([undefined, "later\n"]);
});
