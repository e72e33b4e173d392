/** `signalbox run`: a run begins, and whoever began it may follow it. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import { GLOBAL } from "../../arguments.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { wrapped } from "../../fit.ts";
import { followedAnswer, NOT_FOLLOWED } from "../../render/follow.ts";
import { harmless } from "../../paint.ts";

export const command: Command = {
  usage:
    "WORKFLOW [GOAL] [--param NAME=VALUE]... [--with ARTIFACT=FILE]... [--no-STAGE]... [--VALUE]... [--detach]",
  about:
    "Begins a run of a workflow for this repository and follows it, until it has ended (exit 0 or 1) or waits for you (exit 3).\nCtrl-C only ends the following: the run goes on. Only people can begin runs.",
  words: { min: 1, max: 2 },
  options: {
    param: {
      takes: "NAME=VALUE",
      about: "a parameter of the workflow; may be given several times",
      many: true,
    },
    with: {
      takes: "ARTIFACT=FILE",
      about: "a text that the run begins with; may be given several times",
      many: true,
    },
    "no-STAGE": {
      about:
        "leave out a stage that can be disabled, by its name in lower case: --no-test; may be given several times",
    },
    to: { takes: "STATE", about: "begin in this state" },
    stage: {
      takes: "STAGE",
      about: "begin in this stage, with what it lives on: a list of tasks, or the work of an earlier run",
    },
    plan: { takes: "FILE", about: "the list of tasks that a stage works off; the run begins there" },
    from: {
      takes: "RUN",
      about: "with --stage: whose work it goes on with; the newest that fits unless given",
    },
    branch: { takes: "NAME", about: "the branch that the work is done on" },
    "no-start": { about: "do not ask for the first move" },
    detach: { about: "print its id and do not follow", short: "d" },
    key: { takes: "KEY", about: "the same key twice begins one run" },
    VALUE: {
      about: "a word that one parameter can be: --lean is --param mode=lean; may be given several times",
    },
  },
  examples: [
    'signalbox run task "Dates in the export are off by one"',
    "signalbox run task --with context=notes.md --detach",
    'signalbox run mine "Rate limits" --plan plan.md --no-test',
    "signalbox run mine --stage TEST --from k3d9",
  ],
  answer: async (given, door): Promise<Answer> => {
    const known = Object.keys({ ...GLOBAL, ...command.options });
    const outcome = await call(withTalk(door), "run", { ...given, known });
    const id = `${outcome.data.run}\n`;
    if (given.options["detach"] === undefined) return followedAnswer(outcome, { given, door, text: id });
    return {
      ...answerOf(outcome, () => id),
      data: () => ({ ...outcome.data, ...NOT_FOLLOWED }),
    };
  },
};

/** What a workflow says about the words that a run begins with stands below the command. */
function withTalk(door: Door): Door {
  const { talk } = door;
  if (talk === undefined) return door;
  const print = (about: string): void => talk.print(harmless(`${wrapped(`  ${about}`, talk.columns())}\n`));
  return { ...door, talk: { ...talk, print } };
}
