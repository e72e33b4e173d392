/** Replaces several files and moves a folder: either all of it happens or nothing. */

/** A file that may be replaced. Where it is missing, `digest` is `none`. */
export type ReplaceableFile = { readonly digest: string; readonly bytes: Uint8Array | undefined };

export type ArchiveRequest = {
  readonly root: string;
  /** Each file is replaced only if its content still has the digest `base`. */
  readonly files: readonly {
    readonly file: string;
    readonly base: string;
    readonly bytes: Uint8Array;
  }[];
  /** The folder to move: to the first of `to`, `to-2`, `to-3` ... that does not exist. */
  readonly folder: string;
  readonly to: string;
};

/**
 * Changes of files under a root, recorded in a folder of the engine (`desk`) before they happen.
 *
 * Contract: if the process is killed at any moment, every file has its old or its new content, whole. The next process finishes the plan or
 * undoes it. Links are not followed. A file with any other content is not replaced. If a step fails, everything is undone and the error is
 * thrown. Every step may be repeated.
 */
export type Archives = {
  /** Reads a file. Throws an Error with the reason if it cannot be replaced. */
  look(root: string, file: string): ReplaceableFile;
  /** Writes a copy for people; an existing file stays as it is. */
  keep(path: string, bytes: Uint8Array): void;
  isPlanned(desk: string): boolean;
  /** Records the plan. False, and nothing is recorded, if a file does not have its `base`. */
  plan(desk: string, wanted: ArchiveRequest): boolean;
  /** Replaces the files. *undone*: one of them was changed since the plan, so the plan was undone and dropped. */
  put(desk: string): "ready" | "undone";
  /** Moves the folder, after `put`. Returns its old and its new path. */
  move(desk: string): { readonly from: string; readonly to: string };
  /** Undoes the plan, unless it is finished. */
  undo(desk: string): void;
};
