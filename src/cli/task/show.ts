/** `signalbox task show`: what `show` says of a run, and what makes a task of it: dependencies, queue, messages. */

import { seeRun, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import { viewRun } from "../../app/view/look.ts";
import { nextForPerson } from "../../app/view/actions.ts";
import { withWhatIsInTheWay } from "../../app/view/work/place-taken.ts";
import type { TaskContext } from "../../app/view/run-view.ts";
import { taskContextOf } from "../../app/view/work/task-context.ts";
import { sayClock } from "../../app/view/words.ts";
import type { Answer, Command } from "../command.ts";
import { command as showRun } from "../commands/look/show.ts";
import { fitted } from "../fit.ts";
import { sayRun } from "../render/run.ts";
import { taskMeant } from "../../app/runs/task.ts";
import { OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage: "[TASK] [--verbose]",
  about:
    "Shows a task as `signalbox show` does, and also its project, its place in the queue, its dependencies, and the messages to its agents.",
  words: { min: 0, max: 1 },
  options: { ...OF_PROJECT, ...showRun.options },
  examples: ["signalbox task show k3d9"],
  answer: ({ words, options }, door) =>
    withStore(door, async (store) => {
      const id = taskMeant({ store, door }, words[0], options["project"]);
      const seen = withWhatIsInTheWay(seeRun(store, door, id));
      const verbose = options["verbose"] !== undefined;
      const view = await viewRun(seen, door, verbose);
      const task = taskContextOf(seen.store, id);
      const next = nextForPerson(seen);
      const { paint, cwd, width } = door;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${view.run} is ${view.state}: ${view.waits.sentence}`,
        data: () => ({ ...view, task }),
        text: () => `${sayRun(view, { verbose, paint, now: Date.now(), cwd, width })}${say(task, width)}`,
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};

function say(task: TaskContext, width: number | undefined): string {
  const { project, session, queuedFor, dependsOn, dependents, messages, hidden } = task;
  const told = messages.map(
    ({ role, status, at }) => `${role}: ${status} ${sayClock(new Date(at).toISOString())}`,
  );
  const rows: [string, string][] = [
    ["  project", project],
    ["  session", session === "none" ? "" : session],
    ["  queued", queuedFor],
    ["  depends on", dependsOn.map(({ run, state }) => `${run} (${state})`).join(", ")],
    ["  needed by", dependents.join(", ")],
    ["  messages", told.join(", ")],
    ["  put away", hidden ? "yes" : ""],
  ];
  const said = rows.filter(([, value]) => value !== "");
  return said.length === 0 ? "" : `\nTask\n${fitted(said, width)}`;
}
