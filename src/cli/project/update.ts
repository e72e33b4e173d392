/** `signalbox project update`: what a person wants otherwise. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acting } from "../acting.ts";
import { EXIT_CONFLICT, type Answer, type Command } from "../command.ts";
import { remoteOf, requireBranch, requireName } from "./make.ts";
import { poolSizeOf, PROJECT_OPTIONS } from "./options.ts";
import { itemOf, sayProject, toldOf } from "./said.ts";
import { projectMeant } from "./which.ts";

const HELP = "signalbox project update --help";

export const command: Command = {
  usage: "[PROJECT] [--name NAME] [--pool-size N] [--default-branch BRANCH] [--remote URL|none]",
  about:
    "Changes a project; without a name, the one that you are in. A smaller pool takes nobody's workspace away: it counts from the next task on.",
  words: { min: 0, max: 1 },
  options: PROJECT_OPTIONS,
  examples: ["signalbox project update --pool-size 8", "signalbox project update shop --remote none"],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const { store } = on.box;
      const row = projectMeant(store, door.cwd, given.words[0]);
      const { name, remote, "default-branch": defaultBranch } = given.options;
      const poolSize = poolSizeOf(given, HELP);
      if ([name, remote, defaultBranch, poolSize].every((each) => each === undefined))
        throw new UserError(
          "bad-usage",
          `say what to change: ${Object.keys(PROJECT_OPTIONS)
            .map((each) => `--${each}`)
            .join(", ")}`,
          HELP,
        );
      if (name !== undefined && name !== row.name) {
        requireName(name);
        // Its worktrees are named after it, and stay where they are.
        if (store.pool(row.repo).length > 0)
          throw new UserError("pool-in-use", `${row.name} has worktrees that are named after it`, {
            next: "signalbox workspace gc",
            exit: EXIT_CONFLICT,
          });
      }
      if (defaultBranch !== undefined) await requireBranch(row.repo, defaultBranch, door.env);
      const changed = {
        ...row,
        ...(name === undefined ? {} : { name }),
        ...(poolSize === undefined ? {} : { poolSize }),
        ...(defaultBranch === undefined ? {} : { defaultBranch }),
        ...(remote === undefined ? {} : { remote: remoteOf(remote) }),
      };
      store.putProject(changed);
      return toldOf(sayProject(changed), itemOf(store, changed));
    }),
};
