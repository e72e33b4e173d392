/**
 * `signalbox submit`: hands in one artifact, which counts at once or is refused with what is wrong.
 */

import { call } from "../../../app/client.ts";
import type { InputOf } from "../../../app/schemas.ts";
import { readGiven } from "../../../app/text-input.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "[RUN] ARTIFACT [FILE | -] [--key KEY]",
  about:
    "Hands in an artifact. It is read at this moment, where the workflow has it; with FILE or - (standard input), its text is put there first.\nIn a workspace, RUN may be left out.",
  offers: "open",
  words: { min: 1, max: 3 },
  options: { key: { takes: "KEY", about: "the same key twice submits once, and gives the same answer" } },
  examples: ["signalbox submit review", "signalbox submit k3d9 plan plan.md"],
  answer: async ({ words, options: { key } }, door): Promise<Answer> =>
    answerOf(await call(door, "submit", { ...inputOf(words, door.cwd), key })),
};

/** With two words, only the run says which of them is meant. */
function inputOf([first = "", second, third]: readonly string[], cwd: string): InputOf<"submit"> {
  if (second === undefined) return { artifact: first };
  if (third !== undefined) return { run: first, artifact: second, file: readGiven(cwd, third) };
  return { artifact: first, file: readGiven(cwd, second), either: true };
}
