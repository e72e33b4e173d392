/** What a use case gives: data for programs, one sentence and notes for people. How they are laid out is the door's. */

import { EXIT_OK } from "./exit-codes.ts";
import type { Followed } from "./story/follow.ts";

export type Outcome<Data> = {
  readonly exit: number;
  /** Stable, for programs; `ok` where the call succeeded. */
  readonly code: string;
  readonly message: string;
  readonly data: Data;
  /** The one next command; empty where there is none. */
  readonly next: string;
  /** What else is worth saying to people. */
  readonly notes: readonly string[];
  /** What a person can do, where the call could not do it. */
  readonly choices?: readonly { readonly command: string; readonly means: string }[];
  /** What follows, piece by piece; only in the process of the caller. */
  readonly stream?: Stream;
  /** What happens to a run that is followed, piece by piece, and how that ended; only in the process of the caller. */
  readonly follow?: (emit: Emit, signal: AbortSignal) => Promise<Followed>;
};

/** One piece of a stream: its text for people, its data as one line of JSON for programs. */
export type Emit = (piece: {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}) => void;

/** A part of an answer that goes on until it is over or interrupted; gives the exit code. */
export type Stream = (emit: Emit, signal: AbortSignal) => Promise<number>;

/** What a call gives that did what was asked. */
export function success<Data>(
  message: string,
  data: Data,
  { next = "", notes = [] }: Partial<Pick<Outcome<Data>, "next" | "notes">> = {},
): Outcome<Data> {
  return { exit: EXIT_OK, code: "ok", message, data, next, notes };
}
