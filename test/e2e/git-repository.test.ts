/** The repository that a folder belongs to. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { repositoryOf } from "../../src/adapters/git/repository/repository.ts";
import { removeSites, sh, site, type Site } from "../support/git.ts";

afterAll(removeSites);

test("the repository is found from a folder in it, and by a link", async () => {
  const of = site();
  const here = { path: of.repo, branch: "main", head: of.base };
  symlinkSync(of.repo, join(of.root, "by link"));
  expect(await repositoryOf(join(of.repo, "dir"), of.env)).toEqual(here);
  expect(await repositoryOf(join(of.root, "by link"), of.env)).toEqual(here);
  sh(of.repo, of.env, ["switch", "-q", "--detach"]);
  expect(await repositoryOf(of.repo, of.env)).toEqual({ ...here, branch: "" });
});

test.for<[string, (of: Site) => string, object]>([
  ["no repository", (of) => of.root, { code: "no-repository", next: "git init" }],
  ["inside .git", (of) => join(of.repo, ".git/refs"), {}],
  [
    "no commit",
    (of) => (sh(of.root, of.env, ["init", "-q", "empty"]), join(of.root, "empty")),
    { code: "no-commit", next: "git commit --allow-empty -m start" },
  ],
  [
    "a bare one",
    (of) => (sh(of.root, of.env, ["init", "-q", "--bare", "bare"]), join(of.root, "bare")),
    { code: "bare-repository" },
  ],
  [
    "a worktree of a bare one",
    (of) => {
      sh(of.root, of.env, ["clone", "-q", "--bare", of.repo, "bare"]);
      sh(join(of.root, "bare"), of.env, ["worktree", "add", "-q", join(of.root, "tree")]);
      return join(of.root, "tree");
    },
    { code: "bare-repository" },
  ],
])("%s is refused", async ([, make, error]) => {
  const of = site();
  await expect(repositoryOf(make(of), of.env)).rejects.toMatchObject({
    name: "UserError",
    exit: 2,
    ...error,
  });
});
