/**
 * `signalbox submit`: hands in one artifact, which counts at once or is refused with what is wrong.
 */

import { UserError } from "../../adapters/user-error.ts";
import { acting, runOf, type Acting } from "../../app/context.ts";
import type { Answer, Command } from "../command.ts";
import { answerOf } from "../acted.ts";
import { handIn } from "../../app/act/submit.ts";
import { textGiven } from "../../app/text-input.ts";
import { requireKept } from "../../app/runs/load.ts";

export const command: Command = {
  usage: "[RUN] ARTIFACT [FILE | -] [--key KEY]",
  about:
    "Hands in an artifact. It is read at this moment, where the workflow has it; with FILE or - (standard input), its text is put there first.\nIn a workspace, RUN may be left out.",
  words: { min: 1, max: 3 },
  options: { key: { takes: "KEY", about: "the same key twice submits once, and gives the same answer" } },
  examples: ["signalbox submit review", "signalbox submit k3d9 plan plan.md"],
  answer: ({ words, options: { key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const { run, artifact, file } = meantBy(on, words);
      const text = file === undefined ? undefined : (): Promise<string> => textGiven(door, file);
      return answerOf(await handIn(on, { run, artifact, key, text }));
    }),
};

type Meant = { readonly run: string; readonly artifact: string; readonly file: string | undefined };

/** Two words are a run and its artifact, unless the first is an artifact of the run that we are in. */
function meantBy(on: Acting, words: readonly string[]): Meant {
  const [first = "", second, third] = words;
  if (third !== undefined && second !== undefined)
    return { run: runOf(on, first), artifact: second, file: third };
  if (second === undefined) return { run: runOf(on, undefined), artifact: first, file: undefined };
  const here = runHere(on);
  if (here !== undefined && Object.hasOwn(artifactsOf(on, here), first))
    return { run: here, artifact: first, file: second };
  return { run: runOf(on, first), artifact: second, file: undefined };
}

function runHere(on: Acting): string | undefined {
  try {
    return runOf(on, undefined);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function artifactsOf(on: Acting, run: string): Readonly<Record<string, unknown>> {
  return on.box.workflow(requireKept(on, run).row.definition).definition.artifacts;
}
