/**
 * Completes a line. The scripts of all shells ask this, so that they are short, agree, and need not be made anew with every
 * version; only the command that is being typed is loaded.
 */

import type { Candidate, CompletionWords, Offered } from "../../app/completion.ts";
import { GLOBAL, type Known } from "../arguments.ts";
import type { Command, Group, Option } from "../command.ts";
import { COMMANDS } from "../commands.ts";

/** What only the moment of typing knows. */
export type Lists = CompletionWords & {
  /** Words that workflows add: their names, where they declare commands, and their short commands. */
  declared(): Promise<readonly Candidate[]>;
  /** What such a word stands for. */
  declaredAs(word: string): Promise<Command | Group | undefined>;
  /** A command whose options depend on what was typed, and on the workflow that it means. */
  commandFor(name: string, typed: readonly string[]): Promise<Command | undefined>;
};

/** `words` are those after `signalbox`; the last one is being typed, and may be empty. */
export async function complete(words: readonly string[], lists: Lists): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), typed, lists);
  return candidates.filter(({ word }) => word.startsWith(typed));
}

async function candidatesFor(
  before: readonly string[],
  typed: string,
  lists: Lists,
): Promise<readonly Candidate[]> {
  const at = before.findIndex((word) => !word.startsWith("-"));
  const name = before[at];
  if (name === undefined) return typed.startsWith("-") ? optionsOf(GLOBAL, before) : wordsOf(lists);
  if (name === "help") return before.length === at + 1 ? wordsOf(lists) : [];
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const rest = before.slice(at + 1);
  const command =
    entry === undefined
      ? await lists.declaredAs(name)
      : ((await lists.commandFor(name, rest)) ?? (await entry.load()).command);
  if (command === undefined) return [];
  return "parts" in command
    ? candidatesOfGroup(command, { rest, typed }, lists)
    : candidatesOf(command, { rest, typed }, lists);
}

type Typing = { readonly rest: readonly string[]; readonly typed: string };

async function candidatesOfGroup(
  { parts }: Group,
  { rest, typed }: Typing,
  lists: Lists,
): Promise<readonly Candidate[]> {
  const at = rest.findIndex((word) => !word.startsWith("-"));
  const name = rest[at];
  if (name === undefined)
    return typed.startsWith("-")
      ? optionsOf(GLOBAL, rest)
      : Object.entries(parts).map(([word, { about }]) => ({ word, about }));
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) return [];
  const { command } = await part.load();
  return candidatesOf(command, { rest: rest.toSpliced(at, 1), typed }, lists);
}

async function candidatesOf(
  command: Command,
  { rest, typed }: Typing,
  lists: Lists,
): Promise<readonly Candidate[]> {
  const known = { ...command.options, ...GLOBAL };
  const { words, awaiting } = walk(rest, known);
  const [workflow] = words;
  if (awaiting !== undefined)
    return awaiting.type === "stages" ? lists.stages(workflow ?? "") : listOf(awaiting, lists, { words });
  if (typed.startsWith("-") && !rest.includes("--")) {
    const options = optionsOf(known, rest);
    return workflow === undefined
      ? options
      : [...options, ...(await openOptions(known, { workflow, rest }, lists))];
  }
  return listOf(slotAt(grammarOf(command), words.length), lists, {
    words,
    offers: command.offers,
    workflow: command.workflow,
  });
}

/** Those that a command has only together with a workflow. */
async function openOptions(
  known: Known,
  { workflow, rest }: { readonly workflow: string; readonly rest: readonly string[] },
  lists: Lists,
): Promise<readonly Candidate[]> {
  const stages = Object.hasOwn(known, "no-STAGE") ? await lists.stages(workflow) : [];
  const off = stages.filter((stage) => stage.off !== "" && !rest.includes(stage.off));
  const all = Object.hasOwn(known, "VALUE") ? await lists.values(workflow) : [];
  // An option of the command is what it always is.
  const values = all.filter(({ word }) => !Object.hasOwn(known, word.slice(2)));
  const taken = new Set(values.filter(({ word }) => rest.includes(word)).map(({ param }) => param));
  return [
    ...off.map(({ word, off: option }) => ({ word: option, about: `without ${word}` })),
    ...values.filter(({ param }) => !taken.has(param)).map(({ word, about }) => ({ word, about })),
  ];
}

