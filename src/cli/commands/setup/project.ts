/** `signalbox project`: repositories that tasks are done in. */

import { call } from "../../../app/client.ts";
import type { Given } from "../../../app/invocation.ts";
import type { InputOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Group, Option } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { fitted } from "../../fit.ts";

const AGENTS_MAX = 256;

/** What a person may set of a project. */
const OPTIONS: Readonly<Record<string, Option>> = {
  name: { takes: "NAME", about: "what it is called: part of paths, so letters, digits, _, - and ." },
  agents: { takes: "N", about: "at most N agents of this project work at the same time; 4 unless given" },
  "default-branch": { takes: "BRANCH", about: "the branch that work begins from and is merged into" },
  remote: { takes: "URL|none", about: "where that branch is fetched from" },
};

function wishesIn(given: Given, help: string): Omit<InputOf<"update-project">, "project"> {
  const { name, remote, "default-branch": defaultBranch } = given.options;
  const isAgents = given.options["agents"] !== undefined;
  const agents = numberOption(given, "agents", { otherwise: 0, min: 1, max: AGENTS_MAX, help });
  return { name, remote, defaultBranch, agents: isAgents ? agents : undefined };
}

const add: Command = {
  usage: "[PATH] [--name NAME] [--agents N] [--default-branch BRANCH] [--remote URL|none]",
  about:
    "Makes the repository at PATH, or the one that you are in, a project. Its remote is that of origin as it is now, its default branch that of origin,\notherwise the one that is checked out.",
  words: { min: 0, max: 1 },
  options: OPTIONS,
  examples: ["signalbox project add", "signalbox project add ../shop --agents 6"],
  async answer(given, door): Promise<Answer> {
    const wishes = wishesIn(given, "signalbox project add --help");
    return answerOf(await call(door, "add-project", { folder: given.words[0], ...wishes }));
  },
};

const list: Command = {
  usage: "",
  about:
    "Lists the projects of this machine, with how many of their agents are at work, how many workspaces they have, and how many tasks are queued.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox project list"],
  async answer(_given, door): Promise<Answer> {
    const outcome = await call(door, "projects", {});
    const rows = outcome.data.projects.map(
      ({ name, defaultBranch, agents, atWork, workspaces, queued, repo }) => [
        door.paint.bold(name),
        defaultBranch,
        `${atWork} of ${agents} agents at work`,
        `${workspaces} ${workspaces === 1 ? "workspace" : "workspaces"}`,
        queued === 0 ? "" : `${queued} queued`,
        repo,
      ],
    );
    return answerOf(outcome, () => fitted(rows, door.width));
  },
};

const update: Command = {
  usage: "[PROJECT] [--name NAME] [--agents N] [--default-branch BRANCH] [--remote URL|none]",
  about:
    "Changes a project; without a name, the one that you are in. A larger number of agents takes effect at once; a smaller one ends no agent that works.",
  words: { min: 0, max: 1 },
  options: OPTIONS,
  examples: ["signalbox project update --agents 8", "signalbox project update shop --remote none"],
  async answer(given, door): Promise<Answer> {
    const wishes = wishesIn(given, "signalbox project update --help");
    return answerOf(await call(door, "update-project", { project: given.words[0], ...wishes }));
  },
};

const remove: Command = {
  usage: "[PROJECT]",
  about:
    "Forgets a project; without a name, the one that you are in. Refused while one of its runs is open or has a workspace.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox project remove shop"],
  async answer({ words: [project] }, door): Promise<Answer> {
    return answerOf(await call(door, "remove-project", { project }));
  },
};

export const command: Group = {
  about:
    "Projects: repositories that runs work in. A repository becomes one with its first run, or by `project add`.\nOnly people can change them.",
  parts: {
    add: { about: "make a repository a project", load: () => Promise.resolve({ command: add }) },
    list: { about: "list the projects of this machine", load: () => Promise.resolve({ command: list }) },
    update: {
      about: "change name, number of agents, branch or remote",
      load: () => Promise.resolve({ command: update }),
    },
    remove: {
      about: "forget a project; the repository stays as it is",
      load: () => Promise.resolve({ command: remove }),
    },
  },
  examples: ["signalbox project add --agents 6", "signalbox project list"],
};
