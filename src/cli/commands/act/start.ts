/** `signalbox start`: a run that was not started is started, or put into the queue. */

import { acting } from "../../../app/context.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import { startWaiting, type Begun, type BegunData } from "../../../app/start/start.ts";
import { talkOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [--key KEY]",
  about:
    "Starts a run that waits for its start. While as many agents work as may, it is put into the queue and starts when one has ended.\nRefused while something that it depends on is not done; `signalbox move` does it all the same. Only people can do this.",
  words: { min: 0, max: 1 },
  options: { ...OF_PROJECT, key: { takes: "KEY", about: "the same key twice starts it once" } },
  examples: ["signalbox start k3d9"],
  answer: ({ words: [run], options: { project, key } }, door): Promise<Answer> =>
    acting(door, async (on) => begunAnswer(await startWaiting(on, { run, project, key }))),
};

/** The id of a run that was created or started, and what happens next. */
export function begunAnswer({ data, told }: Begun): Answer {
  const { run } = data;
  const next = `signalbox show ${run}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${run} is ${sayNext(data)}`,
    data: () => data,
    text: () => `${run}\n`,
    next,
    talk: `  ${sayNext(data)}\n${talkOf(told, next)}`,
  };
}

function sayNext({ state, workspace, waits }: BegunData): string {
  if (waits !== "") return `${state}, queued: ${waits}`;
  return workspace === "" ? state : `${state} in ${workspace}`;
}
