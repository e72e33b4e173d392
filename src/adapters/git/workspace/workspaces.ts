/** Workspaces of runs as private clones. */

import { existsSync, readdirSync, realpathSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Workspaces } from "../../../engine/ports/files.ts";
import { unless } from "../../files/errno.ts";
import { isGitAtWork, whileLocked } from "../call/locks.ts";
import { publish } from "../delivery/publish.ts";
import { operationIn } from "../delivery/user-checkout.ts";
import { refuseRunName, runRef } from "../mirror/names.ts";
import { isFolder } from "../repository/locate.ts";
import { refAt } from "../repository/refs.ts";
import { release } from "../salvage/release.ts";
import { digest, filesOf } from "../snapshot/digest.ts";
import { handover } from "../snapshot/handover.ts";
import { requireDeliverable } from "../snapshot/nested-repositories.ts";
import { treeBesides } from "../snapshot/tree-to-commit.ts";
import { benchAt, gone, openBench, type Git } from "./bench.ts";
import { discardCheckout, makeCheckout, takeAsGiven } from "./judge-checkout.ts";
import { prepare } from "./prepare.ts";

export function gitWorkspaces(on: Git): Workspaces {
  const lock = (repo: string) => ({ folder: on.home.locks, repo });
  return {
    prepare: async (of) => {
      refuseRunName(of.run);
      return whileLocked(lock(of.repo), () => prepare(on, of));
    },
    digest: async (path, artifacts) => digest(on, await openBench(on, path), artifacts),
    files: async (path, tree) => filesOf(on, await openBench(on, path), tree),
    besides: async (path, { tree, rules }) =>
      treeBesides(on, await openBench(on, path), { work: tree, rules }),
    requireDeliverable: async (of) => {
      const bench = await openBench(on, of.path);
      return whileLocked(lock(of.repo), () => requireDeliverable(on, bench, of));
    },
    snapshot: async (of) => {
      refuseRunName(of.run);
      const bench = await openBench(on, of.path);
      return whileLocked(lock(of.repo), async () => {
        const { commit, notes } = await handover(on, bench, of);
        const branch = bench.branch.replace("refs/heads/", "");
        const { run, repo, isGuest = false } = of;
        const more = branch === "" || isGuest ? [] : await publish(on, { run, repo, branch, commit });
        return { commit, notes: [...notes, ...more] };
      });
    },
    // A link in its place leads elsewhere, for example to the user's checkout and its locks.
    usable: (path) => (isFolder(path) ? Promise.resolve(makeUsable(path)) : Promise.reject(gone(path))),
    judge: async (of) => {
      refuseRunName(of.run);
      return makeCheckout(on, of);
    },
    baseline: async (of) => takeAsGiven(on, of),
    discard: async (of, tell) => discardCheckout(on, of, tell),
    release: async (of) => {
      refuseRunName(of.run);
      if (of.path === of.repo)
        throw new Error(`${of.path} is the user's own checkout: nothing in it is removed`);
      // A link in the place of the workspace leads elsewhere: only what is above it is resolved.
      const above = dirname(of.path);
      const path = existsSync(above) ? join(realpathSync(above), basename(of.path)) : of.path;
      return whileLocked(lock(of.repo), async () => {
        await publishLast(on, { ...of, path });
        return release(on, { ...of, path });
      });
    },
  };
}

/** The branch gets the last handover that it could not get when that was made: its repository was locked or read-only. */
async function publishLast(
  on: Git,
  { run, repo, path }: { readonly run: string; readonly repo: string; readonly path: string },
): Promise<void> {
  const bench = benchAt(on, path);
  if (bench === undefined || bench.branch === "") return;
  const commit = refAt(bench.mirror, runRef(run, "head"));
  if (commit === undefined || commit === refAt(bench.mirror, runRef(run, "published"))) return;
  // Where it cannot get it now either, `salvage` lists the commits.
  await publish(on, { run, repo, branch: bench.branch.replace("refs/heads/", ""), commit });
}

const HIDDEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];
const DEPTH_MAX = 12;

/** Gives sentences for the agent. */
function makeUsable(path: string): readonly string[] {
  const gitDir = join(path, ".git");
  if (!isFolder(gitDir))
    return ["The folder .git of this workspace is missing or damaged: git does not work here."];
  const isAtWork = isGitAtWork({ path, gitDir }) !== false;
  const below = ["refs", "modules"].flatMap((name) => locksIn(join(gitDir, name), DEPTH_MAX));
  const locks = isAtWork ? [] : [...locksIn(gitDir, 0), ...below];
  // Out of the folder of refs: git would take it for one.
  const asideOf = (file: string, place: number) =>
    join(gitDir, `${basename(file)}.stale-${Date.now()}${place}`);
  const moved = locks.filter((file, place) =>
    unless(HIDDEN, () => (renameSync(file, asideOf(file, place)), true)),
  );
  const operation = operationIn(gitDir);
  const undo = operation === "bisect" ? "git bisect reset" : `git ${operation} --abort`;
  return [
    ...(moved.length === 0
      ? []
      : [`A git process was killed here; its stale lock files were moved away: ${moved.length}.`]),
    ...(operation === ""
      ? []
      : [`A git ${operation} was interrupted in this workspace: finish it or undo it (${undo}) first.`]),
  ];
}

function locksIn(folder: string, depth: number): readonly string[] {
  const entries = isFolder(folder) ? unless(HIDDEN, () => readdirSync(folder, { withFileTypes: true })) : [];
  return (entries ?? []).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith(".lock")) return [file];
    return entry.isDirectory() && depth > 0 ? locksIn(file, depth - 1) : [];
  });
}
