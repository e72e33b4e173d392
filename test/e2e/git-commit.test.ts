/** The work of a run is committed by us: exactly what was looked at, once, and nothing else is touched. */
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { completionBy } from "../../src/adapters/gh/completion.ts";
import { withTrailer } from "../../src/adapters/git/snapshot/work-commit.ts";
import { apart, commit, mainCheckout, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const ARTIFACTS = ["TASK.md", ".agents/tmp/{slot}.json", "status.json"];

type Work = {
  readonly of: Site;
  readonly path: string;
  readonly committing: {
    readonly run: string;
    readonly repo: string;
    readonly path: string;
    readonly tree: string;
    readonly artifacts: readonly string[];
    readonly exclude: string;
    readonly message: string;
  };
};

/** A workspace with work in it that was looked at. */
async function worked(
  change: (path: string, of: Site) => void = () => undefined,
  exclude = "",
): Promise<Work> {
  const of = site();
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "work",
    base: of.base,
    artifacts: ARTIFACTS,
  });
  put(path, {
    "a.txt": "changed\n",
    "new/file.txt": "new\n",
    "debug.log": "ignored\n",
    "TASK.md": "an artifact\n",
    ".agents/tmp/one.json": "{}\n",
    "status.json": "{}\n",
  });
  rmSync(join(path, "b.txt"));
  change(path, of);
  const tree = await of.workspaces.digest(path, ARTIFACTS);
  const committing = {
    run: "r1",
    repo: of.repo,
    path,
    tree,
    artifacts: ARTIFACTS,
    exclude,
    message: "Do it\n\nAll of it.",
  };
  return { of, path, committing };
}

/** The branch in the user's repository: the engine does not touch the clone. */
const changes = ({ of }: Work): string =>
  sh(of.repo, of.env, ["show", "--format=", "--name-status", "--no-renames", "work"]).replaceAll("\t", " ");
const count = ({ of }: Work): string => sh(of.repo, of.env, ["rev-list", "--count", "work"]);
const clone = ({ of, path }: Work): string =>
  sh(path, of.env, ["status", "--porcelain", "-b"]) + sh(path, of.env, ["rev-parse", "HEAD"]);

test("all that changed, by the person's name, with a trailer; nobody else notices", async () => {
  const work = await worked((path) => {
    symlinkSync("a.txt", join(path, "link"));
    put(path, { "run.sh": "echo\n", "-dash": "d\n", "naïve name": "n\n" });
    chmodSync(join(path, "run.sh"), 0o755);
  });
  const { of, path, committing } = work;
  put(of.repo, {
    ".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n",
    ".git/hooks/reference-transaction": "#!/bin/sh\nexit 1\n",
  });
  for (const hook of ["pre-commit", "reference-transaction"])
    chmodSync(join(of.repo, ".git/hooks", hook), 0o755);
  put(of.repo, { "mine.txt": "nobody's business\n" });
  sh(of.repo, { ...of.env, GIT_CONFIG_COUNT: "0" }, ["-c", "core.hooksPath=/dev/null", "add", "mine.txt"]);
  const before = [mainCheckout(of), clone(work)];
  const made = await completionBy(of).commit(committing);
  expect(made).toEqual({ commit: sh(of.repo, of.env, ["rev-parse", "work"]), made: true });
  expect(changes(work)).toBe(
    ["A -dash", "M a.txt", "D b.txt", "A link", 'A "na\\303\\257ve name"', "A new/file.txt", "A run.sh"].join(
      "\n",
    ),
  );
  expect(sh(of.repo, of.env, ["show", "-s", "--format=%an <%ae>|%cn|%P|%B", "work"])).toBe(
    `A <a@example.com>|A|${of.base}|Do it\n\nAll of it.\n\nSignalbox-Run: r1`,
  );
  expect(sh(of.repo, of.env, ["ls-tree", "work", "run.sh", "link"]).replaceAll(/ blob \w+/g, "")).toBe(
    "120000\tlink\n100755\trun.sh",
  );
  expect(sh(of.repo, of.env, ["rev-parse", "work^{tree}"])).toBe(committing.tree);
  expect([mainCheckout(of), clone(work)]).toEqual(before);
  expect(await of.workspaces.digest(path, ARTIFACTS)).toBe(committing.tree);
  expect(await completionBy(of).commit(committing)).toEqual(made);
  expect(count(work)).toBe("2");
  sh(of.repo, of.env, ["fsck", "--strict"]);
});

