/** Whether the work of a run is in the branch that it is for, by whatever means. */

export type WorkOf = {
  readonly run: string;
  readonly repo: string;
  /** The tree of the work. Only work that was handed over is looked for. */
  readonly tree: string;
  /** The commit that the run began from. */
  readonly base: string;
  /** How often the run has moved: what does not matter in one state may matter in the next. */
  readonly entry: number;
  /** The project's; empty where nobody has said which. */
  readonly defaultBranch: string;
};

export type Landing = {
  /** The ref that has the work, and the commit that brought it. */
  readonly ref: string;
  readonly commit: string;
  /** The name of who committed that. */
  readonly by: string;
};

/**
 * Contract: `news` starts no process and is cheap enough for every tick; work is news until `remember` was called for it, and again when
 * its run or the default branch has moved, also for the next supervisor. `landing` never throws over a repository that is gone or odd:
 * what nobody can tell has not landed.
 */
export type Merges = {
  news(all: readonly WorkOf[]): readonly WorkOf[];
  /** Undefined where the work is not there. */
  landing(of: WorkOf): Promise<Landing | undefined>;
  /** The last look at it led to all that it could lead to. */
  remember(of: WorkOf): void;
};
