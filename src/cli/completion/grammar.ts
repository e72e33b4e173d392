/** What can follow a command, read off the command itself, so that completion cannot fall behind it. */

import type { Command, Option } from "../command.ts";

/** What stands for a word: one of these, or something that only the moment of typing knows. */
export type Slot =
  | { readonly type: "one-of"; readonly words: readonly string[] }
  | {
      readonly type:
        | "workflows"
        | "demos"
        | "runs"
        | "decisions"
        | "projects"
        | "stages"
        | "commands"
        | "anything";
    };

export type Grammar = {
  readonly slots: readonly Slot[];
  /** The last slot may be filled any number of times. */
  readonly repeats: boolean;
};

export function grammarOf({ usage }: Pick<Command, "usage">): Grammar {
  const words = wordsOf(usage);
  return {
    slots: words.map((word) => slotOf(word.replace(/\.\.\.$/, ""))),
    repeats: words.at(-1)?.endsWith("...") === true,
  };
}

export function slotAt({ slots, repeats }: Grammar, position: number): Slot | undefined {
  return slots[position] ?? (repeats ? slots.at(-1) : undefined);
}

/** What an option takes; undefined for a switch. */
export function slotOfOption({ takes }: Option): Slot | undefined {
  return takes === undefined ? undefined : slotOf(takes);
}

/** The usage without its options: `RUN STATE [--note TEXT]` is two words. */
function wordsOf(usage: string): string[] {
  return usage
    .replaceAll(/\[-[^\]]*\]/g, " ")
    .replaceAll(/(?<!\S)--?[a-z][\w-]*(?:[ =][A-Z][A-Z_|]*)?/g, " ")
    .split(/\s+/)
    .map((word) => word.replaceAll(/[[\]]/g, ""))
    .filter((word) => /[A-Za-z]/.test(word));
}

const LISTS: Readonly<Record<string, Slot>> = {
  WORKFLOW: { type: "workflows" },
  DEMO: { type: "demos" },
  RUN: { type: "runs" },
  PROJECT: { type: "projects" },
  STAGE: { type: "stages" },
  DECISION: { type: "decisions" },
  QUESTION: { type: "decisions" },
  COMMAND: { type: "commands" },
};

function slotOf(word: string): Slot {
  const list = Object.hasOwn(LISTS, word) ? LISTS[word] : undefined;
  if (list !== undefined) return list;
  // Words for people are in capitals; what is not is meant literally.
  if (/^[a-z][\w-]*(?:\|[a-z][\w-]*)*$/.test(word)) return { type: "one-of", words: word.split("|") };
  return { type: "anything" };
}
