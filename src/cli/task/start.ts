/** `signalbox task start`: a pending task is started, or put into the queue. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { finished } from "../../core/step/refuse.ts";
import { acting, type Acting } from "../../app/context.ts";
import { firstMove } from "../../app/start/begin.ts";
import { isFinished } from "../../app/runs/find.ts";
import { EXIT_GATE, EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { getGoing } from "../../app/start/queue.ts";
import { requireKept } from "../../app/runs/load.ts";
import { refusal } from "../../app/refusal.ts";
import { begun } from "./begun.ts";
import { requireHarnesses } from "./harnesses.ts";
import { taskOf } from "../../app/runs/task.ts";
import { OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage: "[TASK] [--key KEY]",
  about:
    "Starts a task that is pending. While as many agents work as may, it is put into the queue and starts when one has ended.\nRefused while something that it depends on is not done; `signalbox move TASK planning` does it all the same. Only people can do this.",
  words: { min: 0, max: 1 },
  options: { ...OF_PROJECT, key: { takes: "KEY", about: "the same key twice starts it once" } },
  examples: ["signalbox task start k3d9"],
  answer: ({ words: [word], options }, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const run = taskOf(on, word, options["project"]);
      requirePending(on, run);
      await requireAgents(on, run);
      return begun(on, run, await getGoing(on, { run, key: options["key"] }));
    }),
};

function requirePending(on: Acting, id: string): void {
  const { row, run } = requireKept(on, id);
  if (isFinished(row)) throw refusal(finished(run));
  const to = firstMove(on.box.workflow(row.definition), run);
  if (to === undefined)
    throw new UserError("not-in-map", `${id} is ${run.state}, and was started already`, {
      next: `signalbox task show ${id}`,
      exit: EXIT_NOT_YOURS,
    });
  const open = on.box.store.depends(id).filter((other) => on.box.store.load(other)?.row.status !== "done");
  if (open.length === 0) return;
  throw new UserError(
    "gate-not-met",
    `${id} depends on ${open.join(" and ")}, and waits until that is done`,
    {
      next: `signalbox move ${id} ${to}`,
      exit: EXIT_GATE,
    },
  );
}

async function requireAgents({ box, door: { env } }: Acting, id: string): Promise<void> {
  const { store } = box;
  const kept = store.load(id);
  if (kept === undefined) return;
  const { row, run } = kept;
  const { readSettings } = await import("../../adapters/config/read.ts");
  const settings = await readSettings({ repo: row.repo, env, store });
  // Nothing else can be chosen for a task that is there.
  const option = (): string => "";
  const path = env["PATH"] ?? "";
  requireHarnesses(box.workflow(row.definition), settings, { params: run.params, path, option });
}
