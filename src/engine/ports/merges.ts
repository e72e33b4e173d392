/** Whether the work of a run is in the branch that it is for. */

export type BranchOf = {
  readonly run: string;
  readonly repo: string;
  /** The run's own, and the commit that it began from. */
  readonly branch: string;
  readonly base: string;
  /** The project's; empty where nobody has said which. */
  readonly defaultBranch: string;
};

/**
 * Contract: `news` starts no process and is cheap enough for every tick; after `merged` has found nothing, a branch is no news until it
 * or the default branch has moved, also for the next supervisor. `merged` never throws over a repository that is gone or odd: what
 * nobody can tell is not merged.
 */
export type Merges = {
  news(all: readonly BranchOf[]): readonly BranchOf[];
  /** The commit of the default branch that holds the work, and the tip that is in it; undefined where it is not merged. */
  merged(of: BranchOf): Promise<{ readonly tip: string; readonly into: string } | undefined>;
};
