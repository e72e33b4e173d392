/** A branch becomes a pull request by way of gh: once, with harmless texts, or with a reason why not. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { repositoryNamed } from "../../src/adapters/gh/pull-request.ts";
import { completionBy } from "../../src/adapters/gh/completion.ts";
import { ghCalls, makeGh, pullRequests, putPullRequests, setMood } from "../support/gh.ts";
import { apart, mainCheckout, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites, 60_000);

const REMOTE = "https://forge.example/o/n.git";
const URL = "https://forge.example/o/n/pull/1";

type Wish = Parameters<ReturnType<typeof completionBy>["open"]>[0];
type Scene = {
  readonly of: Site;
  readonly user: string;
  readonly bare: string;
  readonly tip: string;
  readonly wish: Wish;
};

/** A branch with a commit, a remote on disk that the person's git takes for that address, and a gh. */
async function scene(more: Partial<Wish> = {}): Promise<Scene> {
  const plain = site();
  const user = join(plain.root, "user");
  const bin = join(plain.root, "bin");
  makeGh(bin, user);
  const env = {
    ...plain.env,
    PATH: `${bin}:${plain.env["PATH"] ?? ""}`,
    SIGNALBOX_TOKEN: "secret",
    GIT_DIR: "/nowhere",
    GH_TOKEN: "theirs",
  };
  const of = { ...plain, env };
  const bare = join(user, "gh/remote.git");
  sh(plain.repo, plain.env, ["clone", "-q", "--bare", plain.repo, bare]);
  sh(plain.root, plain.env, ["config", "--global", `url.${bare}.insteadOf`, REMOTE]);
  const { path } = await plain.workspaces.prepare({
    run: "r1",
    repo: plain.repo,
    branch: "work",
    base: plain.base,
    artifacts: [],
  });
  put(path, { "a.txt": "changed\n" });
  const tree = await plain.workspaces.digest(path, []);
  const work = { run: "r1", repo: plain.repo, path, tree, artifacts: [], message: "work" };
  const { commit: tip } = await plain.workspaces.snapshot(work);
  const wish = {
    run: "r1",
    repo: plain.repo,
    branch: "work",
    tree,
    remote: REMOTE,
    base: "main",
    title: "Do it",
    body: "All of it.\n",
    ...more,
  };
  return { of, user, bare, tip, wish };
}

const remoteTip = ({ bare, of }: Scene): string =>
  sh(bare, { PATH: of.env["PATH"] ?? "" }, ["for-each-ref", "--format=%(objectname)", "refs/heads/work"]);
const creates = ({ user }: Scene): number => ghCalls(user).filter(({ argv }) => argv[1] === "create").length;

test("pushed and opened, once; with the person's variables and none of ours", async () => {
  const on = await scene();
  const before = mainCheckout({ ...on.of, env: { PATH: on.of.env["PATH"] ?? "", HOME: on.user } });
  const opened = await completionBy(on.of).open(on.wish);
  expect(opened).toEqual({ type: "opened", url: URL, commit: on.tip });
  expect(remoteTip(on)).toBe(on.tip);
  expect(pullRequests(on.user)).toMatchObject([
    { title: "Do it", body: "All of it.\n", headRefName: "work", baseRefName: "main", headRefOid: on.tip },
  ]);
  const [first] = ghCalls(on.user);
  expect(first?.env).toEqual({
    GH_TOKEN: "theirs",
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
    GIT_TERMINAL_PROMPT: "0",
    NO_COLOR: "1",
  });
  // In a folder of ours, of which nothing is left.
  expect(first?.isTty).toBe(false);
  expect(first?.cwd).toContain(join(on.of.root, "state/tmp/"));
  expect(existsSync(first?.cwd ?? "")).toBe(false);
  expect(await completionBy(on.of).open(on.wish)).toEqual(opened);
  expect(creates(on)).toBe(1);
  expect(mainCheckout({ ...on.of, env: { PATH: on.of.env["PATH"] ?? "", HOME: on.user } })).toBe(before);
});

