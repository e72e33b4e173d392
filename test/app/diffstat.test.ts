/** The command that `show` names for the work shows the work, whatever a person has done to the branch. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { diffCommand, forkOf } from "../../src/app/view/work/diffstat.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { forgetBranch, handOver } from "../support/handover.ts";

afterAll(removeSites);

test.for<[string, isOnBranch: boolean, (of: Site) => void]>([
  ["nothing", true, () => {}],
  ["refs packed", true, ({ repo, env }) => void sh(repo, env, ["pack-refs", "--all"])],
  ["the branch deleted, and its commits pruned", false, (of) => forgetBranch(of)],
  [
    "the branch set back",
    false,
    ({ repo, env, base }) => void sh(repo, env, ["branch", "-qf", "task", base]),
  ],
  [
    "a commit of a person on the branch",
    false,
    ({ repo, env }) => {
      sh(repo, env, ["switch", "-q", "task"]);
      put(repo, { "mine.txt": "mine\n" });
      commit(repo, env, "mine");
    },
  ],
  ["the repository deleted", false, ({ repo }) => rmSync(repo, { recursive: true })],
])("%s", ([, isOnBranch, act]) => {
  const of = site();
  const { commit: work } = handOver(of);
  act(of);
  const { repo, base, env, root } = of;
  const on = { repo, mirror: mirrorOf(of.home, repo), branch: "task", base, commit: work };
  const typed = diffCommand({ ...on, into: "main" });
  expect(typed === "git diff main...task").toBe(isOnBranch);
  const cwd = isOnBranch ? repo : root;
  const names = execFileSync("sh", ["-c", `${typed} --name-only`], { cwd, env, encoding: "utf8" });
  expect(names).toBe("a.txt\nnew.txt\n");
});

test.for<[string, (of: Site, path: string) => void, isMerged: boolean]>([
  ["the commit that it began from", () => {}, false],
  [
    "the commit of main that it merged, also where it threw the content away",
    ({ env, repo }, path) => {
      sh(path, env, ["fetch", "-q", repo, "main"]);
      sh(path, env, ["merge", "-q", "-s", "ours", "--no-edit", "FETCH_HEAD"]);
    },
    true,
  ],
])("work is compared with %s", async ([, act, isMerged]) => {
  const of = site();
  handOver(of);
  put(of.repo, { "b.txt": "of main\n" });
  const ahead = commit(of.repo, of.env, "elsewhere");
  const { commit: work } = handOver(of, { "a.txt": "more\n" }, { work: (path) => act(of, path) });
  const on = { repo: of.repo, mirror: mirrorOf(of.home, of.repo), commit: work, into: "main" };
  expect(await forkOf(of.env, on)).toBe(isMerged ? ahead : of.base);
});
