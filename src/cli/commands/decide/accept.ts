/** `signalbox accept`: what a run shows is good, or good enough. */

import type { Answer, Command } from "../../command.ts";
import { DELIVERY, VERB_OPTIONS, verbAnswer } from "../../verb.ts";

export const command: Command = {
  usage: "[RUN] [TEXT | -] [--to WHERE] [--squash] [--pull-request] [--leave] [--key KEY]",
  about:
    "Accepts what a run waits for you with, and the run goes on: a plan, a design, reviewed work. What it means in each state is said by the workflow.\nWhere the workflow delivers, the reviewed commit is merged first: by a fast-forward where that is possible, by a merge commit otherwise, and what arrived is compared with what was reviewed. With --pull-request the branch is pushed to the project's remote and proposed there; the run waits until it is merged.\nNothing is changed on conflicts, if a checkout of the default branch has uncommitted changes, if the workspace changed after the review, if the work would undo changes of the default branch, or if the branch has commits that were not reviewed. Only people can do this.",
  offers: "accept",
  words: { min: 0, max: 2 },
  options: { ...VERB_OPTIONS, ...DELIVERY, note: { takes: "TEXT", about: "the same as TEXT" } },
  examples: [
    "signalbox accept k3d9",
    "signalbox accept k3d9 --pull-request",
    'signalbox accept k3d9 "the failing test is unrelated"',
  ],
  answer: (given, door): Promise<Answer> => verbAnswer("accept", given, door),
};
