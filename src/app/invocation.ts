/** Where and how a use case is called: nothing else of the process reaches it. */

import type { Env, Home } from "../adapters/home/paths.ts";
import type { Procs } from "../adapters/person/processes.ts";
import type { Box } from "../engine/box.ts";

export type Invocation = {
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  readonly env: Env;
  /** The processes that the caller descends from; those of this machine unless a test replaces them. */
  readonly procs?: Procs;
  /** Starts the supervisor of a state home; a test replaces it. */
  readonly startSupervisor?: (home: Home) => void;
  /** For what is said while a call is at work; none where only its result is wanted. */
  readonly talk?: Talk;
  /** Hears how far a long call is, now and then. */
  readonly progress?: (of: string, count: number) => void;
  /** The id of the call, where another process may have carried it out before: its events have keys made of it. */
  readonly call?: string;
  /** Set where the supervisor answers the call. */
  readonly warm?: Warm;
};

export type Talk = {
  /** At once, beside the result. */
  readonly print: (text: string) => void;
  /** How wide the terminal is; undefined where there is none. */
  readonly columns: () => number | undefined;
};

/** What the supervisor has open already. */
type Warm = {
  readonly box: Box;
  /** Tells the supervisor that something was written that it may have to act upon. */
  ring(): void;
};

/** Words and options as they were typed. */
export type Given = {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
};
