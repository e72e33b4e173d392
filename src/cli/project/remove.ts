/** `signalbox project remove`: forgets a project. Repository, branches and the history of its tasks stay. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import { acting } from "../../app/context.ts";
import { EXIT_CONFLICT } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { itemOf, toldOf } from "./said.ts";
import { projectMeant } from "../../app/setup/project-named.ts";

const SHOWN = 5;

export const command: Command = {
  usage: "[PROJECT]",
  about:
    "Forgets a project; without a name, the one that you are in. Refused while one of its runs is open or has a workspace.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox project remove shop"],
  answer: ({ words: [word] }, door): Promise<Answer> =>
    acting(door, (on) => {
      requirePerson(on.who);
      const { store } = on.box;
      const row = projectMeant(store, door, word);
      requireIdle(store, row.repo);
      const item = itemOf(store, row);
      store.dropProject(row.repo);
      return toldOf(`${row.name} is no project any more`, item);
    }),
};

function requireIdle(store: Store, repo: string): void {
  const open = ["running", "waiting"].flatMap((status) => store.list({ repo, status, limit: SHOWN }).rows);
  const bound = store.workspaces().filter((each) => each.repo === repo);
  const ids = [...new Set([...open.map(({ id }) => id), ...bound.map(({ run }) => run)])];
  if (ids.length === 0) return;
  throw new UserError("project-in-use", `the project is in use: ${ids.slice(0, SHOWN).join(", ")}`, {
    next: `signalbox list --repo '${repo}'`,
    exit: EXIT_CONFLICT,
  });
}
