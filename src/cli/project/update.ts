/** `signalbox project update`: what a person wants otherwise. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acting } from "../../app/context.ts";
import type { Answer, Command } from "../command.ts";
import { wake } from "../../app/runs/wake.ts";
import { remoteOf, requireBranch, requireName } from "./make.ts";
import { agentsOf, PROJECT_OPTIONS } from "./options.ts";
import { itemOf, sayProject, toldOf } from "./said.ts";
import { projectMeant } from "../../app/setup/project-named.ts";

const HELP = "signalbox project update --help";

export const command: Command = {
  usage: "[PROJECT] [--name NAME] [--agents N] [--default-branch BRANCH] [--remote URL|none]",
  about:
    "Changes a project; without a name, the one that you are in. A larger number of agents takes effect at once; a smaller one ends no agent that works.",
  words: { min: 0, max: 1 },
  options: PROJECT_OPTIONS,
  examples: ["signalbox project update --agents 8", "signalbox project update shop --remote none"],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const { store } = on.box;
      const row = projectMeant(store, door, given.words[0]);
      const { name, remote, "default-branch": defaultBranch } = given.options;
      const agents = agentsOf(given, HELP);
      if ([name, remote, defaultBranch, agents].every((each) => each === undefined))
        throw new UserError(
          "bad-usage",
          `say what to change: ${Object.keys(PROJECT_OPTIONS)
            .map((each) => `--${each}`)
            .join(", ")}`,
          HELP,
        );
      if (name !== undefined) requireName(name);
      if (defaultBranch !== undefined) await requireBranch(row.repo, defaultBranch, door.env);
      const changed = {
        ...row,
        ...(name === undefined ? {} : { name }),
        ...(agents === undefined ? {} : { agents }),
        ...(defaultBranch === undefined ? {} : { defaultBranch }),
        ...(remote === undefined ? {} : { remote: remoteOf(remote) }),
      };
      store.putProject(changed);
      // What waits until an agent has ended may begin now.
      await wake(on);
      return toldOf(sayProject(changed), itemOf(store, changed));
    }),
};
