/** What becomes of work that is done: a commit on its branch, a tag for it, and the branch as a pull request somewhere else. */

export type Completion = {
  /**
   * Commits all that changed in a workspace, as it was looked at: where the work is another one by now, nothing is committed and a
   * UserError says so. Done again, it finds its own commit.
   */
  commit(of: {
    readonly run: string;
    readonly repo: string;
    readonly path: string;
    /** The digest of the work. */
    readonly tree: string;
    readonly artifacts: readonly string[];
    /** Rules of gitignore, one on each line, for what is left out. */
    readonly exclude: string;
    readonly message: string;
  }): Promise<{
    /** The commit that the branch is at. */
    readonly commit: string;
    /** False where the branch held the work already, by somebody else's commits. */
    readonly made: boolean;
  }>;
  /**
   * Pushes the commit of the work under the run's branch, and opens a pull request for it; one that exists is found. What no second try
   * would change is an answer; whatever a second try may fix is thrown.
   */
  open(of: {
    readonly run: string;
    readonly repo: string;
    readonly branch: string;
    /** The digest of the work. */
    readonly tree: string;
    /** An address; empty for none. */
    readonly remote: string;
    /** The branch that it is for; empty where nobody has said which. */
    readonly base: string;
    readonly title: string;
    readonly body: string;
  }): Promise<Opened>;
  /**
   * Gives the commit of the work a tag with a message, here and nowhere else, never over one that exists. Done again, it finds its own.
   * What no second try would change is an answer.
   */
  tag(of: {
    readonly run: string;
    readonly repo: string;
    readonly tree: string;
    readonly name: string;
    readonly message: string;
  }): Promise<Tagged>;
};

export type Tagged =
  | { readonly type: "tagged"; readonly tag: string; readonly commit: string }
  | { readonly type: "refused"; readonly reason: string };

export type Opened =
  | { readonly type: "opened"; readonly url: string; readonly commit: string }
  | { readonly type: "refused"; readonly reason: string };
