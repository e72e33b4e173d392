/** Processes that outlive us. */

import type { Confinement } from "./sandbox.ts";

export type Launch = {
  /** Path-safe and unique. */
  readonly id: string;
  /** Its folder; made if it is not there. */
  readonly dir: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing else is handed on. The marker is added. */
  readonly env: Readonly<Record<string, string>>;
  /** A file that becomes its standard input; none: nothing to read, or the terminal where it has one. */
  readonly stdin: string;
  /** A window of its own, in the terminal session of its run; none: no terminal. */
  readonly terminal?: Window;
  /** What it can reach; without it, everything that the person can. */
  readonly cell?: Confinement;
};

export type Window = {
  /** The run: one session for each. */
  readonly session: string;
  /** What people see of the session; safe for any text. */
  readonly title: string;
  /** What people see of the window. */
  readonly name: string;
};

/** What became of a text for somebody's terminal. */
export type Told =
  /** The terminal has taken it. */
  | "told"
  /** Nobody is there to take it, and nothing was sent. */
  | "gone";

export type Process =
  /** Nobody has begun it. */
  | { readonly type: "absent" }
  /** Claimed a moment ago; its shim has not said more yet. */
  | { readonly type: "starting" }
  | { readonly type: "alive"; readonly pid: number; readonly outputAt: number }
  | { readonly type: "ended"; readonly code: number }
  /**
   * No exit status that counts. `infrastructure`: another boot of the machine, or the server of its terminal is gone, which says
   * nothing about the process. What is left of it is there until it is killed.
   */
  | { readonly type: "lost"; readonly infrastructure: boolean };

/**
 * Processes that outlive us.
 *
 * Contract: `launch` may be called any number of times for one id, by any number of processes, at any moment: the program is
 * started once. `kill` ends the whole group and what left it, also a launch that is only on its way, and returns when nothing is left:
 * what it was before, where a program that has ended by itself is let go first.
 */
export type Processes = {
  launch(launch: Launch): Promise<Process>;
  probe(dir: string): Process;
  kill(job: { readonly id: string; readonly dir: string }): Promise<Process>;
  /** Ids whose exit was reported since last asked; forgets them. */
  reported(): string[];
  /** Keeps a log from growing for ever. */
  rotate(dir: string): void;
  /** Whether there are terminals here at all. */
  hasTerminals(): boolean;
  /** Types a text into the terminal of a live job, as one paste, and sends it. May happen twice where we are killed over it. */
  tell(job: { readonly id: string; readonly dir: string }, text: string): Promise<Told>;
  /** Closes the terminal session of a run, with what is left to read in it. What lives there must have been killed before. */
  close(session: string): Promise<void>;
};
