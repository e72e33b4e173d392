/**
 * Completes a line. The scripts of all shells ask this, so that they are short, agree, and need not be made anew with every
 * version; only the command that is being typed is loaded.
 */

import { GLOBAL, type Known } from "../arguments.ts";
import type { Command, Group } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { grammarOf, slotAt, slotOfOption, type Slot } from "./grammar.ts";

export type Candidate = { readonly word: string; readonly about: string };

/** What only the moment of typing knows. */
export type Lists = {
  workflows(): readonly Candidate[];
  /** Workflows that have one. */
  demos(): readonly Candidate[];
  runs(): Promise<readonly Candidate[]>;
  decisions(): Promise<readonly Candidate[]>;
  projects(): Promise<readonly Candidate[]>;
  /** Words that workflows add: their names, where they declare commands, and their short commands. */
  declared(): Promise<readonly Candidate[]>;
  /** What such a word stands for. */
  declaredAs(word: string): Promise<Command | Group | undefined>;
  /** Of a workflow that was typed; with the option that disables it, where it can be. */
  stages(workflow: string): Promise<readonly (Candidate & { readonly off: string })[]>;
  /** Options that are a word of one of its parameters. */
  values(workflow: string): Promise<readonly (Candidate & { readonly param: string })[]>;
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
  const command = entry === undefined ? await lists.declaredAs(name) : (await entry.load()).command;
  if (command === undefined) return [];
  const rest = before.slice(at + 1);
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
    return awaiting.type === "stages" ? lists.stages(workflow ?? "") : listOf(awaiting, lists);
  if (typed.startsWith("-") && !rest.includes("--")) {
    const options = optionsOf(known, rest);
    return workflow === undefined
      ? options
      : [...options, ...(await openOptions(known, { workflow, rest }, lists))];
  }
  return listOf(slotAt(grammarOf(command), words.length), lists);
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

function listOf(slot: Slot | undefined, lists: Lists): readonly Candidate[] | Promise<readonly Candidate[]> {
  switch (slot?.type) {
    case undefined:
    case "stages":
    case "anything":
      return [];
    case "one-of":
      return slot.words.map((word) => ({ word, about: "" }));
    case "commands":
      return commands();
    case "workflows":
    case "demos":
    case "runs":
    case "decisions":
    case "projects":
      return lists[slot.type]();
  }
}
