/**
 * Commands that workflows declare: which ones exist where a person is, and which one a word means.
 *
 * Commands of a repository are read from the main working tree of the project alone: an agent could have written those in a workspace. They
 * count once a person trusts the repository, because a command can hide what it does. Those of built-in workflows always count.
 */

import { join, sep } from "node:path";
import { homeOf } from "../../adapters/home/paths.ts";
import {
  findNamed,
  listWorkflows,
  type FoundWorkflow,
  type SearchPlace,
} from "../../adapters/library/find.ts";
import { textOf } from "../../adapters/library/read.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import {
  isBegunByDefault,
  type DeclaredCommand,
  type Definition,
  type SourcePlace,
} from "../../core/model/workflow.ts";
import { EXIT_USAGE } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import { storeOf } from "../runs/find.ts";
import { projectFolder } from "../setup/repository.ts";
import { loadWorkflow, requireLoaded, type Loaded } from "../workflows/load.ts";

export type { Definition };

/** A workflow that declares commands, and where its file is. */
export type Declaring = {
  readonly definition: Definition;
  readonly found: FoundWorkflow;
  /** As people see it where they are. */
  readonly file: string;
};

/** One command, and the workflow that declares it. */
export type OwnCommand = Declaring & { readonly name: string; readonly command: DeclaredCommand };

/** The workflow of this name, where it declares commands. */
export async function declaringAs(name: string, door: Invocation): Promise<Declaring | undefined> {
  const where = await libraryOf(door);
  const found = findNamed(name, where);
  if (found === undefined) return undefined;
  await requireTrusted(found, door, where);
  const { file, workflow } = requireLoaded(await loadWorkflow(found, door), name);
  const { definition } = workflow;
  return definition.commands === undefined ? undefined : { definition, found, file };
}

/** The command that can be typed as this word alone: one of the repository before a built-in one. */
export async function shortCommand(word: string, door: Invocation): Promise<OwnCommand | undefined> {
  const where = await libraryOf(door);
  const all = await shortCommands(door, { mentioning: word });
  const named = all.filter(({ name }) => name === word);
  const own = named.filter(({ found }) => found.from === "override");
  const [first, second] = own.length > 0 ? own : named;
  if (first === undefined) return undefined;
  if (second !== undefined) throw ambiguous(word, [first, second]);
  await requireTrusted(first.found, door, where);
  return first;
}

/** Every command that can be typed without the name of its workflow. */
async function shortCommands(door: Invocation, which: Which = {}): Promise<readonly OwnCommand[]> {
  const all = await declaringHere(door, which);
  return all.flatMap((each) =>
    commandsOf(each).filter(
      ({ command, name, definition }) =>
        command.short && !(name === "create" && isBegunByDefault(definition)),
    ),
  );
}

/** Which workflows are looked at: the others are not parsed. */
type Which = { readonly mentioning?: string; readonly isMeant?: (found: FoundWorkflow) => boolean };

/** All workflows here that declare commands and can be parsed. What is wrong with the others is for `check` to say. */
export async function declaringHere(door: Invocation, which: Which = {}): Promise<readonly Declaring[]> {
  return (await loadedHere(door, which)).flatMap((each): Declaring[] =>
    each.ok && each.workflow.definition.commands !== undefined
      ? [{ definition: each.workflow.definition, found: each.found, file: each.file }]
      : [],
  );
}

async function loadedHere(
  door: Invocation,
  { mentioning = "", isMeant = () => true }: Which = {},
): Promise<readonly Loaded[]> {
  const found = listWorkflows(await libraryOf(door)).filter((each) => {
    const text = isMeant(each) ? textOf(each) : undefined;
    return text !== undefined && /^commands:/m.test(text) && text.includes(mentioning);
  });
  return Promise.all(found.map((each) => loadWorkflow(each, door)));
}

export function commandsOf(of: Declaring): readonly OwnCommand[] {
  return Object.entries(of.definition.commands ?? {}).map(([name, command]) => ({ ...of, name, command }));
}

/** Where a command stands in its file. */
export function placeOfCommand({ definition, file, name }: OwnCommand): SourcePlace {
  const { line = 1, col = 1 } = definition.places[`commands.${name}`] ?? {};
  return { file, line, col };
}

export function sayPlace({ file, line, col }: SourcePlace): string {
  return `${file}:${line}:${col}`;
}

/** The workflow that `create` begins: that of the settings, else the one whose `create` is short. */
export async function workflowToCreate(door: Invocation): Promise<string> {
  const set = await workflowInSettings(door);
  if (set !== undefined) return set;
  const all = (await declaringHere(door)).filter(({ definition }) => isBegunByDefault(definition));
  const own = all.filter(({ found }) => found.from === "override");
  const [first, second] = (own.length > 0 ? own : all).map(({ definition }) => definition.name);
  const next = "signalbox create --workflow NAME; signalbox workflows lists them";
  if (first === undefined) {
    // One that cannot be parsed may be the one that is meant, and hides the built-in one of its name.
    (await loadedHere(door)).forEach((each) => requireLoaded(each, each.name));
    throw new UserError("which-workflow", "say which workflow it is a run of", next);
  }
  if (second === undefined) return first;
  throw new UserError("which-workflow", `create is short for ${first} and for ${second}`, next);
}

/** Settings of a repository that is not trusted do not count. */
async function workflowInSettings(door: Invocation): Promise<string | undefined> {
  const { surveySettings } = await import("../../adapters/config/read.ts");
  const store = homeOf(door.env) === undefined ? undefined : await storeOf(door);
  try {
    const { layers } = await surveySettings({
      repo: (await libraryOf(door)).cwd,
      env: door.env,
      store: store ?? NO_TRUST,
    });
    return layers.findLast(({ config }) => config.workflow !== undefined)?.config.workflow;
  } finally {
    await store?.close();
  }
}

function ambiguous(word: string, both: readonly OwnCommand[]): UserError {
  const places = both.map((each) => `${each.definition.name} (${sayPlace(placeOfCommand(each))})`);
  return new UserError("ambiguous-command", `${word} is a command of ${places.join(" and of ")}`, {
    next: both.map(({ definition }) => `signalbox ${definition.name} ${word}`).join(", or: "),
    exit: EXIT_USAGE,
  });
}

/** The main working tree of the project that the caller is in; where there is none, the folder itself. */
async function libraryOf(door: Invocation): Promise<SearchPlace> {
  const root = homeOf(door.env)?.root;
  const isInHome = root !== undefined && door.cwd.startsWith(join(root, sep));
  const store = isInHome ? await storeOf(door) : undefined;
  try {
    return { home: door.home, cwd: repositoryOf(await projectFolder(store, door)).main };
  } catch (error) {
    if (error instanceof UserError) return door;
    throw error;
  } finally {
    await store?.close();
  }
}

/** Without a state home nothing is trusted. */
const NO_TRUST = { trusted: () => Promise.resolve(undefined), humanKeys: () => Promise.resolve([]) };

async function requireTrusted(found: FoundWorkflow, door: Invocation, { cwd }: SearchPlace): Promise<void> {
  if (found.from === "built-in") return;
  const { requireTrust } = await import("../../adapters/trust/trust.ts");
  const store = homeOf(door.env) === undefined ? undefined : await storeOf(door);
  try {
    await requireTrust({ store: store ?? NO_TRUST, env: door.env }, cwd);
  } finally {
    await store?.close();
  }
}
