/** What a command is: words and options in, an answer out. Printing is the same for all of them. */

import type { Offered } from "../app/completion.ts";
import type { Given, Invocation } from "../app/invocation.ts";
import type { Stream } from "../app/outcome.ts";
import type { Paint } from "./paint.ts";

/** Where a command is called, and how its answer is shown there. */
export type Door = Invocation & {
  readonly paint: Paint;
  /** How wide the terminal is that people see stdout on; undefined where there is none. */
  readonly width?: number;
  /** Whether a person types at a terminal and can be asked, and not a program; asked only where it matters. */
  readonly isTyped?: () => boolean;
  readonly self: string;
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

export type Command = {
  /** What follows the command's name. */
  readonly usage: string;
  readonly about: string;
  readonly words: { readonly min: number; readonly max: number };
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** The runs that completion offers: those that a verb means something for, or that are over; all unless given. */
  readonly offers?: Offered;
  /** The only workflow whose runs completion offers. */
  readonly workflow?: string;
  answer(given: Given, door: Door): Answer | Promise<Answer>;
};

/** A command as it is listed: loaded only when it is called. */
export type Entry = {
  readonly about: string;
  readonly load: () => Promise<{ readonly command: Command | Group }>;
  /** The command as it is for what was typed, where that says which options it has. */
  readonly loadFor?: (typed: readonly string[], door: Door) => Promise<Command>;
};

/** Several commands under one word, each with words, options and help of its own. */
export type Group = {
  readonly about: string;
  readonly parts: Readonly<Record<string, Part>>;
  readonly examples: readonly string[];
};

type Part = {
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
  readonly stream?: Stream;
};
