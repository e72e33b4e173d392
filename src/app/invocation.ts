/** One call of a use case: the folder, the environment and the processes of its caller. A use case reads nothing else of its process. */

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
  /** Prints lines while a call is under way; missing where the caller wants only the result. */
  readonly talk?: Talk;
  /** Called now and then with the progress of a long call. */
  readonly progress?: (of: string, count: number) => void;
  /** The id of the call, where another process may have carried it out before: its events have keys made of it. */
  readonly call?: string;
  /** Set where the supervisor carries out the call: its open ports. */
  readonly warm?: Warm;
};

/** The same call on the store that several machines share. */
export function withDatabase<Called extends Pick<Invocation, "env">>(
  door: Called,
  database: string | undefined,
): Called {
  return database === undefined ? door : { ...door, env: { ...door.env, SIGNALBOX_DATABASE: database } };
}

export type Talk = {
  /** Prints at once, apart from the result. */
  readonly print: (text: string) => void;
  /** How wide the terminal is; undefined where there is none. */
  readonly columns: () => number | undefined;
};

/** What the supervisor has open, and a command would have to open first. */
type Warm = {
  readonly box: Box;
  /** Tells the supervisor that an effect may be due. */
  ring(): void;
};

/** Words and options as they were typed. */
export type Given = {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
};
