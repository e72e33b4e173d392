/**
 * The work of a run on the remote of its project: its branch for people, and `refs/signalbox/RUN/*` from which another machine goes on.
 *
 * The branch is never overwritten where it has commits that the run did not make, so that a worker whose runs another machine has
 * taken over changes nothing there.
 */

import { whileLocked } from "../git/call/locks.ts";
import { git, tryGit, type GitAnswer } from "../git/call/call.ts";
import { withScratch } from "../git/call/scratch.ts";
import { isOfRun } from "../git/delivery/publish.ts";
import { ensureMirror, inMirror } from "../git/mirror/mirror.ts";
import { mirrorOf, runRef, workRef } from "../git/mirror/names.ts";
import { withoutPassword } from "../git/repository/base.ts";
import { refAt } from "../git/repository/refs.ts";
import { at as withIndex, type Bench, type Git } from "../git/workspace/bench.ts";

const LIMIT_MS = 300_000;

export type RemoteRun = {
  readonly run: string;
  /** The clone on this machine. */
  readonly repo: string;
  readonly remote: string;
};

/** Gives what a person should know. Throws where the remote cannot be reached: the effect is tried again. */
export async function pushRun(
  on: Git,
  of: RemoteRun & { readonly branch: string; readonly commit: string },
): Promise<readonly string[]> {
  const { run, repo, remote, branch, commit } = of;
  const mirror = mirrorOf(on.home, repo);
  const [ref, head] = [`refs/heads/${branch}`, remoteRef(run, "head")];
  const tips = await tipsOf(on, of, [ref, head]);
  const tip = tips.get(ref) ?? "";
  const isOurs = tip === "" || (await isOfRun(on, { mirror, run, tip }));
  const leases = [
    await leaseOf(on, of, [head, tips.get(head) ?? ""]),
    ...(isOurs ? [`--force-with-lease=${ref}:${tip}`] : []),
  ];
  const refs = [`+refs/runs/${run}/*:${remoteRef(run, "*")}`, ...(isOurs ? [`+${commit}:${ref}`] : [])];
  await reach(on, of, ["push", "--quiet", "--no-verify", "--atomic", ...leases, "--", remote, ...refs]);
  const at = withoutPassword(remote);
  return isOurs
    ? []
    : [
        `the branch ${branch} of ${at} is not updated: it has commits that the run did not make (${tip.slice(0, 12)})`,
      ];
}

/**
 * Brings the tree of the work to the remote before an event names it: no machine is needed to hand it over later. Nothing is pushed
 * that a handover has.
 */
export async function pushSeen(on: Git, of: RemoteRun & { readonly tree: string }): Promise<void> {
  const { run, repo, remote, tree } = of;
  const mirror = mirrorOf(on.home, repo);
  if (refAt(mirror, workRef(run, tree)) !== undefined) return;
  const seen = remoteRef(run, "seen");
  const lease = await leaseOf(on, of, [seen, (await tipsOf(on, of, [seen])).get(seen) ?? ""]);
  const parent = refAt(mirror, runRef(run, "base"));
  const parents = parent === undefined ? [] : ["-p", parent];
  const message = `Work of ${run}, not handed over yet`;
  const commit = await git(on.env, {
    ...inMirror(mirror),
    args: ["commit-tree", tree, ...parents, "-m", message],
    durable: true,
  });
  await git(on.env, { ...inMirror(mirror), args: ["update-ref", seenRef(run), commit.trim()] });
  await reach(on, of, ["push", "--quiet", "--no-verify", lease, "--", remote, `+${seenRef(run)}:${seen}`]);
}

/** Commits of refs of the remote. */
async function tipsOf(on: Git, of: RemoteRun, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const listed = await reach(on, of, ["ls-remote", "--", of.remote, ...refs]);
  const lines = listed.out.toString("utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [oid = "", ref] = line.split("\t");
      return ref === undefined ? [] : [[ref, oid] as const];
    }),
  );
}

/** What another machine has pushed since this one had the run is not overwritten: this machine does not have the commit. */
async function leaseOf(
  on: Git,
  { run, repo }: RemoteRun,
  [ref, tip]: readonly [ref: string, tip: string],
): Promise<string> {
  const call = inMirror(mirrorOf(on.home, repo));
  const isKnown = tip === "" || (await tryGit(on.env, { ...call, args: ["cat-file", "-e", tip] })).code === 0;
  if (!isKnown) throw new Error(`another machine has gone on with ${run}`);
  return `--force-with-lease=${ref}:${tip}`;
}

/** Makes the files of a new workspace those that were last pushed; its branch stays at the last handover. */
export async function checkOutSeen(on: Git, bench: Bench): Promise<void> {
  const seen = refAt(bench.mirror, seenRef(bench.run));
  const head = refAt(bench.mirror, runRef(bench.run, "head"));
  if (seen === undefined || head === undefined) return;
  await withScratch(on, async (index) => {
    const call = withIndex(bench, index);
    await git(on.env, { ...call, args: ["read-tree", head] });
    await git(on.env, { ...call, args: ["update-index", "-q", "--refresh"] });
    await git(on.env, { ...call, args: ["read-tree", "-m", "-u", head, seen] });
  });
}

function remoteRef(run: string, name: string): string {
  return `refs/signalbox/${run}/${name}`;
}

function seenRef(run: string): string {
  return `refs/runs/${run}/seen`;
}

/** Brings the refs of a run here that another machine has pushed. */
export async function fetchRun(on: Git, of: RemoteRun): Promise<void> {
  const { run, repo, remote } = of;
  await whileLocked({ folder: on.home.locks, repo }, async () => {
    await ensureMirror(on, repo);
    const spec = `+${remoteRef(run, "*")}:refs/runs/${run}/*`;
    await reach(on, of, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, spec]);
  });
}

/** The run has ended: only its branch stays. */
export async function forgetRun(on: Git, of: RemoteRun): Promise<void> {
  const { run, repo, remote } = of;
  await whileLocked({ folder: on.home.locks, repo }, () => ensureMirror(on, repo));
  const listed = await reach(on, of, ["ls-remote", "--", remote, remoteRef(run, "*")]);
  const refs = listed.out
    .toString("utf8")
    .split("\n")
    .flatMap((line) => line.split("\t").slice(1));
  if (refs.length > 0)
    await reach(on, of, ["push", "--quiet", "--no-verify", "--", remote, ...refs.map((ref) => `:${ref}`)]);
}

async function reach(on: Git, { repo, remote }: RemoteRun, args: readonly string[]): Promise<GitAnswer> {
  const mirror = mirrorOf(on.home, repo);
  const answer = await tryGit(on.env, { ...inMirror(mirror), args, limitMs: LIMIT_MS, isFetch: true });
  if (answer.code === 0) return answer;
  throw new Error(`${withoutPassword(remote)} cannot be reached: ${withoutPassword(answer.err.trim())}`);
}