test.for(sampled(2, ["before-push", "after-push", "before-create", "after-create"]))(
  "killed at pull-request.%s and done again: there is one",
  async (place) => {
    const on = await scene();
    expect(await apart(on.of, { do: "open", with: on.wish }, `pull-request.${place}`)).toMatchObject({
      signal: "SIGKILL",
    });
    expect(await completionBy(on.of).open(on.wish)).toEqual({ type: "opened", url: URL, commit: on.tip });
    expect(pullRequests(on.user)).toHaveLength(1);
    expect(remoteTip(on)).toBe(on.tip);
  },
);

test.for<[string, Partial<Wish>, (on: Scene) => void, string]>(
  sampled(4, [
    ["no remote", { remote: "" }, () => undefined, "the project has no remote"],
    ["a folder", { remote: "/srv/n.git" }, () => undefined, "is not an address of a repository that gh can"],
    [
      "an address with a password",
      { remote: "ftp://a:b@forge.example/o" },
      () => undefined,
      "ftp://forge.example/o is not an address",
    ],
    ["not logged in", {}, ({ user }) => setMood(user, "logged-out"), "gh is not logged in: gh auth login"],
    [
      "a token that is none",
      {},
      ({ user }) => setMood(user, "bad-token"),
      "gh is not logged in: gh auth login",
    ],
    [
      "no such repository",
      {},
      ({ user }) => setMood(user, "gone"),
      "gh: GraphQL: Could not resolve to a Repository",
    ],
    ["nothing new", { base: "work" }, () => undefined, "work has nothing that work does not have"],
    [
      "all of it is merged",
      {},
      ({ of, user, tip }) =>
        sh(of.repo, { PATH: of.env["PATH"] ?? "", HOME: user }, ["update-ref", "refs/heads/main", tip]),
      "work has nothing that main does not have",
    ],
    [
      "the branch is another one there",
      {},
      ({ bare, of, user }) =>
        sh(bare, { PATH: of.env["PATH"] ?? "", HOME: user }, [
          "update-ref",
          "refs/heads/work",
          sh(bare, { PATH: of.env["PATH"] ?? "", HOME: user }, ["commit-tree", "-m", "x", "main^{tree}"]),
        ]),
      "work could not be pushed to https://forge.example/o/n.git: ! ",
    ],
  ]),
)("refused with a reason: %s", async ([, more, change, reason]) => {
  const on = await scene(more);
  change(on);
  const answer = await completionBy(on.of).open(on.wish);
  expect(answer.type).toBe("refused");
  expect("reason" in answer ? answer.reason : "").toContain(reason);
  expect(pullRequests(on.user)).toEqual([]);
});

test("refused with a reason: there is no gh anywhere", async () => {
  const on = await scene();
  const bin = join(on.of.root, "few");
  mkdirSync(bin);
  symlinkSync(execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim(), join(bin, "git"));
  const few = { ...on.of, env: { ...on.of.env, PATH: bin } };
  expect(await completionBy(few).open(on.wish)).toEqual({
    type: "refused",
    reason: "gh is not installed, and it is what opens pull requests",
  });
});

test("what may be over soon is thrown, and a second try goes on", async () => {
  const on = await scene();
  setMood(on.user, "offline");
  await expect(completionBy(on.of).open(on.wish)).rejects.toThrow("gh: error connecting to api.github.com");
  setMood(on.user, "");
  const config = readFileSync(join(on.user, ".gitconfig"), "utf8");
  // Nobody answers at the other end.
  const away = config.replace(on.bare, "ssh://away.example/").concat("[core]\nsshCommand = false\n");
  put(on.user, { ".gitconfig": away });
  await expect(completionBy(on.of).open(on.wish)).rejects.toThrow(
    /^work could not be pushed to .*: fatal: Could not read from remote/,
  );
  expect(creates(on)).toBe(0);
  put(on.user, { ".gitconfig": config });
  expect(await completionBy(on.of).open(on.wish)).toMatchObject({ type: "opened" });
});

