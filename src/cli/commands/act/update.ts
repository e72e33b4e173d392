/** `signalbox update`: details first, so that whoever is told about the move finds them changed. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [--status STATE] [--branch [NAME]] [--summary TEXT] [--depends-on RUN]...",
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
    "depends-on": {
      takes: "RUN",
      about: "start it when this one is done; may be given several times",
      many: true,
    },
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: [
    "signalbox update --status working",
    'signalbox update --branch fix-dates --summary "Dates in the export"',
    "signalbox update k3d9 --depends-on m2x7",
  ],
  answer: async ({ words: [run], options, lists }, door): Promise<Answer> => {
    const { project, status, note, summary, branch, key } = options;
    const dependsOn = lists["depends-on"];
    return answerOf(
      await call(door, "update", { run, project, status, note, summary, branch, dependsOn, key }),
    );
  },
};
