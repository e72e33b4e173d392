/** The outcome of a use case as an answer: the same for all commands. */

import type { Outcome } from "../app/outcome.ts";
import type { Answer } from "./command.ts";

/** `text` lays the data out; without it the sentence is the result. Notes and the next command go beside it. */
export function answerOf(outcome: Outcome<Readonly<Record<string, unknown>>>, text?: () => string): Answer {
  const { exit, code, message, data, next, notes, stream } = outcome;
  return {
    exit,
    code,
    message,
    data: () => data,
    text: text ?? (() => `${message}\n`),
    next,
    talk: talkOf(notes, next),
    ...(stream === undefined ? {} : { stream }),
  };
}

export function talkOf(told: readonly string[], next: string): string {
  return [...told.map((line) => `  ${line}\n`), ...(next === "" ? [] : [sayNext(next)])].join("");
}

/** What to type next; where it is one of several, each has a line. */
export function sayNext(next: string): string {
  return `  next: ${next.replaceAll(", or: ", "\n    or: ")}\n`;
}
