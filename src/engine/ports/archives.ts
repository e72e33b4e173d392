/** Several files replaced and a folder moved, all of it or nothing. */

/** `none` where there is no file. */
export type Seen = { readonly digest: string; readonly bytes: Uint8Array | undefined };

export type Wanted = {
  readonly root: string;
  /** Each replaces exactly the content of this digest, or nothing. */
  readonly files: readonly {
    readonly file: string;
    readonly base: string;
    readonly bytes: Uint8Array;
  }[];
  /** Moved to the first of `to`, `to-2`, `to-3` ... that is not there. */
  readonly folder: string;
  readonly to: string;
};

/**
 * What happens to the files of a root is written down in a folder of ours, the *desk*, before it happens.
 *
 * Contract: killed at any moment, every file holds what it held or what it is to hold, whole; whoever comes next finishes it or puts
 * everything back. Nothing is written or followed through a link, and nothing is replaced that is neither of the two. What cannot be
 * done is put back and thrown. Done twice, each finds its own work.
 */
export type Archives = {
  /** A file as it is. Throws an Error that says why where it is none that could be replaced. */
  look(root: string, file: string): Seen;
  /** Puts a copy there, for people to look at; one that is there stays. */
  keep(path: string, bytes: Uint8Array): void;
  isPlanned(desk: string): boolean;
  /** False where something is not as it is wanted: then nothing is planned. */
  plan(desk: string, wanted: Wanted): boolean;
  /** Replaces the files. *undone*: somebody has changed one of them meanwhile, and nothing is planned any more. */
  put(desk: string): "ready" | "undone";
  /** Moves the folder, after `put`. Gives where it is from then on. */
  move(desk: string): { readonly from: string; readonly to: string };
  /** Puts everything back, unless it is done. */
  undo(desk: string): void;
};