/** The words so far, and what the option before the cursor waits for. */
function walk(rest: readonly string[], known: Known): { words: string[]; awaiting: Slot | undefined } {
  const words: string[] = [];
  let awaiting: Slot | undefined;
  let isOpen = true;
  for (const word of rest) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (!isOpen || !word.startsWith("-")) words.push(word);
    else if (word === "--") isOpen = false;
    else awaiting = awaitedBy(word, known);
  }
  return { words, awaiting };
}

function awaitedBy(word: string, known: Known): Slot | undefined {
  const found = Object.entries(known).find(
    ([name, { short }]) => word === `--${name}` || word === `-${short ?? "-"}`,
  );
  return found === undefined ? undefined : slotOfOption(found[1]);
}

function optionsOf(known: Known, used: readonly string[]): Candidate[] {
  return Object.entries(known)
    .map(([name, { about }]) => ({ word: `--${name}`, about }))
    .filter(({ word }) => !used.includes(word));
}

async function wordsOf(lists: Lists): Promise<readonly Candidate[]> {
  return [...commands(), ...(await lists.declared())];
}

function commands(): Candidate[] {
  const known = Object.entries(COMMANDS).map(([word, { about }]) => ({ word, about }));
  return [...known, { word: "help", about: "show how a command is used" }];
}

type Slotted = {
  readonly words: readonly string[];
  readonly offers?: Offered | undefined;
  readonly workflow?: string | undefined;
};

function listOf(
  slot: Slot | undefined,
  lists: Lists,
  { words: [run = ""], offers, workflow }: Slotted,
): readonly Candidate[] | Promise<readonly Candidate[]> {
  switch (slot?.type) {
    case undefined:
    case "stages":
    case "anything":
      return [];
    case "one-of":
      return slot.words.map((word) => ({ word, about: "" }));
    case "commands":
      return commands();
    case "runs":
      return lists.runs(offers, workflow);
    case "states":
      return lists.states(run);
    case "workflows":
    case "demos":
    case "decisions":
    case "projects":
    case "harnesses":
      return lists[slot.type]();
  }
}

/** What can follow a command, read off the command itself, so that completion cannot fall behind it. */

/** What stands for a word: one of these, or something that only the moment of typing knows. */
type Slot =
  | { readonly type: "one-of"; readonly words: readonly string[] }
  | {
      readonly type:
        | "workflows"
        | "demos"
        | "runs"
        | "decisions"
        | "projects"
        | "stages"
        | "states"
        | "harnesses"
        | "commands"
        | "anything";
    };

type Grammar = {
  readonly slots: readonly Slot[];
  /** The last slot may be filled any number of times. */
  readonly repeats: boolean;
};

export function grammarOf({ usage }: Pick<Command, "usage">): Grammar {
  const words = usageWords(usage);
  return {
    slots: words.map((word) => slotOf(word.replace(/\.\.\.$/, ""))),
    repeats: words.at(-1)?.endsWith("...") === true,
  };
}

function slotAt({ slots, repeats }: Grammar, position: number): Slot | undefined {
  return slots[position] ?? (repeats ? slots.at(-1) : undefined);
}

/** What an option takes; undefined for a switch. */
function slotOfOption({ takes }: Option): Slot | undefined {
  return takes === undefined ? undefined : slotOf(takes);
}

/** The usage without its options: `RUN STATE [--note TEXT]` is two words. */
function usageWords(usage: string): string[] {
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
  STATE: { type: "states" },
  HARNESS: { type: "harnesses" },
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
