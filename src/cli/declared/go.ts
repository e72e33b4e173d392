/** A command that a workflow declares with `in`: the run is entered, and followed until it ends or waits again. */

import type { OwnCommand } from "../../app/commands/declared.ts";
import { dataOf, enter, type Entered, type Going } from "../../app/commands/enter.ts";
import { acting, seeThrough } from "../../app/context.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import { seenOf } from "../../app/runs/load.ts";
import { nameParam } from "../../app/runs/name.ts";
import { goalPlace } from "../../app/start/goal.ts";
import { follow } from "../../app/story/follow.ts";
import { taskTeller, type TaskTeller } from "../../app/story/task-lines.ts";
import { textIn } from "../../app/text-input.ts";
import { answerOf, talkOf } from "../acted.ts";
import type { Answer, Command, Door, Option } from "../command.ts";
import { followStream, NOT_FOLLOWED } from "../render/follow.ts";
import { withWords } from "../verb.ts";

type Declared = OwnCommand & { readonly command: Going };

const DETACH: Option = { about: "print its id and do not follow", short: "d" };
const PARAM: Option = {
  takes: "NAME=VALUE",
  about: "a parameter of the workflow, for a new run; may be given several times",
  many: true,
};

export function goCommand(of: Declared): Command {
  const { name, command, definition } = of;
  const param = nameParam(definition);
  const run = (param ?? "RUN").toUpperCase();
  const goal = command.begin ? (goalPlace(definition) ?? "goal").toUpperCase() : "TEXT";
  const typed = `signalbox ${command.short ? name : `${definition.name} ${name}`}`;
  return {
    usage: `${param === undefined ? `[${run}]` : run} [${goal}]${command.begin ? " [--param NAME=VALUE]..." : ""} [--detach]`,
    about: `${command.about.charAt(0).toUpperCase()}${command.about.slice(1)}.\nFollows the run until it has ended (exit 0 or 1) or waits for you (exit 3). Called again, it goes on where it was left.`,
    words: { min: param === undefined ? 0 : 1, max: 2 },
    options: { ...(command.begin ? { param: PARAM } : {}), detach: DETACH },
    examples: command.begin
      ? [`${typed} add-login "Users can log in"`, `${typed} add-login`]
      : [`${typed} ${param === undefined ? "k3d9" : "add-login"}`],
    answer: async (given, door): Promise<Answer> => {
      const [, word] = given.words;
      const words = word === "-" ? textIn(door.cwd, "-") : word;
      const entered = await acting(door, (on) =>
        enter(on, {
          ...of,
          given,
          withWords: (act) => withWords(door, words, act),
        }),
      );
      if ("exit" in entered) return answerOf({ ...entered, data: { ...entered.data, ...NOT_FOLLOWED } });
      return given.options["detach"] === undefined ? followed(entered, given, door) : begun(entered);
    },
  };
}

function begun({ data, told }: Entered): Answer {
  const next = `signalbox show ${data.run}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${data.name || data.run} (${data.run}) goes on in ${data.state}`,
    data: () => ({ ...data, ...NOT_FOLLOWED }),
    text: () => `${data.run}\n`,
    next,
    talk: talkOf(told, next),
  };
}

function followed(entered: Entered, given: Given, door: Door): Answer {
  const { from, since, told } = entered;
  const { run, name } = entered.data;
  const tell = taskTeller();
  // What tasks did before was printed by the command that was used then.
  const tasks: TaskTeller = async (seen) => (await tell(seen)).filter(({ at }) => at > since);
  const isQuiet = given.options["quiet"] !== undefined;
  return {
    ...begun(entered),
    // Told before whatever comes of it.
    text: () => (isQuiet ? "" : `${name === "" ? "" : `${name} is run ${run}\n`}${talkOf(told, "")}`),
    talk: "",
    stream: followStream(door, given, {
      follow: (emit, signal) => acting(door, (on) => follow(on, { run, from, tasks, emit, signal })),
      about: () =>
        acting(door, async (on) => {
          // The next command may read the run's files, which can be behind for a moment.
          await seeThrough(on, run);
          return dataOf(await seenOf(on, run));
        }),
    }),
  };
}
