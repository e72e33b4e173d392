/** What an acting command says when it is done: the same words and keys for all of them. */

import type { Done } from "./acting.ts";
import { EXIT_OK, sayNext, type Answer } from "./command.ts";

/** What `--json` gives: the acknowledgement, which is the same for the same key. */
type ActedData = {
  readonly run: string;
  readonly from: string;
  readonly to: string;
  readonly seq: number;
};

export function acted(done: Done, what?: string): Answer {
  const { run, from, to, seq } = done;
  const data: ActedData = { run, from, to, seq };
  const where = from === to ? `${run} stays in ${to}` : `${run} goes from ${from} to ${to}`;
  const message = what === undefined ? where : `${what}; ${where}`;
  const next = `signalbox show ${run}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf(done.told, next),
  };
}

export function talkOf(told: readonly string[], next: string): string {
  return [...told.map((line) => `  ${line}\n`), ...(next === "" ? [] : [sayNext(next)])].join("");
}
