/** `signalbox start`: a run that was not started is started, or put into the queue. */

import { call } from "../../../app/client.ts";
import type { Outcome } from "../../../app/outcome.ts";
import { sayBegun, type BegunData } from "../../../app/start/start.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [--key KEY]",
  about:
    "Starts a run that waits for its start. While as many agents work as may, it is put into the queue and starts when one has ended.\nRefused while something that it depends on is not done; `signalbox move` does it all the same. Only people can do this.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: { ...OF_PROJECT, key: { takes: "KEY", about: "the same key twice starts it once" } },
  examples: ["signalbox start k3d9"],
  answer: async ({ words: [run], options: { project, key } }, door): Promise<Answer> =>
    begunAnswer(await call(door, "start", { run, project, key })),
};

/** The id of a run that was created or started, and what happens next. */
export function begunAnswer(outcome: Outcome<BegunData>): Answer {
  const { data, notes, next } = outcome;
  return {
    ...answerOf(outcome, () => `${data.run}\n`),
    talk: `  ${sayBegun(data)}\n${talkOf(notes, next)}`,
  };
}
