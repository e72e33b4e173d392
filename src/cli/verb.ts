/** A verb of people as a command: which run, which words, and how its outcome is shown. */

import { carryOut, type VerbCall } from "../app/act/verbs.ts";
import { acting, runOf, type Acting } from "../app/context.ts";
import { isUnknownRun } from "../app/failure.ts";
import type { Given } from "../app/invocation.ts";
import { textIn } from "../app/text-input.ts";
import { answerOf } from "./acted.ts";
import type { Answer, Door, Option } from "./command.ts";
import { deliveryIn } from "./delivery.ts";
import { wordsFromEditor } from "./editor.ts";

export const VERB_OPTIONS: Readonly<Record<string, Option>> = {
  to: { takes: "WHERE", about: "which of several: a state, an option, or a part of an option" },
  shown: { takes: "WORD", about: "only if this is what the question shows; the word is printed with it" },
  key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
};

type Verb = VerbCall["verb"];

export function verbAnswer(verb: Verb, given: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    const { run, text } = runAndText(given.words, { here: hereOf(on), find: (word) => runOf(on, word) });
    const delivery = deliveryIn(given, `signalbox ${verb} --help`);
    return answerOf(
      await carryOut(on, { ...callOf(given, door), verb, run, text: wordsIn(door, text), delivery }),
    );
  });
}

/** What all verbs take, and whom they may ask for words. */
export function callOf({ options: { to, key, shown } }: Given, door: Door): Omit<VerbCall, "verb" | "run"> {
  return {
    to,
    key,
    shown,
    askWords: door.isTyped?.() === true ? (about) => wordsFromEditor(about, door) : undefined,
  };
}

/** A `-` stands for the standard input. */
export function wordsIn({ cwd }: Door, text: string): string {
  return text === "-" ? textIn(cwd, "-") : text;
}

/** The run that the folder belongs to, where it belongs to one. */
export function hereOf({ box, door }: Acting): string | undefined {
  return box.store.workspaceAt(door.cwd)?.run;
}

/** One word is the run, unless no run is called that and we are in one: then it is the text. */
export function runAndText(
  [first, second]: readonly string[],
  { here, find }: { readonly here: string | undefined; readonly find: (word?: string) => string },
): { readonly run: string; readonly text: string } {
  if (first === undefined || second !== undefined) return { run: find(first), text: second ?? "" };
  try {
    return { run: find(first), text: "" };
  } catch (error) {
    if (here === undefined || !isUnknownRun(error)) throw error;
    return { run: here, text: first };
  }
}
