/** `signalbox task delete`: a finished task is put away. Its journal, its branch and its salvage stay. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acting } from "../../app/context.ts";
import { isFinished } from "../../app/runs/find.ts";
import { EXIT_NOT_YOURS, EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { taskOf } from "../../app/runs/task.ts";
import { OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage: "TASK",
  about:
    "Puts a task away that is done or cancelled: lists leave it out, `show` and `history` still have it. Nothing of it is removed.\nOnly people can do this.",
  words: { min: 1, max: 1 },
  options: OF_PROJECT,
  examples: ["signalbox task delete k3d9"],
  answer: ({ words: [word], options }, door): Promise<Answer> =>
    acting(door, (on) => {
      requirePerson(on.who);
      const id = taskOf(on, word, options["project"]);
      const { row } = requireKept(on, id);
      if (!isFinished(row))
        throw new UserError("not-in-map", `${id} is ${row.state}, and only what is over can be put away`, {
          next: `signalbox task cancel ${id}`,
          exit: EXIT_NOT_YOURS,
        });
      on.box.store.hide(id, true);
      const next = "signalbox task list";
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${id} is put away`,
        data: () => ({ run: id, state: row.state, hidden: true }),
        text: () => `${id} is put away; signalbox show ${id} still has it\n`,
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};
