/** The repository of the current folder. */

import { realpathSync } from "node:fs";
import type { Env } from "../../home/paths.ts";
import { UserError } from "../../user-error.ts";
import { failed, git, tryGit } from "../call/call.ts";
import { gitDirOf } from "./locate.ts";

export type Repository = {
  /** Real path of the main working tree. */
  readonly path: string;
  /** The branch that is checked out in the current folder; empty for none. */
  readonly branch: string;
  readonly head: string;
};

export async function repositoryOf(cwd: string, env: Env): Promise<Repository> {
  const where = await tryGit(env, {
    args: [
      "rev-parse",
      "--path-format=absolute",
      "--is-bare-repository",
      "--git-dir",
      "--git-common-dir",
      "--show-toplevel",
    ],
    cwd,
  });
  const [isBare, gitDir = "", commonDir = "", top = ""] = where.out.toString("utf8").split("\n");
  if (isBare === "true") throw bare(cwd);
  if (where.code !== 0) throw notOne(cwd, where.err);
  const path = gitDir === commonDir ? top : await mainOf(cwd, env);
  const head = await tryGit(env, { args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd });
  if (head.code !== 0)
    throw new UserError(
      "no-commit",
      `${top} has no commit yet, and a run begins from one.`,
      "git commit --allow-empty -m start",
    );
  const branch = await tryGit(env, { args: ["symbolic-ref", "--quiet", "--short", "HEAD"], cwd });
  return {
    path: realpathSync(path),
    branch: branch.code === 0 ? branch.out.toString("utf8").trim() : "",
    head: head.out.toString("utf8").trim(),
  };
}

/** Of a linked worktree. */
async function mainOf(cwd: string, env: Env): Promise<string> {
  const listed = await git(env, { args: ["worktree", "list", "--porcelain", "-z"], cwd });
  const [first = "", second = ""] = listed.split("\0");
  const path = first.replace(/^worktree /, "");
  if (second === "bare" || gitDirOf(path) === undefined) throw bare(path);
  return path;
}

function bare(path: string): UserError {
  return new UserError(
    "bare-repository",
    `${path} is a bare repository: there is no working tree to work for.`,
    `git clone ${path} somewhere else, and go there`,
  );
}

function notOne(cwd: string, err: string): Error {
  if (/not a git repository|must be run in a work tree/i.test(err))
    return new UserError(
      "no-repository",
      `${cwd} is not in the working tree of a git repository.`,
      "git init",
    );
  if (/dubious ownership/i.test(err))
    return new UserError(
      "foreign-repository",
      `The repository at ${cwd} belongs to another user, and git does not trust it.`,
      `git config --global --add safe.directory ${cwd}`,
    );
  if (/cannot use bare repository/i.test(err)) return bare(cwd);
  return failed({ args: ["rev-parse"], cwd }, { code: 128, err });
}
