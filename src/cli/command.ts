/** What a command is: words and options in, an answer out. Printing is the same for all of them. */

import type { Env, Home } from "../adapters/home/paths.ts";
import type { Procs } from "../adapters/person/processes.ts";
import type { Box } from "../engine/box.ts";
import type { Paint } from "./paint.ts";
import type { Talk } from "./progress.ts";

/** Where a command is called, and how it is called from there: nothing else of the process reaches it. */
export type Door = {
  readonly cwd: string;
  readonly home: string;
  readonly env: Env;
  /** The processes we come from; those of this machine unless a test says otherwise. */
  readonly procs?: Procs;
  /** Starts the supervisor of a state home; a test puts its own in its place. */
  readonly startSupervisor?: (home: Home) => void;
  readonly paint: Paint;
  /** How wide the terminal is that people see stdout on; undefined where there is none. */
  readonly width?: number;
  /** For what is said while a command is at work; none where only its result is wanted. */
  readonly talk?: Talk;
  readonly self: string;
  /** What was read of the standard input before. */
  readonly stdin?: Uint8Array;
  /** For a command that is answered by the supervisor. */
  readonly warm?: Warm;
};

/** What a process that stays has open already. */
export type Warm = {
  readonly box: Box;
  /** Something was written that it may have to act upon. */
  ring(): void;
  /** The bytes of a file as whoever asked sees it; `-` is the standard input. */
  read(file: string): Promise<Uint8Array>;
};

/**
 * `takes` names the value of an option; without it the option is a switch. In the name of an option, a word in capitals stands for
 * any other: what is typed as --no-test is in `lists` under no-STAGE, as "test".
 */
export type Option = {
  readonly about: string;
  readonly takes?: string;
  readonly short?: string;
  /** It may be given several times: its values are in `lists`. */
  readonly many?: true;
  /** It means something without its value too. */
  readonly alone?: true;
};

export type Given = {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

export type Command = {
  /** What follows the command's name. */
  readonly usage: string;
  readonly about: string;
  readonly words: { readonly min: number; readonly max: number };
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  answer(given: Given, door: Door): Answer | Promise<Answer>;
};

/** A command as it is listed: loaded only when it is called. */
export type Entry = {
  readonly about: string;
  readonly example: string;
  readonly load: () => Promise<{ readonly command: Command | Group }>;
};

/** Several commands under one word, each with words, options and help of its own. */
export type Group = {
  readonly about: string;
  readonly parts: Readonly<Record<string, Part>>;
  readonly examples: readonly string[];
};

export type Part = {
  readonly about: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};

export type Answer = {
  readonly exit: number;
  /** Stable, for programs; `ok` where all is well. */
  readonly code: string;
  readonly message: string;
  /** The result for programs, beside code and message; like the text for people, made only when it is printed. */
  readonly data: () => Readonly<Record<string, unknown>>;
  readonly text: () => string;
  /** The one next command, where there is one. */
  readonly next: string;
  /** What else is worth saying to people; not with `--quiet`. */
  readonly talk?: string;
  /** What comes after all that, piece by piece, until it is over or somebody interrupts: gives the exit code. */
  readonly stream?: (emit: Emit, signal: AbortSignal) => Promise<number>;
};

/** One piece of a stream: its text for people, its data as one line of JSON for programs. */
export type Emit = (piece: {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}) => void;

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_WAITING = 3;
export const EXIT_NOT_YOURS = 4;
export const EXIT_GATE = 5;
export const EXIT_CONFLICT = 6;
export const EXIT_DAMAGED = 8;
export const EXIT_BUG = 70;
export const EXIT_INTERRUPTED = 130;

/** What to type next; where it is one of several, each has a line. */
export function sayNext(next: string): string {
  return `  next: ${next.replaceAll(", or: ", "\n    or: ")}\n`;
}
