/** `signalbox task update`: details first, so that whoever is told about the move finds them changed. */

import { call } from "../../app/client.ts";
import { answerOf } from "../acted.ts";
import type { Answer, Command } from "../command.ts";
import { DEPENDS_ON, OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage: "[TASK] [--status STATE] [--branch [NAME]] [--summary TEXT] [--depends-on TASK]...",
  about:
    "Changes details of a task, and asks for a move exactly as `signalbox move` does.\nWhat it depends on is replaced by what is given; none takes it all away. Only people can change that.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    status: { takes: "STATE", about: "ask for a move to this state" },
    branch: {
      takes: "[NAME]",
      about: "the branch has this name now; without one, that of the workspace",
      alone: true,
    },
    summary: { takes: "TEXT", about: "one line that says what the task is" },
    "depends-on": DEPENDS_ON,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: [
    "signalbox task update --status working",
    'signalbox task update --branch fix-dates --summary "Dates in the export"',
    "signalbox task update k3d9 --depends-on m2x7",
  ],
  answer: async ({ words: [run], options, lists }, door): Promise<Answer> => {
    const { project, status, note, summary, branch, key } = options;
    const dependsOn = lists["depends-on"];
    return answerOf(
      await call(door, "update", { run, project, status, note, summary, branch, dependsOn, key }),
    );
  },
};