test.for<[string, (tip: string) => readonly object[], string, number]>(
  sampled(2, [
    ["one is open", () => [{ url: "u1", state: "OPEN", headRefName: "work", headRefOid: "old" }], "u1", 0],
    [
      "one of this commit was merged",
      (tip: string) => [{ url: "u1", state: "MERGED", headRefName: "work", headRefOid: tip }],
      "u1",
      0,
    ],
    [
      "one of an older commit was closed",
      () => [{ url: "u1", state: "CLOSED", headRefName: "work", headRefOid: "old" }],
      "https://forge.example/o/n/pull/2",
      1,
    ],
    [
      "one of a fork has the same name",
      () => [{ url: "u1", state: "OPEN", headRefName: "work", isCrossRepository: true }],
      "https://forge.example/o/n/pull/2",
      1,
    ],
  ]),
)("there is one already: %s", async ([, all, url, made]) => {
  const on = await scene();
  putPullRequests(on.user, all(on.tip));
  expect(await completionBy(on.of).open(on.wish)).toEqual({ type: "opened", url, commit: on.tip });
  expect(creates(on)).toBe(made);
  expect(remoteTip(on)).toBe(on.tip);
});

test("it says nothing when it has opened one: it is looked for", async () => {
  const on = await scene();
  setMood(on.user, "silent");
  expect(await completionBy(on.of).open(on.wish)).toEqual({ type: "opened", url: URL, commit: on.tip });
});

test("what passed the gate is pushed, whatever the branch has by now", async () => {
  const on = await scene();
  const env = { PATH: on.of.env["PATH"] ?? "", HOME: on.user };
  const later = sh(on.of.repo, env, ["commit-tree", "-p", on.tip, "-m", "later", "main^{tree}"]);
  sh(on.of.repo, env, ["update-ref", "refs/heads/work", later]);
  expect(await completionBy(on.of).open(on.wish)).toMatchObject({ type: "opened", commit: on.tip });
  expect([remoteTip(on), sh(on.of.repo, env, ["rev-parse", "work"])]).toEqual([on.tip, later]);
});

test("work without a commit is not pushed", async () => {
  const on = await scene({ tree: "1".repeat(40) });
  await expect(completionBy(on.of).open(on.wish)).rejects.toMatchObject({ code: "no-handover" });
  expect([remoteTip(on), ghCalls(on.user)]).toEqual(["", []]);
});

test.for<[string, string]>(
  sampled(2, [
    ["--web", "--web"],
    ["-rf $(touch pwned) `touch pwned` ; touch pwned", "-rf $(touch pwned) `touch pwned` ; touch pwned"],
    ["two\nlines\u0000\u001B[31m", "two lines [31m"],
    ["ü".repeat(300), `${"ü".repeat(255)}…`],
  ]),
)("a hostile title %j", async ([title, shown]) => {
  const on = await scene({ title, body: `--body\u0000\n${title}` });
  await completionBy(on.of).open(on.wish);
  expect(pullRequests(on.user)).toMatchObject([
    { title: shown, body: `--body\n${title.replaceAll("\u0000", "").replaceAll("\u001B", "")}` },
  ]);
});

test.for<[string, string | undefined]>([
  ["https://github.com/o/n", "github.com/o/n"],
  ["https://github.com/o/n.git/", "github.com/o/n"],
  ["https://me:secret@git.example:8443/o/n.x.git", "git.example/o/n.x"],
  ["git@github.com:o/n.git", "github.com/o/n"],
  ["ssh://git@github.com:22/o/n.git", "github.com/o/n"],
  ["/srv/o/n.git", undefined],
  ["../o/n", undefined],
  ["file:///srv/o/n.git", undefined],
  ["https://github.com/n", undefined],
  ["https://github.com/-o/n", undefined],
  ["https://github.com/../n", undefined],
  ["https://github.com/a/b/c", undefined],
])("the address %s is %s", ([address, name]) => {
  expect(repositoryNamed(address)).toBe(name);
});
