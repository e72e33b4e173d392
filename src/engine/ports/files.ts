/** Workspaces, and the files of runs in them. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import type { GraphTask, TaskKeys } from "../../core/tasks/graph.ts";
import type { Run } from "../../core/model/run.ts";
import type { Projection } from "../../core/model/workflow.ts";

export type Workspaces = {
  /** Makes the workspace of a run, or finds the one that exists. */
  prepare(of: {
    readonly run: string;
    readonly repo: string;
    readonly branch: string;
    readonly base: string;
    /** Paths of artifacts: not part of the work, ignored by git. */
    readonly artifacts: readonly string[];
    /** Rules as in gitignore, one on each line: files that they name, and that the base does not have, are not part of the work. */
    readonly leftOut?: string;
  }): Promise<{
    readonly path: string;
    readonly branch: string;
    readonly base: string;
    /** What a person should know. */
    readonly notes?: readonly string[];
  }>;
  /**
   * The digest of the work: the id of a git tree, without artifacts. Touches neither index nor branch of the work tree's owner.
   * Throws a UserError `no-workspace` where there is no work to look at.
   */
  digest(path: string, artifacts: readonly string[]): Promise<string>;
  /** The paths of all files in the work of a digest; none where it does not exist any more. */
  files(path: string, tree: string): Promise<readonly string[]>;
  /** The work of a digest without what these rules name, as gitignore has them: the id of a git tree. */
  besides(path: string, of: { readonly tree: string; readonly rules: string }): Promise<string>;
  /**
   * Throws a UserError where a commit of this digest would not deliver all of the work: a repository inside the workspace, a submodule at
   * a commit that the user's repository does not have, or with changes that are in none of its commits.
   */
  requireDeliverable(of: {
    readonly path: string;
    readonly repo: string;
    readonly run: string;
    readonly tree: string;
  }): Promise<void>;
  /**
   * Hands the work of a digest over: gives the commit that holds exactly it, and brings the run's branch in the user's repository up to
   * date with it. An unchanged tree makes no commit; doing it twice is harmless.
   */
  snapshot(of: {
    readonly path: string;
    readonly repo: string;
    readonly run: string;
    /** The workspace belongs to the run that this one was made for: only its owner's handovers move the branch. */
    readonly isGuest?: boolean;
    readonly tree: string;
    readonly artifacts: readonly string[];
    readonly message: string;
    readonly author?: { readonly name: string; readonly email: string };
  }): Promise<{ readonly commit: string; readonly notes: readonly string[] }>;
  /** Removes stale lock files of dead git processes; gives sentences for the agent about what was interrupted there. */
  usable(path: string): Promise<readonly string[]>;
  /**
   * Makes a checkout for one judge at the folder `at`, which is replaced: the work of a digest, at a commit whose parent is the head of
   * the workspace, in a private clone that borrows its objects, with copies of the ignored files that the user's checkout names for
   * workspaces. Nothing that happens in it changes the workspace or its repository. Gives sentences for the history.
   */
  judge(of: {
    readonly run: string;
    readonly repo: string;
    /** The workspace that the work comes from. */
    readonly path: string;
    readonly tree: string;
    readonly at: string;
    readonly artifacts: readonly string[];
  }): Promise<readonly string[]>;
  /** What is in such a checkout now counts as what it was made with. */
  baseline(of: {
    readonly path: string;
    readonly at: string;
    readonly artifacts: readonly string[];
  }): Promise<void>;
  /**
   * Removes such a checkout. Before that `tell` is called with the paths of everything in it that differs from what it was made with,
   * besides artifacts and what git ignores. Nothing is done where the folder is missing.
   */
  discard(
    of: { readonly path: string; readonly at: string; readonly artifacts: readonly string[] },
    tell: (changed: readonly string[]) => Promise<void>,
  ): Promise<void>;
  /** Removes the workspace after everything in it that no commit has was kept. The branch stays. */
  release(of: {
    readonly run: string;
    readonly repo: string;
    readonly path: string;
    /** Where files that git does not hold are kept. */
    readonly keep: string;
    /** Paths of artifacts: not part of the work. */
    readonly artifacts?: readonly string[];
  }): Promise<{ readonly salvage: string; readonly kept: string }>;
};

export type Changed = {
  readonly path: string;
  readonly type: "added" | "modified" | "deleted" | "renamed";
  /** Of what was renamed: its old path. */
  readonly from: string | null;
};

/** Where work begins, and what its branch is called. */
export type Branches = {
  /** Gives the run's branch in the user's repository another name. Throws a UserError where the name is invalid or taken. */
  rename(of: {
    readonly run: string;
    readonly repo: string;
    readonly path: string;
    readonly from: string;
    readonly to: string;
  }): Promise<void>;
  /**
   * Gets a repository's own checkout ready to be worked in: nothing is made or changed there. Throws a UserError where there is none.
   * From here on these files are not part of the work, whose run it may be that looks: that of a task works in its parent's place.
   */
  checkout(
    repo: string,
    artifacts: readonly string[],
  ): Promise<{
    /** The commit that it is at; empty where there is none yet. */
    readonly base: string;
  }>;
  /** What is different in the work of a digest from a commit, without artifacts; all of it is new where there is no commit. */
  changed(
    path: string,
    of: { readonly from: string; readonly tree: string; readonly artifacts: readonly string[] },
  ): Promise<readonly Changed[]>;
  /** The branch that a checkout is on; empty for none. */
  branchAt(path: string): string;
  /** The commit that work begins from which names none: the newest of the project's default branch, here and where it is fetched from. */
  baseOf(of: {
    readonly repo: string;
    /** Empty: the branch that the main working tree is on. */
    readonly defaultBranch: string;
    /** An address; empty for none. */
    readonly remote: string;
  }): Promise<{ readonly base: string; readonly notes: readonly string[] }>;
};

