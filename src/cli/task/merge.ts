/** `signalbox task merge`: a person delivers the work of a task, and the task is done. */

import { call } from "../../app/client.ts";
import { answerOf } from "../acted.ts";
import type { Answer, Command } from "../command.ts";
import { deliveryIn, DELIVERY } from "../delivery.ts";
import { OF_PROJECT } from "./options.ts";

export const command: Command = {
  usage:
    "[TASK] [--strategy ff|merge|squash] [--squash] [--leave] [--allow-undo] [--message TEXT] [--delete-remote]",
  about:
    "Merges the reviewed commit of a task into the default branch, checks what arrived, and the task is done. Without --strategy: a fast-forward where that is possible, a merge commit otherwise.\nNothing is touched on conflicts, if a checkout of the default branch has uncommitted changes, if the workspace changed after the review, if the work would undo changes of the default branch, or if the branch of the task has commits that were not reviewed. Only people can do this.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    ...DELIVERY,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: ["signalbox task merge k3d9", "signalbox task merge k3d9 --squash --delete-remote"],
  answer: async (given, door): Promise<Answer> => {
    const { project, note, key } = given.options;
    const how = deliveryIn(given, "signalbox task merge --help");
    return answerOf(await call(door, "deliver", { run: given.words[0], project, note, key, ...how }));
  },
};
