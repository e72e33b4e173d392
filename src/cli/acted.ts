/** What an acting command prints when it is done: the same for all of them. */

import { acknowledge } from "../app/act/acknowledged.ts";
import type { Done } from "../app/context.ts";
import type { Outcome } from "../app/outcome.ts";
import { sayNext, type Answer } from "./command.ts";

export function acted(done: Done, what?: string): Answer {
  return answerOf(acknowledge(done, what));
}

/** One sentence as the result, notes and the next command beside it. */
export function answerOf(outcome: Outcome<Readonly<Record<string, unknown>>>): Answer {
  const { exit, code, message, data, next, notes } = outcome;
  return {
    exit,
    code,
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf(notes, next),
  };
}

export function talkOf(told: readonly string[], next: string): string {
  return [...told.map((line) => `  ${line}\n`), ...(next === "" ? [] : [sayNext(next)])].join("");
}
