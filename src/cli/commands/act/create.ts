/**
 * `signalbox create`: a run begins, waits for its turn, and is not followed.
 *
 * Everything that could be wrong is checked first: a call that is refused has written nothing.
 */

import { workflowToCreate, type Definition } from "../../../app/commands/declared.ts";
import { call } from "../../../app/client.ts";
import { createValues, startsIn, type CreateValue } from "../../../app/start/create.ts";
import type { Given } from "../../../app/invocation.ts";
import type { InputOf } from "../../../app/schemas.ts";
import { pairsOf } from "../../../app/start/typed-command.ts";
import { readGiven } from "../../../app/text-input.ts";
import { requireWorkflow } from "../../../app/workflows/load.ts";
import type { Answer, Command, Door, Option } from "../../command.ts";
import { withWords } from "../../verb.ts";
import { begunAnswer } from "./start.ts";

const STATUS: Option = {
  takes: "STATE",
  about: "where it begins: with questions, or with existing work",
};

const OPTIONS: Readonly<Record<string, Option>> = {
  workflow: { takes: "WORKFLOW", about: "the workflow that it is a run of; your usual one unless given" },
  param: {
    takes: "NAME=VALUE",
    about: "a parameter of the workflow; may be given several times",
    many: true,
  },
  with: {
    takes: "ARTIFACT=FILE",
    about: "a text that it begins with, - for the standard input; may be given several times",
    many: true,
  },
  "no-start": { about: "leave it until a person starts it" },
  status: STATUS,
  finished: { about: "begin with existing work that needs nothing but your own review" },
  "depends-on": {
    takes: "RUN",
    about: "start it when this one is done; may be given several times",
    many: true,
  },
  project: { takes: "PROJECT", about: "in this project, instead of the repository that you are in" },
  key: { takes: "KEY", about: "the same key twice creates one run" },
};

/** With an option for each parameter and each text that people choose, where the workflow is known. */
export function createCommand(definition?: Definition): Command {
  const own =
    definition === undefined
      ? []
      : createValues(definition).filter(({ option }) => !Object.hasOwn(OPTIONS, option));
  return {
    usage: "[BRANCH] [SUMMARY] [--depends-on RUN]... [--no-start]",
    about:
      "Creates a run in this repository and starts it as soon as one more agent may work; prints its id and does not wait.\nOne word is the summary, unless a branch has that name. Without BRANCH, the branch is named after the summary.\nWithout a summary you are asked for one at a terminal. A run of an existing BRANCH needs none: it begins with questions, where the workflow has a state for them.\nAgents that belong to no run may create runs, too, which start when their turn comes; agents of runs may not.",
    words: { min: 0, max: 2 },
    options: {
      ...Object.fromEntries(own.map(({ option, takes, about }) => [option, { takes, about }])),
      ...OPTIONS,
      ...(definition === undefined ? {} : { status: { ...STATUS, takes: startsIn(definition).join("|") } }),
    },
    examples: [
      'signalbox create "Dates in the export are off by one"',
      'signalbox create fix-dates "Dates in the export" --with context=notes.md',
    ],
    async answer(given, door): Promise<Answer> {
      const input = inputOf(withOwn(given, own), definition?.name, door);
      const create = (summary?: string): ReturnType<typeof call<"create">> =>
        call(door, "create", summary === undefined ? input : { ...input, summary, either: false });
      return begunAnswer(await withWords(door, undefined, create));
    },
  };
}

export const command: Command = createCommand();

/** The command as it is for the workflow that is meant by what was typed. */
export async function commandFor(typed: readonly string[], door: Door): Promise<Command> {
  const at = typed.findIndex((word) => word === "--workflow" || word.startsWith("--workflow="));
  const named = at === -1 ? undefined : (/^--workflow=(.*)$/s.exec(typed[at] ?? "")?.[1] ?? typed[at + 1]);
  const { workflow } = await requireWorkflow(named ?? (await workflowToCreate(door)), door);
  return createCommand(workflow.definition);
}

const HELP = "signalbox create --help";

/** One word is the summary, or a branch that has this name. */
function inputOf(given: Given, usual: string | undefined, { cwd }: Door): InputOf<"create"> {
  const { words, options, lists } = given;
  const [first, second] = words;
  const { key, project, status } = options;
  return {
    key,
    project,
    status,
    workflow: options["workflow"] ?? usual,
    ...(second === undefined
      ? { summary: first, either: true }
      : { branch: first === "" ? undefined : first, summary: second }),
    finished: options["finished"] !== undefined,
    noStart: options["no-start"] !== undefined,
    dependsOn: lists["depends-on"] ?? [],
    params: pairsOf(given, "param", HELP).map(([name, value]) => ({ name, value })),
    texts: pairsOf(given, "with", HELP).map(([artifact, file]) => ({ artifact, file: readGiven(cwd, file) })),
  };
}

function withOwn(given: Given, own: readonly CreateValue[]): Given {
  const typed = own.flatMap(({ list, name, option }) => {
    const value = given.options[option];
    return value === undefined ? [] : [{ list, pair: `${name}=${value}` }];
  });
  const pairs = (list: "param" | "with"): readonly string[] => [
    ...(given.lists[list] ?? []),
    ...typed.filter((each) => each.list === list).map(({ pair }) => pair),
  ];
  return { ...given, lists: { ...given.lists, param: pairs("param"), with: pairs("with") } };
}