test("handovers before it do not show in the branch; commits of the agent do", async () => {
  const work = await worked();
  const { of, path, committing } = work;
  const handOver = async (): Promise<string> => {
    const tree = await of.workspaces.digest(path, ARTIFACTS);
    const message = "gate\n\nSignalbox-Run: r1";
    await of.workspaces.snapshot({ path, repo: of.repo, run: "r1", tree, artifacts: ARTIFACTS, message });
    return tree;
  };
  await handOver();
  put(path, { "a.txt": "again\n" });
  expect(await completionBy(of).commit({ ...committing, tree: await handOver() })).toMatchObject({
    made: true,
  });
  const said = sh(of.repo, of.env, ["show", "-s", "--format=%s", "work"]);
  expect([count(work), said]).toEqual(["2", "Do it"]);
  const own = commit(path, of.env, "the agent's own");
  put(path, { "a.txt": "and again\n" });
  expect(await completionBy(of).commit({ ...committing, tree: await handOver() })).toMatchObject({
    made: true,
  });
  expect([count(work), sh(of.repo, of.env, ["rev-parse", "work^"])]).toEqual(["3", own]);
});

const FAILPOINTS = ["commit.before-ref", "publish.before-ref", "publish.after-ref", "commit.after-ref"];

test.for(sampled(2, FAILPOINTS))("killed at %s and done again: there is one commit", async (place) => {
  const work = await worked();
  const { of, committing } = work;
  expect(await apart(of, { do: "commit", with: committing }, place)).toMatchObject({ signal: "SIGKILL" });
  expect(await completionBy(of).commit(committing)).toMatchObject({ made: true });
  expect(count(work)).toBe("2");
  expect(changes(work)).toBe("M a.txt\nD b.txt\nA new/file.txt");
});

test.for<[string, string, string]>(
  sampled(3, [
    ["nothing", "", "M a.txt\nD b.txt\nA docs/one.md\nA docs/two.md\nA new/file.txt\nM secret.txt"],
    ["a folder", "docs/", "M a.txt\nD b.txt\nA new/file.txt\nM secret.txt"],
    ["everything below", "docs/**\nnew/**", "M a.txt\nD b.txt\nM secret.txt"],
    [
      "all but one, a comment, a name in any folder",
      "# notes\n*.md\n!two.md\nfile.txt",
      "M a.txt\nD b.txt\nA docs/two.md\nM secret.txt",
    ],
    [
      "what the base has stays as it was, also what was removed; what an agent committed does not",
      "/secret.txt\nb.txt",
      "M a.txt\nA docs/one.md\nA docs/two.md\nA new/file.txt\nD secret.txt",
    ],
  ]),
)("left out: %s", async ([, exclude, expected]) => {
  const of = await worked((path, { env }) => {
    put(path, { "secret.txt": "old\n" });
    sh(path, env, ["add", "secret.txt"]);
    sh(path, env, ["commit", "-qm", "one", "secret.txt"]);
    put(path, { "secret.txt": "new\n", "docs/one.md": "1\n", "docs/two.md": "2\n" });
  }, exclude);
  expect(await completionBy(of.of).commit(of.committing)).toMatchObject({ made: true });
  expect(changes(of)).toBe(expected);
  // Done again, it finds the same; what was left out is still there.
  expect(await completionBy(of.of).commit(of.committing)).toMatchObject({ made: true });
  expect(count(of)).toBe("3");
});

test("an artifact that an agent committed is not delivered", async () => {
  const work = await worked((path, { env }) => {
    sh(path, env, ["add", "-f", "TASK.md"]);
    sh(path, env, ["commit", "-qm", "an artifact", "TASK.md"]);
    put(path, { "TASK.md": "changed since\n" });
  });
  await completionBy(work.of).commit(work.committing);
  expect(changes(work)).toBe("D TASK.md\nM a.txt\nD b.txt\nA new/file.txt");
});

test("nothing to commit is no error, and no commit", async () => {
  const work = await worked((path, { env }) => void commit(path, env, "all of it, by somebody"));
  const tip = sh(work.path, work.of.env, ["rev-parse", "HEAD"]);
  expect(await completionBy(work.of).commit(work.committing)).toMatchObject({ commit: tip, made: false });
  // What is left out stays as the base has it, also where an agent committed it.
  expect(await completionBy(work.of).commit({ ...work.committing, exclude: "*" })).toMatchObject({
    made: true,
  });
  const [base, delivered] = [work.of.base, "work"].map((name) =>
    sh(work.of.repo, work.of.env, ["rev-parse", `${name}^{tree}`]),
  );
  expect(delivered).toBe(base);
});

