/** Projects: what a repository is called, how many at the same time, and what is refused while somebody works there. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { prepareHome, removeHomes, type Prepared } from "../support/home.ts";
import { trustedNow } from "../support/trust.ts";
import { document, outcome, taskScene } from "./task-support.ts";

afterAll(removeHomes);

function git(on: Prepared, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd: on.repo, env: { ...on.env, GIT_CONFIG_NOSYSTEM: "1" } });
}

test("the remote is that of origin, the branch that of origin, and both can be said", async () => {
  const on = prepareHome();
  git(on, "remote", "add", "origin", "https://example.org/shop.git");
  git(on, "update-ref", "refs/remotes/origin/trunk", "HEAD");
  git(on, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
  expect(document(await on.call("project add --json"))["project"]).toMatchObject({
    repo: on.repo,
    name: "repo",
    defaultBranch: "trunk",
    agents: 4,
    remote: "https://example.org/shop.git",
  });
  expect(await outcome(on.call("project add --json"))).toBe("2 known-project");
  const changed = await on.call(
    "project update --default-branch main --remote none --agents 9 --name shop --json",
  );
  expect(document(changed)["project"]).toMatchObject({
    name: "shop",
    defaultBranch: "main",
    agents: 9,
    remote: "",
  });
  expect((await on.call("project list")).stdout).toMatch(/^shop +main +0 of 9 agents at work/);
});

test("two repositories of one name get two names, and nobody takes another's", async () => {
  const on = prepareHome();
  const other = join(on.root, "second", "repo");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "x"), "");
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "x"],
  ])
    execFileSync("git", args, { cwd: other, env: { ...on.env, GIT_CONFIG_NOSYSTEM: "1" } });
  await on.call("project add");
  expect(document(await on.call(["project", "add", other, "--json"]))["project"]).toMatchObject({
    name: "repo-2",
  });
  expect(await outcome(on.call("project update repo-2 --name repo --json"))).toBe("6 name-taken");
});

test.for<[line: string, expected: string]>([
  ["project add --name a/b", "2 bad-usage"],
  ["project add --name ..", "2 bad-usage"],
  ["project add --name -x", "2 bad-usage"],
  ["project add --agents 0", "2 bad-usage"],
  ["project add --agents 1000", "2 bad-usage"],
  ["project add --default-branch no-such", "2 no-branch"],
  ["project add --remote ext::sh", "2 bad-usage"],
  ["project add --remote --upload-pack=x", "2 bad-usage"],
  ["project add no/such/folder", "2 no-folder"],
  ["project add /", "2 no-repository"],
  ["project update --agents 3", "2 unknown-project"],
  ["project update", "2 unknown-project"],
  ["project remove", "2 unknown-project"],
  ["project remove shpo", "2 unknown-project"],
])("%s: %s", async ([line, expected]) => {
  const on = prepareHome();
  expect(await outcome(on.call(`${line} --json`))).toBe(expected);
  expect(await on.withStore((store) => store.projects())).toEqual([]);
});

test("a project with open tasks or workspaces stays", async () => {
  const on = await taskScene();
  const id = await on.create("a", "x");
  expect(await outcome(on.say(["project", "remove", "--json"]))).toBe("6 project-in-use");
  const workspace = { run: id, repo: on.repo, path: join(on.root, id), branch: "a", base: "x" };
  const put = (status: "bound" | "released"): Promise<unknown> =>
    on.withStore((store) =>
      store.commit([{ type: "put-workspace", workspace: { ...workspace, status, salvage: "", kept: "" } }]),
    );
  await put("bound");
  await on.say(["task", "cancel", id]);
  // Its workspace is released by the supervisor, which has not come by yet.
  expect(await outcome(on.say(["project", "remove", "--json"]))).toBe("6 project-in-use");
  await put("released");
  expect(await outcome(on.say(["project", "remove", "--json"]))).toBe("0 ok");
  expect(await on.withStore((store) => store.projects())).toEqual([]);
  // Its history stays, and the next task makes it a project again.
  expect(await outcome(on.say(["task", "show", id, "--json"]))).toBe("0 ok");
  await on.create("b", "x", "--no-start");
  expect(await on.withStore((store) => store.projects())).toMatchObject([
    { name: "repo", defaultBranch: "main" },
  ]);
});

test.for<[what: string, branch: string, expected: string, known: string]>([
  ["main exists", "main", "0 ok", "main"],
  ["no usual branch", "topic", "2 no-base", ""],
])("the first task of a repository with a detached HEAD: %s", async ([, branch, expected, known]) => {
  const on = prepareHome();
  await on.withStore((store) =>
    store.commit([{ type: "trust", repo: on.repo, trust: trustedNow(on.env, on.repo) }]),
  );
  git(on, "branch", "--move", branch);
  git(on, "checkout", "--quiet", "--detach");
  const created = await on.call(["task", "create", "First", "--no-start", "--json"]);
  expect(await outcome(Promise.resolve(created))).toBe(expected);
  await on.withStore(async (store) => {
    expect((await store.projectAt(on.repo))?.defaultBranch ?? "").toBe(known);
    // Nothing but the default branch, as it is when the task starts.
    expect((await store.list({ limit: 9 })).rows.map(({ base }) => base)).toEqual(known === "" ? [] : [""]);
  });
  const isRefused = String(document(created)["next"]).includes("signalbox project add --default-branch NAME");
  expect(isRefused).toBe(known === "");
});

test("a changed limit of agents wakes the supervisor where a run is queued", async () => {
  const on = await taskScene({}, 1);
  await on.create("a", "x");
  await on.create("b", "y");
  let wakes = 0;
  await on.say(["project", "update", "--agents", "2"], { startSupervisor: () => void (wakes += 1) });
  expect(wakes).toBe(1);
});
