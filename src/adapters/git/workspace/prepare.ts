/**
 * The workspace of a run: a private clone at a path that is stable for the run, on the run's branch.
 *
 * 1. The mirror is brought up to date. 2. Where the run begins is kept in the mirror; the branch is created in the user's repository.
 * 3. The clone is made beside its place and renamed when it is whole: a workspace that exists is complete. Called again, it finds
 * the workspace; one that was deleted is made again from the last handover. What is in the way is moved aside, never removed.
 */

import { realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Workspaces } from "../../../engine/ports/files.ts";
import { failpoint } from "../../failpoint.ts";
import { makeFolder, syncFolder } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { failed, tryGit, type GitCall } from "../call/call.ts";
import { commitNamed, inRepository } from "../call/commits.ts";
import { bringOver, tipIn } from "../delivery/publish.ts";
import { fetchCommit, inMirror, refreshMirror, updateRefs } from "../mirror/mirror.ts";
import { runRef } from "../mirror/names.ts";
import { badName, branchProblem, elsewhere, holderOf, likeTag } from "../repository/branch-problem.ts";
import { commonDirIn, isFolder, isThere, unwritableOf } from "../repository/locate.ts";
import { refAt } from "../repository/refs.ts";
import { settingsOf } from "../repository/settings.ts";
import { tryUpdateRef } from "../repository/update-ref.ts";
import { quarantine } from "../salvage/move.ts";
import { isWorkspaceAt, leaveOut, makeBench, openBench, ruleOut, type Git } from "./bench.ts";
import { makeClone } from "./clone.ts";
import { includeFiles } from "./included-files.ts";
import { addSubmodules } from "./submodules.ts";

export type WorkspaceRequest = Parameters<Workspaces["prepare"]>[0];
export type Prepared = Awaited<ReturnType<Workspaces["prepare"]>>;

const CONFLICT = 6;

/** Call under the repository's lock. */
export async function prepare(on: Git, wanted: WorkspaceRequest): Promise<Prepared> {
  const { run, repo } = wanted;
  makeFolder(on.home.workspaces);
  const path = join(realpathSync(on.home.workspaces), run);
  const found = await existing(on, path, run);
  if (found !== undefined) return found;
  const commonDir = commonDirIn(repo);
  const bad = await badName({ env: on.env, commonDir }, wanted.branch);
  if (bad !== undefined) throw bad;
  const mirror = await refreshMirror(on, repo);
  const { base, head } = await beginning(on, { wanted, commonDir, mirror });
  const settings = await settingsOf(on, repo);
  const branch = `refs/heads/${wanted.branch}`;
  // A crash before the rename leaves a bench without a workspace: both are made again.
  const bench = makeBench(on, { path, mirror, run, branch, base, settings });
  ruleOut(bench, wanted.leftOut ?? "");
  leaveOut(bench, wanted.artifacts);
  const folder = `${path}.new`;
  rmSync(folder, { recursive: true, force: true });
  failpoint("workspace.before-clone");
  await makeClone(on, bench, { folder, commit: head, branch: wanted.branch, settings });
  const notes = [
    ...(await addSubmodules(on, { folder, mirror, source: commonDir, commit: head })),
    ...(await includeFiles(on, { ...bench, path: folder }, repo)),
  ];
  failpoint("workspace.before-place");
  if (isThere(path))
    quarantine(on, { from: path, name: `workspace-${run}`, why: "it was in the place of a workspace" });
  renameSync(folder, path);
  syncFolder(on.home.workspaces);
  failpoint("workspace.after-place");
  return { path, branch: wanted.branch, base, ...(notes.length === 0 ? {} : { notes }) };
}

/** The workspace as it was made: giving its branch another name is something else. */
async function existing(on: Git, path: string, run: string): Promise<Prepared | undefined> {
  if (!isWorkspaceAt(on, path) || !isFolder(join(path, ".git"))) return undefined;
  const bench = await openBench(on, path);
  return bench.run === run
    ? { path, branch: bench.branch.replace("refs/heads/", ""), base: bench.base }
    : undefined;
}

type PrepareSite = { readonly wanted: WorkspaceRequest; readonly commonDir: string; readonly mirror: string };