/** Where the files of a run are: in its workspace while one is bound, in the state home otherwise. */
export type Place = {
  readonly root: string;
  readonly run: Run;
  readonly workflow: Workflow;
  /** The root is a workspace: where it is gone, nobody makes a folder that only looks like one. */
  readonly isWorkspace?: boolean;
};

/** A task of a list. `text` is what the list says of it, `keys` what it says besides. */
export type Listed = GraphTask & {
  readonly title: string;
  readonly text?: string;
  readonly keys?: TaskKeys;
};

/**
 * The files of a run, which people and agents edit while we read and write them.
 *
 * Contract: nothing that a file is or holds makes these throw; what somebody wrote is never lost. What is worth telling is
 * given back in sentences. They are awaited because the parsers are loaded only when something must be parsed.
 */
/** `to` is the file that is meant, by its path in the place; `reason`, why there is none that may be read. */
export type Lead =
  | { readonly file: string; readonly to: string }
  | { readonly file: string; readonly reason: string };

/** A text for an artifact: the whole of its file, or its section. */
export type ArtifactText = { readonly artifact: string; readonly slot: string; readonly text: string };

export type Artifacts = {
  /**
   * All artifacts of the run, as they are now; with texts, as they would be if these were in their files. What cannot be read safely is a
   * reading with a fault. Throws a UserError where a text cannot stand there.
   */
  read(place: Place, texts?: readonly ArtifactText[]): Promise<readonly Reading[]>;
  /** The same, with the text of each reading; undefined where it has none, or none that is valid UTF-8. */
  collect(
    place: Place,
    texts?: readonly ArtifactText[],
  ): Promise<{
    readonly readings: readonly Reading[];
    textOf(reading: Reading): Promise<string | undefined>;
  }>;
  /** The tasks that a list holds as it is now. Throws an Error that says why where it cannot be worked off. */
  tasks(place: Place, artifact: string): Promise<readonly Listed[]>;
  /** Those of these paths that are ordinary files in the place. */
  present(place: Place, files: readonly string[]): readonly string[];
  /** Of these paths, all that lead somewhere: links are followed inside of the place, and nowhere else. */
  leads(place: Place, files: readonly string[]): readonly Lead[];
  /**
   * The whole texts of these fields of a data file, or under these headings of a document, as it was taken in with this digest: readings hold only the beginning of a long one.
   * Throws an Error that says why where it is another file by now, or has no such text.
   */
  texts(
    place: Place,
    of: { readonly artifact: string; readonly digest: string; readonly fields: readonly string[] },
  ): Promise<Readonly<Record<string, string>>>;
  /**
   * Makes the file of an artifact show a text that was accepted, or its section. `isShown` is false where `isCurrent` says that a newer
   * text was accepted. Throws a UserError where the file cannot be written.
   */
  show(
    place: Place,
    of: ArtifactText & {
      /** The digest of the accepted text; empty for none. */
      readonly over?: string;
      /** A folder for a copy of `over` where the text replaces it. */
      readonly archive?: string;
      /** A folder for a copy of anything else that the text replaces. */
      readonly edited?: string;
      readonly isCurrent: () => Promise<boolean>;
    },
  ): Promise<{ readonly told: readonly string[]; readonly isShown: boolean }>;
  /**
   * Copies files to another root. Of a path, each part in braces stands for any name; what is not an ordinary file is left out. What the
   * other root has of the artifacts in `keep` stays as it is, and the folders of those are made. Files of `others` are copied only where
   * the other root has none.
   */
  copy(
    place: Place,
    of: {
      readonly paths: readonly string[];
      readonly others: readonly string[];
      readonly to: string;
      readonly keep: readonly string[];
    },
  ): Promise<readonly string[]>;
  /** Moves what artifacts hold to an archive folder, or copies it. Nothing is lost; doing it twice is harmless. */
  archive(
    place: Place,
    of: { readonly artifacts: readonly string[]; readonly into: string; readonly isCopy?: boolean },
  ): Promise<readonly string[]>;
  /**
   * Of each of these that is not there now, a copy of the newest in the archive is put into the place, beside where it would be. Gives
   * the paths of the copies in the place. Doing it twice is harmless.
   */
  recall(
    place: Place,
    of: { readonly artifacts: readonly string[]; readonly from: string },
  ): Promise<{ readonly files: readonly string[]; readonly told: readonly string[] }>;
  /** What only people may write is put back where somebody has taken it out; where it was changed, what it said before goes there. */
  keep(place: Place, of: { readonly into: string }): Promise<readonly string[]>;
  /** Takes files of artifacts and projections along from one root to another. A file that is there is kept beside it. */
  carry(place: Place, to: string): Promise<readonly string[]>;
  /**
   * Writes the projections of the run as the place has it, and tells edits of engine-owned fields. With `isCurrent`, an older text never
   * replaces a newer one: where the run has gone on, or the data is old, the rest is left as it is and `isWhole` is false.
   */
  project(
    place: Place,
    of: {
      readonly root: unknown;
      readonly projections: readonly Projection[];
      readonly isCurrent?: () => Promise<boolean>;
    },
  ): Promise<{ readonly told: readonly string[]; readonly isWhole: boolean }>;
};
