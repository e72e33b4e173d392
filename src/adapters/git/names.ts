/** Refs of ours. None of them is a branch: nothing of ours is pushed, listed or checked out by accident. */

const RUN = /^[a-z0-9](?:[a-z0-9_-]|\.(?=[a-z0-9_-]))*$/i;

export function baseRef(run: string): string {
  return `refs/signalbox/base/${run}`;
}

export function snapshotRef(run: string, seq: number): string {
  return `refs/signalbox/snapshots/${run}/${seq}`;
}

export function salvageRef(run: string): string {
  return `refs/signalbox/salvage/${run}`;
}

/** Commits that only the worktree's own log knew. */
export function forgottenRef(run: string): string {
  return `refs/signalbox/forgotten/${run}`;
}

/** The default branch of a project as it was fetched last. */
export function upstreamRef(branch: string): string {
  return `refs/signalbox/upstream/${branch}`;
}

/** A name of a run becomes part of paths and refs. */
export function isRunName(run: string): boolean {
  return RUN.test(run) && !run.endsWith(".lock");
}

export function refuseRunName(run: string): void {
  if (!isRunName(run)) throw new Error(`${JSON.stringify(run)} cannot be the name of a run`);
}
