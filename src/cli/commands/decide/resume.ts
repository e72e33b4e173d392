/** `signalbox resume`: whatever holds a run up and is not a decision, is tried again. */

import { UserError } from "../../../app/failure.ts";
import { call } from "../../../app/client.ts";
import type { InputOf } from "../../../app/schemas.ts";
import type { Given } from "../../../app/invocation.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { fitted } from "../../fit.ts";

export const command: Command = {
  usage: "[RUN] [--from-phase PHASE | --retry-failed | --restart-stage | --restart-previous]",
  about:
    "Goes on with a run that was stopped, tries again what went wrong, and starts agents again that have crashed. Only people can do this.\nWith an option it begins again somewhere, where the workflow asks for that: by the answer to its question, or by a move to where it is asked.\nIn a workspace, RUN may be left out.",
  offers: "open",
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
  answer: async (given, door): Promise<Answer> => {
    const outcome = await call(door, "resume", { run: given.words[0], back: backIn(given) });
    const { choices = [] } = outcome;
    if (choices.length === 0) return answerOf(outcome);
    const typed = fitted(
      choices.map(({ command: line, means }) => [`  ${line}`, means]),
      door.width,
    );
    const { talk: _talk, ...answer } = answerOf(outcome);
    return { ...answer, text: () => `${outcome.message}\n${typed}` };
  },
};

/** Undefined where it is not to begin again somewhere. */
function backIn({ options }: Given): InputOf<"resume">["back"] {
  const asked = (["from-phase", "retry-failed", "restart-stage", "restart-previous"] as const).filter(
    (name) => options[name] !== undefined,
  );
  const [how, other] = asked;
  if (other !== undefined)
    throw new UserError(
      "bad-usage",
      `--${how ?? ""} and --${other} do not go together`,
      "signalbox resume --help",
    );
  return how === undefined ? undefined : { how, phase: options["from-phase"] ?? "" };
}
