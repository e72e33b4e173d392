/** `signalbox completion`: what a shell needs to complete our command lines. */

import { listWorkflows } from "../../../adapters/library/find.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { closest } from "../../../core/text/closest.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { storeOf } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door, Group } from "../../command.ts";
import { COMMANDS } from "../../commands.ts";
import { complete, type Candidate, type Lists } from "../../completion/complete.ts";
import { demoNames } from "../../../app/demo.ts";
import { offOption } from "../../../app/start/stages.ts";
import { valueOptions } from "../../values.ts";
import { loadWorkflow } from "../../../app/workflows/load.ts";
import { SCRIPTS, SHELLS } from "../../completion/scripts.ts";

/** What `--json` gives: one of the two. */
export type CompletionData =
  | { readonly shell: string; readonly script: string }
  | { readonly candidates: readonly Candidate[] };

const WORDS_MAX = 1000;
const RUNS_MAX = 100;

export const command: Command = {
  usage: "bash|zsh|fish",
  about:
    'Prints what a shell needs to complete commands, options, workflows and runs.\nbash: eval "$(signalbox completion bash)" in ~/.bashrc. zsh: the same with zsh, in ~/.zshrc after compinit.\nfish: signalbox completion fish | source in ~/.config/fish/config.fish.',
  words: { min: 1, max: WORDS_MAX },
  options: { line: { about: "complete the words after -- instead; this is what the scripts call" } },
  examples: ["signalbox completion bash", "signalbox completion --line -- check ta"],
  async answer({ words, options }, door): Promise<Answer> {
    return options["line"] === undefined ? scriptFor(words) : completed(await complete(words, listsOf(door)));
  },
};

function scriptFor([wanted = "", ...more]: readonly string[]): Answer {
  const shell = SHELLS.find((known) => known === wanted);
  if (shell === undefined || more.length > 0) {
    const near = closest(wanted, SHELLS);
    const hint = near === undefined || shell !== undefined ? "" : `; did you mean "${near}"?`;
    const message = `signalbox completion takes one of ${SHELLS.join(", ")}, not "${[wanted, ...more].join(" ")}"${hint}`;
    throw new UserError("bad-usage", message, "signalbox completion --help");
  }
  const script = SCRIPTS[shell];
  const data: CompletionData = { shell, script };
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `completion for ${shell}`,
    data: () => data,
    text: () => script,
    next: "",
  };
}

/** One a line, its description after a tab. */
function completed(candidates: readonly Candidate[]): Answer {
  const data: CompletionData = { candidates };
  const flat = (text: string): string => text.replaceAll(/\s+/g, " ");
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${candidates.length} candidates`,
    data: () => data,
    text: () =>
      candidates.map(({ word, about }) => `${word}${about === "" ? "" : `\t${flat(about)}`}\n`).join(""),
    next: "",
  };
}

function listsOf(door: Door): Lists {
  // One line asks for several things of one workflow.
  let parsed: ReturnType<typeof definitionOf> | undefined;
  const definition = (name: string): ReturnType<typeof definitionOf> => (parsed ??= definitionOf(name, door));
  const stored = async (read: (store: Store) => Promise<Candidate[]>): Promise<Candidate[]> => {
    const store = storeOf(door);
    try {
      return store === undefined ? [] : await read(store);
    } finally {
      await store?.close();
    }
  };
  return {
    workflows: () =>
      listWorkflows(door).map(({ name, from }) => ({
        word: name,
        about: from === "override" ? "of this repository" : "built in",
      })),
    declared: () => declaredWords(door),
    declaredAs: (word) => declaredFor(word, door),
    demos: () => demoNames().map((word) => ({ word, about: "" })),
    runs: () =>
      stored(async (store) =>
        (await store.list({ limit: RUNS_MAX })).rows.map(({ id, workflow, state, goal }) => ({
          word: id,
          about: `${workflow}, ${state}: ${goal}`,
        })),
      ),
    stages: async (name) =>
      ((await definition(name))?.stages ?? []).map((stage) => ({
        word: stage.name,
        about: "",
        off: offOption(stage),
      })),
    values: async (name) => {
      const known = await definition(name);
      return known === undefined ? [] : valueOptions(known);
    },
    projects: () =>
      stored(async (store) =>
        (await store.projects()).map(({ name, repo }) => ({ word: name, about: repo })),
      ),
    decisions: () =>
      stored(async (store) =>
        (await store.questions({ open: true })).map(({ id, run, ask }) => ({
          word: id,
          about: `${ask} of ${run}`,
        })),
      ),
  };
}

async function declaredWords(door: Door): Promise<readonly Candidate[]> {
  const { commandsOf, declaringHere } = await import("../../../app/commands/declared.ts");
  const { aboutOf } = await import("../../declared/commands.ts");
  return (await declaringHere(door)).flatMap((each) => [
    { word: each.definition.name, about: each.definition.title },
    ...commandsOf(each)
      .filter(({ name, command: { short } }) => short && !Object.hasOwn(COMMANDS, name))
      .map((own) => ({ word: own.name, about: aboutOf(own) })),
  ]);
}

/** Where a command is refused, there is nothing to offer. */
async function declaredFor(word: string, door: Door): Promise<Command | Group | undefined> {
  const { groupAs, shortAs } = await import("../../declared/commands.ts");
  try {
    return (await groupAs(word, door)) ?? (await shortAs(word, door));
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Where the workflow cannot be read, there is nothing to offer. */
async function definitionOf(name: string, door: Door): Promise<Definition | undefined> {
  const found = listWorkflows(door).find((each) => each.name === name);
  const loaded = found === undefined ? undefined : await loadWorkflow(found, door);
  return loaded?.ok === true ? loaded.workflow.definition : undefined;
}
