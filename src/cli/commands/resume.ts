/** `signalbox resume`: whatever holds a run up and is not a decision, is tried again. */

import { requirePerson } from "../../adapters/person/who.ts";
import { sayDeadlock } from "../../engine/deadlocks.ts";
import { talkOf } from "../acted.ts";
import { acting, runOf, type Acting } from "../../app/context.ts";
import { backIn, goBack } from "../../app/act/restart-stage.ts";
import type { Seen } from "../../app/runs/find.ts";
import { EXIT_OK, EXIT_WAITING } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { seenOf } from "../../app/runs/load.ts";
import { sayTyped } from "../../app/view/choices.ts";
import { choicesOfPerson, nextForPerson } from "../../app/view/moves.ts";
import { deadlockOf } from "../../app/view/trouble.ts";
import { columns } from "../render/table.ts";
import { resumeRun, type Resumed } from "../../app/act/resume.ts";

export const command: Command = {
  usage: "[RUN] [--from-phase PHASE | --retry-failed | --restart-stage | --restart-previous]",
  about:
    "Goes on with a run that was stopped, tries again what went wrong, and starts agents again that have crashed. Only people can do this.\nWith an option it begins again somewhere, where the workflow asks for that: by the answer to its question, or by a move to where it is asked.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {
    "from-phase": { takes: "PHASE", about: "begin again with this phase" },
    "retry-failed": { about: "begin the phase again that it is in" },
    "restart-stage": { about: "begin the stage again that it is in" },
    "restart-previous": { about: "begin again with the stage before" },
  },
  examples: [
    "signalbox resume k3d9",
    "signalbox resume k3d9 --from-phase 2.1",
    "signalbox resume k3d9 --restart-stage",
  ],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const back = backIn(given);
      const id = runOf(on, given.words[0]);
      // While it is halted nobody starts anything where it was.
      const answered = back === undefined ? "" : await goBack(on, id, back);
      return answerOf(on, await resumeRun(on, id, answered));
    }),
};

function answerOf(on: Acting, data: Resumed): Answer {
  const { run: id, state, unhalted, retried, respawned, answered } = data;
  const did = [
    ...(answered === "" ? [] : [`the answer is ${answered}`]),
    ...(unhalted ? ["it goes on"] : []),
    ...(retried.length === 0 ? [] : [`tried again: ${retried.join(", ")}`]),
    ...(respawned.length === 0 ? [] : [`started again: ${respawned.join(", ")}`]),
  ];
  const seen = seenOf(on, id);
  const deadlock = deadlockOf(seen);
  if (deadlock !== undefined) return notResumed(seen, data, sayDeadlock(deadlock));
  const message = `${id} in ${state}: ${did.length === 0 ? "nothing held it up" : did.join("; ")}`;
  const next = nextForPerson(seen);
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf([], next),
  };
}

/** Resuming changes nothing where only a person can move the run. */
function notResumed(seen: Seen, data: Resumed, reason: string): Answer {
  const message = `${data.run} needs a person: ${reason}`;
  const choices = choicesOfPerson(seen);
  const typed = columns(choices.map((choice) => [`  ${sayTyped(choice)}`, choice.means]));
  return {
    exit: EXIT_WAITING,
    code: "needs-attention",
    message,
    data: () => data,
    text: () => `${message}\n${typed}`,
    next: nextForPerson(seen),
  };
}