/** Where the work began, and the commit that it continues from. */
async function beginning(
  on: Git,
  site: PrepareSite,
): Promise<{ readonly base: string; readonly head: string }> {
  const { wanted, commonDir, mirror } = site;
  const { run, branch } = wanted;
  const known = refAt(mirror, runRef(run, "base"));
  const ref = `refs/heads/${branch}`;
  const tip = await tipIn(on, commonDir, ref);
  if (known !== undefined) {
    if (tip === undefined) await createBranch(on, site, known);
    return { base: known, head: refAt(mirror, runRef(run, "head")) ?? known };
  }
  if ((await tipIn(on, commonDir, `refs/tags/${branch}`)) !== undefined) throw likeTag(branch);
  const holder = tip === undefined ? undefined : await holderOf({ env: on.env, repo: wanted.repo }, branch);
  if (holder !== undefined) throw elsewhere(branch, holder);
  const start =
    (await commitNamed(on.env, inRepository(commonDir), wanted.base)) ??
    // The work of an earlier run, which the user's repository need not have.
    (await commitNamed(on.env, inMirror(mirror), wanted.base));
  const base = tip === undefined ? start : await forkOf(on, commonDir, { tip, start });
  if (base === undefined)
    throw new UserError("no-base", `${wanted.base} is not a commit of ${wanted.repo}.`, "git log");
  const head = tip ?? base;
  for (const oid of new Set([base, head])) await requireCommit(on, site, oid);
  failpoint("workspace.before-branch");
  await updateRefs(on, mirror, [
    `update ${runRef(run, "base")} ${base}`,
    `update ${runRef(run, "head")} ${head}`,
    `update ${runRef(run, "published")} ${head}`,
  ]);
  if (tip === undefined) await createBranch(on, site, base);
  failpoint("workspace.after-branch");
  return { base, head };
}

/** On a branch that exists already, everything since it left the base is the work, also commits of people. */
async function forkOf(
  on: Git,
  commonDir: string,
  { tip, start }: { readonly tip: string; readonly start: string | undefined },
): Promise<string> {
  if (start === undefined) return tip;
  const args = ["merge-base", start, tip];
  const { code, out } = await tryGit(on.env, { ...inRepository(commonDir), args });
  return code === 0 ? out.toString("utf8").trim() : tip;
}

/** A commit that no branch has, as with a detached HEAD, is not in the mirror yet. */
async function requireCommit(on: Git, { mirror, commonDir }: PrepareSite, oid: string): Promise<void> {
  const call = inMirror(mirror);
  if ((await tryGit(on.env, { ...call, args: ["cat-file", "-e", `${oid}^{commit}`] })).code === 0) return;
  if (!(await fetchCommit(on, { mirror, source: commonDir, oid })))
    throw new Error(`the commit ${oid} is damaged or incomplete in ${commonDir}: git fsck`);
}

async function createBranch(on: Git, { wanted, commonDir }: PrepareSite, oid: string): Promise<void> {
  const closed = unwritableOf([commonDir, join(commonDir, "objects")]);
  if (closed !== undefined)
    throw new UserError(
      "not-writable",
      `${closed} is not writable, so the branch ${wanted.branch} cannot be created.`,
      { next: "make it writable", exit: CONFLICT },
    );
  if ((await commitNamed(on.env, inRepository(commonDir), oid)) === undefined) {
    const problem = await bringOver(on, { repo: wanted.repo, commit: oid });
    if (problem !== "") throw cannotCreate(wanted.branch, problem);
  }
  const reason = `signalbox: run ${wanted.run} begins`;
  const args = ["update-ref", "-m", reason, `refs/heads/${wanted.branch}`, oid, "0".repeat(oid.length)];
  const call: GitCall = { ...inRepository(commonDir), args };
  const answer = await tryUpdateRef(on, commonDir, call);
  if (answer.code === 0) return;
  const isRefused = /cannot create|exists; cannot|cannot lock ref/.test(answer.err);
  throw isRefused
    ? ((await branchProblem(on.env, wanted)) ?? cannotCreate(wanted.branch, answer.err.trim()))
    : failed(call, answer);
}

function cannotCreate(branch: string, why: string): UserError {
  return new UserError("branch-name", `The branch ${branch} cannot be created: ${why}`, {
    next: "git branch --list",
    exit: CONFLICT,
  });
}
