/** `signalbox show`: everything about a run that you want to know when you come back to it. */

import { call } from "../../../app/client.ts";
import type { TaskContext } from "../../../app/view/run-view.ts";
import { sayClock } from "../../../app/view/words.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { fitted } from "../../fit.ts";
import { sayRun } from "../../render/run.ts";

export const command: Command = {
  usage: "[RUN] [--verbose]",
  about:
    "Shows a run: where it is, what it waits for, what reviewers said, what it changed, and what you can type.\nRUN is an id, its first letters, or a branch. Without RUN it is the run of the workspace that you are in, or SIGNALBOX_RUN. `status` is another name for this.",
  words: { min: 0, max: 1 },
  options: {
    verbose: {
      about:
        "also whole reviews, earlier attempts, parameters, counters at 0, what a phase still needs, artifacts that no move asks for now, facts that do not hold, other readings of the same file, all notes and more history",
      short: "v",
    },
  },
  examples: ["signalbox show", "signalbox show abcd", "signalbox show fix-dates --verbose --json"],
  async answer({ words: [run], options }, door): Promise<Answer> {
    const verbose = options["verbose"] !== undefined;
    const outcome = await call(door, "show", { run, verbose });
    const { paint, cwd, width } = door;
    const { task, ...view } = outcome.data;
    return answerOf(
      outcome,
      () =>
        `${sayRun(view, { verbose, paint, now: Date.now(), cwd, width })}${task === undefined ? "" : sayContext(task, { verbose, width })}`,
    );
  },
};

/** Where the run stands among others; what is usual is left out unless everything is wanted. */
function sayContext(
  task: TaskContext,
  { verbose, width }: { verbose: boolean; width: number | undefined },
): string {
  const { project, session, queuedFor, dependsOn, dependents, messages, hidden } = task;
  const told = messages.map(
    ({ role, status, at }) => `${role}: ${status} ${sayClock(new Date(at).toISOString())}`,
  );
  const usual: [string, string][] = [
    ["  project", project],
    ["  session", session === "none" ? "" : session],
    ["  messages", told.join(", ")],
  ];
  const rows: [string, string][] = [
    ...(verbose ? usual : []),
    ["  queued", queuedFor],
    ["  depends on", dependsOn.map(({ run, state }) => `${run} (${state})`).join(", ")],
    ["  needed by", dependents.join(", ")],
    ["  put away", hidden ? "yes" : ""],
  ];
  const said = rows.filter(([, value]) => value !== "");
  return said.length === 0 ? "" : `\nProject\n${fitted(said, width)}`;
}
