/** Commands that workflows declare, as the command line has them: each with the words, options and help of what it calls. */

import {
  commandsOf,
  declaringAs,
  declaringHere,
  shortCommand,
  type Declaring,
  type OwnCommand,
} from "../../app/commands/declared.ts";
import { isUnknownRun } from "../../app/failure.ts";
import type { Given } from "../../app/invocation.ts";
import { storeOf } from "../../app/runs/find.ts";
import { taskMeant } from "../../app/runs/task.ts";
import type { Command, Door, Group } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { OF_PROJECT } from "../project-option.ts";

/** The commands of the workflow of this name; undefined where there is none, or where it declares none. */
export async function groupAs(name: string, door: Door): Promise<Group | undefined> {
  const declaring = await declaringAs(name, door);
  return declaring === undefined ? undefined : groupOf(declaring);
}

/** The command that can be typed as this word alone. */
export async function shortAs(word: string, door: Door): Promise<Command | undefined> {
  const own = await shortCommand(word, door);
  return own === undefined ? undefined : commandOf(own);
}

/** What to type for commands of workflows that have this name, and cannot be typed as this word alone. */
export async function waysToType(word: string, door: Door): Promise<readonly string[]> {
  const all = await declaringHere(door, { mentioning: word });
  const named = all.flatMap(commandsOf).filter(({ name }) => name === word);
  return named.map(({ definition }) => `signalbox ${definition.name} ${word}`);
}

function groupOf(declaring: Declaring): Group {
  const { name, title } = declaring.definition;
  const all = commandsOf(declaring);
  const parts = all.map(
    (each) =>
      [each.name, { about: aboutOf(each), load: async () => ({ command: await commandOf(each) }) }] as const,
  );
  return {
    about: `${title}.\nEach of these is about runs of the workflow \`${name}\`. In the workspace of a run, RUN may be left out.`,
    parts: Object.fromEntries(parts),
    examples: all.slice(0, 1).map((each) => `signalbox ${name} ${each.name} --help`),
  };
}

/** One line for lists of commands. */
export function aboutOf({ command }: OwnCommand): string {
  if (command.about !== "" || !("call" in command)) return command.about;
  return COMMANDS[command.call]?.about ?? "";
}

async function commandOf(own: OwnCommand): Promise<Command> {
  const { command, definition } = own;
  if ("in" in command) return (await import("./go.ts")).goCommand({ ...own, command });
  const called = await calledBy(command.call, own);
  const fixed = {
    ...(Object.hasOwn(called.options, "workflow") ? { workflow: definition.name } : {}),
    ...command.with,
  };
  const isAboutRun = /^\[?RUN\b/.test(called.usage) && !Object.hasOwn(called.options, "project");
  const options = { ...called.options, ...(isAboutRun ? OF_PROJECT : {}) };
  const typed = wayOf(own);
  return {
    ...called,
    workflow: definition.name,
    usage: withoutOptions(called.usage, Object.keys(fixed)),
    options: Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(fixed, name))),
    about: command.about === "" ? called.about : `${sentence(command.about)}\n${called.about}`,
    examples: called.examples
      .filter((example) => Object.keys(fixed).every((name) => !example.includes(`--${name} `)))
      .map((example) => example.replace(`signalbox ${command.call}`, `signalbox ${typed}`)),
    answer: async (given, door) => {
      const meant = isAboutRun ? await withRun(given, door) : given;
      return called.answer({ ...meant, options: { ...meant.options, ...fixed } }, door);
    },
  };
}

/** What is typed for it, without `signalbox`. */
export function wayOf({ definition, name, command }: OwnCommand): string {
  return command.short ? name : `${definition.name} ${name}`;
}

/** `create` has options for what the workflow takes, and `list` lists the runs of one workflow. */
async function calledBy(call: string, { definition }: OwnCommand): Promise<Command> {
  if (call === "create") return (await import("../commands/act/create.ts")).createCommand(definition);
  if (call === "list") return (await import("./list.ts")).command;
  const { command } = (await COMMANDS[call]?.load()) ?? {};
  if (command === undefined || "parts" in command) throw new Error(`${call} is not a command`);
  return command;
}

function withoutOptions(usage: string, names: readonly string[]): string {
  return names.reduce((text, name) => text.replace(new RegExp(` ?\\[--${name}\\b[^\\]]*\\]`), ""), usage);
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}

/** The run is looked for in the project that was named, or in the one that the caller is in. A word that is no run may be text. */
async function withRun(given: Given, door: Door): Promise<Given> {
  const { project, ...options } = given.options;
  const [word, ...rest] = given.words;
  if (word === undefined && project === undefined) return given;
  const store = await storeOf(door);
  try {
    return { ...given, options, words: [await taskMeant({ store, door }, word, project), ...rest] };
  } catch (error) {
    if (project === undefined && isUnknownRun(error)) return given;
    throw error;
  } finally {
    await store?.close();
  }
}
