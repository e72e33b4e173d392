/** `signalbox task cancel`: ends a task early. At a terminal it asks first if the task has a workspace. */

import { setTimeout as pause } from "node:timers/promises";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { missingOnBranch } from "../../app/act/missing-on-branch.ts";
import { acting } from "../../app/context.ts";
import type { Invocation } from "../../app/invocation.ts";
import type { Answer, Command } from "../command.ts";
import { command as cancelRun } from "../commands/decide/cancel.ts";
import { requireKept } from "../../app/runs/load.ts";
import { isConfirmed } from "./confirm.ts";
import { taskOf } from "../../app/runs/task.ts";
import { OF_PROJECT } from "./options.ts";

/** The release usually takes less than a second; an agent that does not end at once may take longer. */
const RELEASE_MS = 3000;
const POLL_MS = 50;

export const command: Command = {
  usage: "[TASK] [--yes] [--note TEXT] [--key KEY]",
  about:
    "Ends a task early: its agents are stopped, its work stays on its branch, and files that git does not hold are kept (signalbox salvage).\nAsks first at a terminal if the task has a workspace. Only people can do this.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    ...cancelRun.options,
    yes: { about: "do not ask", short: "y" },
  },
  examples: ["signalbox task cancel k3d9", "signalbox task cancel k3d9 --yes"],
  answer: async (given, door): Promise<Answer> => {
    const { project, yes } = given.options;
    const { run, isBound, missing } = await acting(door, async (on) => {
      requirePerson(on.who);
      const id = taskOf(on, given.words[0], project);
      const isHeld = on.box.store.workspace(id)?.status === "bound";
      return { run: id, isBound: isHeld, missing: await missingOnBranch(on, requireKept(on, id)) };
    });
    if (isBound && yes === undefined && !(await isConfirmed(`Cancel ${run}? Its work stays on its branch.`)))
      throw new UserError("not-confirmed", `${run} is as it was`, `signalbox task cancel ${run} --yes`);
    const answer = await cancelRun.answer({ ...given, words: [run] }, door);
    if (!isBound) return answer;
    const work = { missing, isReleased: await isReleased(door, run) };
    return { ...answer, talk: `  ${sayWork(run, work)}\n${answer.talk ?? ""}` };
  },
};

/** The release commits the work to the branch: waits for it, for a moment. */
async function isReleased(door: Invocation, run: string): Promise<boolean> {
  const isBound = (): Promise<boolean> =>
    acting(door, (on) => on.box.store.workspace(run)?.status === "bound");
  const endsAt = performance.now() + RELEASE_MS;
  while (await isBound()) {
    if (performance.now() > endsAt) return false;
    await pause(POLL_MS);
  }
  return true;
}

function sayWork(run: string, work: { readonly missing: string; readonly isReleased: boolean }): string {
  const kept = `signalbox salvage show ${run}`;
  if (work.missing !== "")
    return `its branch lacks a part of its work, and all of it is kept: ${kept}\n  the reason: ${work.missing}`;
  const branch = work.isReleased
    ? "its branch has all of its work"
    : "its branch will have all of its work when its agents have stopped";
  return `${branch}; files that git does not hold are kept: ${kept}`;
}
