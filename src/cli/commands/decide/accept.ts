/** `signalbox accept`: what a run shows is good, or good enough. */

import type { Answer, Command } from "../../command.ts";
import { DELIVERY } from "../../delivery.ts";
import { VERB_OPTIONS, verbAnswer } from "../../verb.ts";

export const command: Command = {
  usage: "[RUN] [TEXT | -] [--to WHERE] [--squash] [--leave] [--key KEY]",
  about:
    "Accepts what a run waits for you with, and the run goes on: a plan, a design, reviewed work. What it means in each state is said by the workflow.\nWhere the workflow delivers, the reviewed commit is merged first, exactly as `signalbox task merge` does it. Only people can do this.",
  words: { min: 0, max: 2 },
  options: { ...VERB_OPTIONS, ...DELIVERY },
  examples: ["signalbox accept k3d9", 'signalbox accept k3d9 "the failing test is unrelated"'],
  answer: (given, door): Promise<Answer> => verbAnswer("accept", given, door),
};
