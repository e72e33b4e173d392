/** `signalbox project add`: a repository becomes a project. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acting } from "../../app/context.ts";
import type { Answer, Command } from "../command.ts";
import { rowFor } from "./make.ts";
import { agentsOf, PROJECT_OPTIONS } from "./options.ts";
import { itemOf, sayProject, toldOf } from "./said.ts";
import { refuseInRun } from "../../app/setup/repository.ts";

const HELP = "signalbox project add --help";

export const command: Command = {
  usage: "[PATH] [--name NAME] [--agents N] [--default-branch BRANCH] [--remote URL|none]",
  about:
    "Makes the repository at PATH, or the one that you are in, a project. Its remote is that of origin as it is now, its default branch that of origin,\notherwise the one that is checked out.",
  words: { min: 0, max: 1 },
  options: PROJECT_OPTIONS,
  examples: ["signalbox project add", "signalbox project add ../shop --agents 6"],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const { store } = on.box;
      const cwd = folderAt(resolve(door.cwd, given.words[0] ?? "."));
      refuseInRun(store, { cwd, env: door.env }, "add");
      const { repositoryOf } = await import("../../adapters/git/repository.ts");
      const { path: repo, branch } = await repositoryOf(cwd, door.env);
      const known = store.projectAt(repo);
      if (known !== undefined)
        throw new UserError(
          "known-project",
          `${repo} is the project ${known.name} already`,
          `signalbox project update ${known.name}`,
        );
      const { name, remote, "default-branch": defaultBranch } = given.options;
      const agents = agentsOf(given, HELP);
      const row = await rowFor(
        { store, env: door.env },
        { repo, branch },
        { name, agents, defaultBranch, remote },
      );
      store.putProject(row);
      return toldOf(sayProject(row), itemOf(store, row));
    }),
};

function folderAt(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Whatever keeps us from it: it is no folder for us.
  }
  throw new UserError("no-folder", `there is no folder ${path}`, HELP);
}