test.for<[string, (work: Work) => void, string]>(
  sampled(3, [
    ["a file has changed", ({ path }) => put(path, { "a.txt": "changed again\n" }), "work-changed"],
    ["a file is new", ({ path }) => put(path, { "late.txt": "late\n" }), "work-changed"],
    ["nobody's name is known", ({ of: { root } }) => rmSync(join(root, "user/.gitconfig")), "no-author"],
    [
      "a person has the branch checked out",
      ({ of: { repo, env } }) => sh(repo, env, ["switch", "-q", "work"]),
      "branch-in-use",
    ],
    [
      "a person has committed to the branch",
      ({ of: { repo, env } }) => (
        sh(repo, env, ["switch", "-q", "work"]),
        sh(repo, env, ["commit", "-q", "--allow-empty", "-m", "mine"]),
        sh(repo, env, ["switch", "-q", "main"])
      ),
      "branch-in-use",
    ],
  ]),
)("refused, and the branch stays as it is: %s", async ([, change, code]) => {
  const work = await worked();
  change(work);
  const tip = () => sh(work.of.repo, { ...work.of.env, HOME: "/" }, ["rev-parse", "work"]);
  const before = tip();
  await expect(completionBy(work.of).commit(work.committing)).rejects.toMatchObject({ code });
  expect(tip()).toBe(before);
});

test.for<[string, (work: Work) => void]>([
  ["a part of it was committed", ({ path, of: { env } }) => sh(path, env, ["commit", "-qm", "x", "a.txt"])],
  ["the clone is on another branch", ({ path, of: { env } }) => sh(path, env, ["switch", "-qc", "other"])],
  [
    "a merge is under way in the clone",
    ({ path, of: { env } }) => {
      const tree = sh(path, env, ["rev-parse", "HEAD^{tree}"]);
      const other = sh(path, env, ["commit-tree", "-p", "HEAD", "-m", "other", tree]);
      sh(path, env, ["stash", "-q", "-u"]);
      sh(path, env, ["merge", "-q", "--no-ff", "--no-commit", other]);
      sh(path, env, ["stash", "pop", "-q"]);
    },
  ],
])("the content counts: %s", async ([, change]) => {
  const work = await worked();
  change(work);
  expect(await completionBy(work.of).commit(work.committing)).toMatchObject({ made: true });
  expect(sh(work.of.repo, work.of.env, ["rev-parse", "work^{tree}"])).toBe(work.committing.tree);
});

test.for<[what: string, exclude: string, has: boolean, said: object]>(
  sampled(1, [
    ["a repository in it", "", true, { code: "nested-repository" }],
    ["one without a commit", "", false, { code: "nested-repository" }],
    ["one that is left out", "/sub/", true, { made: true }],
  ]),
)("%s: what nobody could look into is not committed", async ([, exclude, has, said]) => {
  const work = await worked((path, { env }) => {
    put(path, { "sub/deep/hidden.txt": "unseen\n" });
    sh(join(path, "sub"), env, ["init", "-q"]);
    if (has) commit(join(path, "sub"), env, "inside");
  }, exclude);
  const done = completionBy(work.of).commit(work.committing);
  expect(await done.catch((error: unknown) => error)).toMatchObject(said);
});

test("a submodule that the branch has is no stranger", async () => {
  const work = await worked((path, { env }) => {
    put(path, { "sub/a.txt": "inside\n" });
    sh(join(path, "sub"), env, ["init", "-q"]);
    commit(join(path, "sub"), env, "inside");
    sh(path, env, ["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    sh(path, env, ["commit", "-qm", "a submodule", "sub"]);
  });
  expect(await completionBy(work.of).commit(work.committing)).toMatchObject({ made: true });
});

test.for<[string, string]>([
  ["One line", "One line\n\nT: r\n"],
  ["One\r\n\r\ntwo  \r\n", "One\n\ntwo\n\nT: r\n"],
  ["One\n\nCo-authored-by: B <b@x>", "One\n\nCo-authored-by: B <b@x>\nT: r\n"],
  ["Fix: one", "Fix: one\n\nT: r\n"],
  ["# no comment\n\n-- \u001B[31mred\u0000", "# no comment\n\n-- [31mred\uFFFD\n\nT: r\n"],
  ["One\n\nT: other\nCo-authored-by: B <b@x>\nt : other", "One\n\nCo-authored-by: B <b@x>\nT: r\n"],
  ["One\n\n\u0001T: other\n\ntwo", "One\n\n\ntwo\n\nT: r\n"],
  ["T: other", "T: r\n"],
])("a message %j", ([message, whole]) => {
  expect(withTrailer(message, "T: r")).toBe(whole);
});
