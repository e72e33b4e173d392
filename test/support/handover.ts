/** Work of a run that was handed over, without the run: a mirror with its refs, and its branch in the user's repository. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mirrorOf, runRef, workRef } from "../../src/adapters/git/mirror/names.ts";
import { commit, put, sh, type Site } from "./git.ts";

export type HandedOver = {
  readonly commit: string;
  readonly tree: string;
  /** The clone that it was made in. */
  readonly path: string;
};

type Handing = {
  readonly run?: string;
  readonly branch?: string;
  /** What the agent does in its clone before everything is committed. */
  readonly work?: (path: string) => void;
};

const FILES = { "a.txt": "changed\n", "new.txt": "new\n" };

/** Another handover of the same run goes on in the same clone. */
export function handOver(
  of: Site,
  files: Readonly<Record<string, string | Buffer>> = FILES,
  { run = "r1", branch = "task", work }: Handing = {},
): HandedOver {
  const { env, repo } = of;
  const mirror = mirrorOf(of.home, repo);
  if (!existsSync(mirror)) sh(of.root, env, ["clone", "-q", "--bare", "--local", repo, mirror]);
  const path = join(of.root, `work-${run}`);
  if (!existsSync(path)) {
    sh(of.root, env, ["clone", "-q", "--shared", mirror, path]);
    sh(path, env, ["switch", "-q", "-c", branch, of.base]);
    sh(mirror, env, ["update-ref", runRef(run, "base"), of.base]);
  }
  work?.(path);
  put(path, files);
  sh(path, env, ["add", "-A"]);
  const isNew = sh(path, env, ["status", "--porcelain"]) !== "";
  const made = isNew ? commit(path, env, `work of ${run}`) : sh(path, env, ["rev-parse", "HEAD"]);
  const tree = sh(path, env, ["rev-parse", `${made}^{tree}`]);
  sh(path, env, ["push", "-q", mirror, `+${made}:${runRef(run, "head")}`, `+${made}:${workRef(run, tree)}`]);
  publish(of, { run, branch, made });
  return { commit: made, tree, path };
}

function publish(of: Site, { run, branch, made }: { run: string; branch: string; made: string }): void {
  const mirror = mirrorOf(of.home, of.repo);
  const isHeld = sh(of.repo, of.env, ["worktree", "list", "--porcelain"])
    .split("\n")
    .includes(`branch refs/heads/${branch}`);
  if (isHeld) return;
  sh(of.repo, of.env, ["fetch", "-q", "--no-write-fetch-head", mirror, `+${made}:refs/heads/${branch}`]);
  sh(mirror, of.env, ["update-ref", runRef(run, "published"), made]);
}

/** The user throws away what the branch alone had. */
export function forgetBranch(of: Site, branch = "task"): void {
  sh(of.repo, of.env, ["branch", "-q", "-D", branch]);
  sh(of.repo, of.env, ["reflog", "expire", "--expire=now", "--all"]);
  sh(of.repo, of.env, ["gc", "-q", "--prune=now"]);
  rmSync(join(of.repo, ".git/FETCH_HEAD"), { force: true });
}
